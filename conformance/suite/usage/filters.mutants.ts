import { asking, ignoring, isOlder, misread, taking } from "../../changes/audit-query.ts";
import { mutantsOf, together } from "../../changes/mutant.ts";
import { onList } from "./mutants.ts";

const id = "listUsage";

/** Mutants of what the list selects. */
export const mutants = mutantsOf({
  "USAG-50": {
    "ignores the time zone of start_date": taking(id, "start_date", misread.zoneless),
    "ignores the time zone of end_date": taking(id, "end_date", misread.zoneless),
  },
  "USAG-57": {
    "selects nothing by billable_success": together(
      ...(["listUsage", "listUsageFeed", "exportUsage"] as const).map((read) =>
        asking(read, (query) =>
          query["billable_success"] === undefined ? query : { ...query, execution_id: "no-such-execution" },
        ),
      ),
    ),
  },
  "USAG-67": {
    "ignores execution_id": ignoring(id, "execution_id"),
    "does not find a Call by its execution_id after an hour": onList((items, query) =>
      query.has("execution_id") ? items.filter((item) => !isOlder(item, 3_600_000)) : items,
    ),
  },
});
