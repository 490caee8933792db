import { shown } from "../../judge/expect.ts";
import { holds, about, rule, type Rule } from "../../judge/rule.ts";
import { memberOf, valuesAt, type Seen } from "../../judge/seen.ts";

const answered = (seen: Seen): boolean => seen.operation === "inspect" && seen.status === 200;

/** The rules that relate Inspect's results to the requested ids. */
export const rules: readonly Rule[] = about(
  ["inspect"],
  [
    rule("INSP-08", "no tool is returned that was not asked for", (seen) => {
      const asked = seen.sent["tool_ids"];
      if (!answered(seen) || !Array.isArray(asked)) return null;
      const stray = valuesAt(seen.body, "results.*.tool_id").find(
        ({ value }) => typeof value === "string" && !asked.includes(value),
      );
      return holds(stray === undefined, `results among ${shown(asked)}`, stray?.value);
    }),
    rule("INSP-10", "an Inspect repeats the search_id that it was given", (seen) => {
      const given = seen.sent["search_id"];
      if (!answered(seen) || typeof given !== "string" || given === "") return null;
      return holds(memberOf(seen.body, "search_id") === given, given, memberOf(seen.body, "search_id"));
    }),
  ],
);
