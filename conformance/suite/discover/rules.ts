import { operations } from "../../../generated/contract.ts";
import { holds, about, rule, type Rule } from "../../judge/rule.ts";
import { isFields, memberOf, type Seen } from "../../judge/seen.ts";
import { sampleRules } from "./capability-result.ts";

const { limit } = operations.discover.body;

const results = (seen: Seen): unknown[] | null =>
  seen.operation === "discover" &&
  seen.status === 200 &&
  isFields(seen.body) &&
  Array.isArray(seen.body["results"])
    ? seen.body["results"]
    : null;

/** The rules that relate Discover's results to the query and its limit. */
export const rules: readonly Rule[] = about(
  ["discover", "inspect"],
  [
    rule("DISC-46", "a Discover repeats the query that was asked", (seen) => {
      if (!results(seen)?.length || !isFields(seen.body)) return null;
      return holds(seen.body["query"] === seen.sent["query"], "the query that was asked", seen.body["query"]);
    }),
    rule("DISC-06", "total counts at least the results returned", (seen) => {
      const count = results(seen)?.length;
      const total = memberOf(seen.body, "total");
      if (count === undefined || typeof total !== "number") return null;
      return holds(total >= count, `a total of at least ${count}`, total);
    }),
    rule("DISC-09", "no tool appears twice in one answer", (seen) => {
      const ids = results(seen)?.map((result) => (isFields(result) ? result["tool_id"] : undefined));
      if (!ids || ids.length === 0) return null;
      const twice = ids.find((id, index) => ids.indexOf(id) !== index);
      return holds(twice === undefined, "each tool_id once", twice);
    }),
    rule("DISC-24", `without a limit at most ${limit.default} results are returned`, (seen) => {
      const found = results(seen);
      if (found === null || (seen.sent["limit"] ?? null) !== null) return null;
      return holds(found.length <= limit.default, `at most ${limit.default} results`, found.length);
    }),
    rule("DISC-25", "at most limit results are returned", (seen) => {
      const found = results(seen);
      const most = seen.sent["limit"];
      if (found === null || typeof most !== "number") return null;
      return holds(found.length <= most, `at most ${most} results`, found.length);
    }),
    ...sampleRules,
  ],
);
