import type { Request } from "../../../reference-server/http/operation.ts";
import { takingForEvents } from "../../changes/audit-query.ts";
import { answering, mutantsOf, onEach, onFields, onStatus, type Change } from "../../changes/mutant.ts";

/** The same where Discover is charged and the caller cannot pay. */
const onUnpaid = (fields: Record<string, unknown>): Change => ({
  config: { discoverPrice: 0.01 },
  ...onFields("discover", fields, 402),
});

/** Answers 422 to the requests whose body the predicate selects. */
const refusing = <Id extends "discover" | "inspect">(
  id: Id,
  chooses: (body: Request<Id>["body"]) => boolean,
): Change => answering(id, (answer, { body }) => (chooses(body) ? { ...answer, status: 422 } : answer));

export const mutants = mutantsOf({
  "DISC-04": { "returns a negative elapsed_time_ms": onFields("discover", { elapsed_time_ms: -1 }) },
  "DISC-18": {
    "shows no stats for any tool": onEach(["discover", "inspect"], "results", { stats: undefined }),
  },
  "DISC-19": {
    "shows no examples for any tool": onEach(["discover", "inspect"], "results", { examples: undefined }),
  },
  "DISC-31": {
    "refuses a Discover without session_id": refusing(
      "discover",
      ({ session_id: session, query }) => session === undefined && query === "data",
    ),
  },
  "DISC-40": {
    "answers a Discover with 202": onStatus("discover", 200, 202),
  },
  "DISC-43": {
    "refuses an unpaid Discover without a failure marker": onUnpaid({ search_id: undefined }),
  },
  "DISC-45": {
    "charges a little for every Discover, booked as a refund": takingForEvents("search"),
  },
});
