import type { Kind } from "../../judge/expect.ts";
import { isFields, type Seen } from "../../judge/seen.ts";
import { capabilityResultRows, sampleRules } from "./capability-result.ts";
import { fields, holds, about, rule, type Rule } from "../../judge/rule.ts";

/** The body of a refusal, whatever its status: a marker, total 0, no results, and of a query or a time it need not tell. */
const isFailure = ({ body }: Seen): boolean =>
  isFields(body) &&
  body["total"] === 0 &&
  Array.isArray(body["results"]) &&
  body["results"].length === 0 &&
  typeof body["error_message"] === "string" &&
  body["error_message"] !== "";
const isSuccess = (seen: Seen): boolean => !isFailure(seen);

/** Cards of `view` routing have a shape of their own. */
const isFull = (seen: Seen): boolean => seen.sent["view"] !== "routing";
const isRouting = (seen: Seen): boolean => seen.sent["view"] === "routing";

/** What a card says under its names the contract does not show. */
const anything: readonly Kind[] = ["string", "number", "boolean", "object", "array", "null"];

const defaultLimit = 20;

const notNegative = { meaning: "at least 0", is: (value: unknown) => Number(value) >= 0 };
const notEmpty = { meaning: "not empty", is: (value: unknown) => value !== "" };

const results = (seen: Seen): unknown[] | null =>
  seen.operation === "discover" &&
  seen.status === 200 &&
  isFields(seen.body) &&
  Array.isArray(seen.body["results"])
    ? seen.body["results"]
    : null;

/** The Discover response and the capability results in it. */
export const rules: readonly Rule[] = about(
  ["discover", "inspect"],
  [
    ...fields("discover", 200, [
      [
        "DISC-01",
        "query",
        ["string"],
        {
          when: isSuccess,
          meaning: "the query that was asked",
          is: (value, seen) => value === seen.sent["query"],
        },
      ],
      ["DISC-02", "search_id", ["string"], notEmpty],
      ["DISC-03", "total", ["integer"], notNegative],
      ["DISC-03", "results", ["array"]],
      ["DISC-04", "elapsed_time_ms", ["number"], { when: isSuccess, ...notNegative }],
      ["DISC-05", "remaining_credits", ["number", "null"]],
      ["DISC-05", "error_message", ["string", "null"], { optional: true }],
      ["DISC-08", "results.*.tool_id", ["string"], notEmpty],
      ...capabilityResultRows(isFull),
      ["DISC-32", "results.*.tool_id", ["string"], { when: isRouting }],
      ["DISC-32", "results.*.capability", anything, { when: isRouting }],
      ["DISC-32", "results.*.cost_class", anything, { when: isRouting }],
      ["DISC-32", "results.*.reliability", anything, { when: isRouting }],
      ["DISC-32", "results.*.as_of_support", anything, { when: isRouting }],
    ]),
    rule("DISC-09", "no tool stands twice in one answer", (seen) => {
      const ids = results(seen)?.map((result) => (isFields(result) ? result["tool_id"] : undefined));
      if (!ids || ids.length === 0) return null;
      const twice = ids.find((id, index) => ids.indexOf(id) !== index);
      return holds(twice === undefined, "each tool_id once", twice);
    }),
    rule("DISC-24", "without a limit at most 20 results are returned", (seen) => {
      const found = results(seen);
      if (found === null || (seen.sent["limit"] ?? null) !== null) return null;
      return holds(found.length <= defaultLimit, `at most ${defaultLimit} results`, found.length);
    }),
    rule("DISC-25", "at most limit results are returned", (seen) => {
      const found = results(seen);
      const limit = seen.sent["limit"];
      if (found === null || typeof limit !== "number") return null;
      return holds(found.length <= limit, `at most ${limit} results`, found.length);
    }),
    ...fields("discover", 429, [
      ["DISC-44", "status_code", ["integer"], { meaning: "429", is: (value) => value === 429 }],
      ["DISC-44", "message", ["string"]],
    ]),
    ...sampleRules,
  ],
);
