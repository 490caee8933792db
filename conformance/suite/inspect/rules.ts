import { shown } from "../../judge/expect.ts";
import { fields, holds, about, rule, type Rule } from "../../judge/rule.ts";
import { memberOf, valuesAt, type Seen } from "../../judge/seen.ts";
import { capabilityResultRows } from "../discover/capability-result.ts";

/** `view` lean trims what stands beside the ids. */
const isLean = (seen: Seen): boolean => seen.sent["view"] === "lean";
const answered = (seen: Seen): boolean => seen.operation === "inspect" && seen.status === 200;
const isFull = (seen: Seen): boolean => !isLean(seen);

const notNegative = { meaning: "at least 0", is: (value: unknown) => Number(value) >= 0 };
const notEmpty = { meaning: "not empty", is: (value: unknown) => value !== "" };

/** The Inspect response and the capability results in it. */
export const rules: readonly Rule[] = about(
  ["inspect"],
  [
    ...fields("inspect", 200, [
      ["INSP-01", "search_id", ["string"]],
      ["INSP-01", "total", ["integer"], notNegative],
      ["INSP-01", "results", ["array"]],
      ["INSP-02", "elapsed_time_ms", ["number", "null"], { optional: true, ...notNegative }],
      ["INSP-03", "remaining_credits", ["number", "null"]],
      ["INSP-03", "error_message", ["string", "null"], { optional: true }],
      ["INSP-04", "results.*.tool_id", ["string"], { ...notEmpty, when: isFull }],
      ["INSP-11", "results.*.tool_id", ["string"], { ...notEmpty, when: isLean }],
      ["INSP-13", "results.*.params", ["array"], { when: isFull }],
      ...capabilityResultRows(isFull, () => "INSP-04").filter(([, path]) => path !== "results.*.params"),
    ]),
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
