import { together, variation, type Variation } from "../../changes/mutant.ts";

/** Unusual answers that can be combined; if a question has several, the one least distinguishable from others. */
const unusual = [
  "marks one-of groups with the names of their parameters",
  "returns null for remaining_credits in Inspect",
  "refuses an Inspect of an unknown tool_id",
  "shows the query as it was interpreted",
  "replays the elapsed time of an earlier search",
  "replays the execution_time of an earlier execution",
  "shows full_content_file_url next to an untruncated result",
  "writes content_schema in draft-07",
  "orders the members of a payload differently from its file",
  "writes the statistics of a summary as a list",
  "gives coverage and sample verdicts in its own words",
  "refuses Discover to an account without credits with 402, although Discover is free",
  "returns an empty query in the failure body of Discover",
  "shapes the 401 of Inspect, Probe and capability routing differently",
  "describes 422 errors with different types and no input",
  "answers every invalid query with 400 and status_code -7",
  "treats an event_id that is not a UUID as unknown",
  "numbers its ledger entries",
  "writes the credits of a ledger summary as decimal strings",
  "writes max_amount_items in words",
  "starts the weeks of a ledger summary on Sunday",
  "gives the fields of credits, credits spent and readiness different names",
  "uses numbers as feed cursors and nests them",
  "exports the oldest row first",
  "echoes the token that it was asked to verify",
  "ends a claim after its first wrong code",
  "returns only the trial account fields that the contract names",
  "reports the validity of a token only as a deeply nested number",
  "charges Calls that fail at the provider, subject to review",
  "settles every charge at half its list price",
  "charges nothing for a summary",
  "links an event to its ledger entry a moment after it shows the event",
  "records two usage events for each Discover",
  "sends X-RateLimit headers only on every other answer",
];

/** A server that gives the unusual answer to every open question. */
export function contrarian(variations: readonly Variation[]): Variation {
  const chosen = unusual.map((name) => {
    const match = variations.find((variation) => variation.name === name);
    if (match === undefined) throw new Error(`there is no variation that ${name}`);
    return match;
  });
  return variation(
    "gives every unusual answer at once",
    "each of these answers is lawful, and none excludes another",
    together(...chosen.map(({ change }) => change)),
  );
}
