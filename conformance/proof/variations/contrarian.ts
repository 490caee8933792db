import { together, variation, type Variation } from "../../changes/mutant.ts";

/** Unusual answers that can be combined; if a question has several, the one least distinguishable from others. */
const unusual = [
  "marks one-of groups with the names of their parameters",
  "says what is left in Discover and Call alone",
  "refuses an Inspect of an id that no tool has",
  "shows the query as it has understood it",
  "replays the elapsed time of an earlier search",
  "replays the execution_time of an earlier execution",
  "shows full_content_file_url beside a whole result",
  "writes content_schema in draft-07",
  "orders the members of a payload otherwise than its file does",
  "writes the statistics of a summary as a list",
  "gives the verdicts of coverage and sample in words of its own",
  "refuses an account without credits in Discover with 402, although it is free",
  "has an empty query in the failure body of Discover",
  "answers 401 of Inspect, Probe and capability routing in a shape of its own",
  "describes 422 errors with other types and no input",
  "answers 400 with -7 to every query that it does not accept",
  "takes an event_id that is no UUID for one that there is not",
  "numbers its ledger entries",
  "writes the credits of a ledger summary as decimal texts",
  "tells max_amount_items in words",
  "begins the weeks of each entry summary on a Sunday",
  "names the fields of credits, credits spent and readiness otherwise",
  "numbers the cursors of the feeds, and nests them",
  "exports the oldest row first",
  "echoes the token that it was sent to verify",
  "ends a claim at its first wrong code",
  "tells no more of a trial account than the contract names",
  "says of a token whether it is good in a number that stands deep, and in no words",
  "charges Calls that a provider fails, and puts them up for review",
  "settles every charge at a discount of half its list price",
  "charges nothing for a summary",
  "links an event to its ledger entry a moment after it shows the event",
  "leaves two events of each Discover",
  "says its limits on every other answer alone",
];

/** A server that gives the unusual answer to every open question. */
export function contrarian(variations: readonly Variation[]): Variation {
  const chosen = unusual.map((name) => {
    const found = variations.find((one) => one.name === name);
    if (found === undefined) throw new Error(`there is no variation that ${name}`);
    return found;
  });
  return variation(
    "is contrary: gives every unusual answer at once",
    "each of these answers is lawful, and none excludes another",
    together(...chosen.map(({ change }) => change)),
  );
}
