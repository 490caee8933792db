import { fields, type Rule } from "../rule.ts";
import type { Seen } from "../seen.ts";
import { capabilityResultRows } from "./capability-result.ts";

/** `view` lean trims what stands beside the ids. */
const isLean = (seen: Seen): boolean => seen.sent["view"] === "lean";
const isFull = (seen: Seen): boolean => !isLean(seen);

const notNegative = { meaning: "at least 0", is: (value: unknown) => Number(value) >= 0 };
const notEmpty = { meaning: "not empty", is: (value: unknown) => value !== "" };

/** The Inspect response and the capability results in it. */
export const inspectFields: Rule[] = fields("inspect", 200, [
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
]);
