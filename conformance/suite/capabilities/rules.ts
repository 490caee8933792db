import { isFields, type Seen } from "../../judge/seen.ts";
import { fields, holds, about, rule, type Rule } from "../../judge/rule.ts";

const succeeded = (seen: Seen): boolean => isFields(seen.body) && seen.body["success"] === true;
const notNegative = { meaning: "at least 0", is: (value: unknown) => Number(value) >= 0 };
const notEmpty = { meaning: "not empty", is: (value: unknown) => value !== "" };

const askedFor = (seen: Seen): string => {
  const last = new URL(seen.exchange.request.url).pathname.split("/").at(-1)!;
  return decodeURIComponent(last);
};

/** The answers of capability query and capability detail. */
export const rules: readonly Rule[] = about(
  ["queryCapability", "getCapability"],
  [
    ...fields("queryCapability", 200, [
      ["CAPA-01", "execution_id", ["string"], notEmpty],
      [
        "CAPA-01",
        "capability_id",
        ["string"],
        { meaning: "the one that was asked for", is: (value, seen) => value === seen.sent["capability_id"] },
      ],
      ["CAPA-01", "success", ["boolean"]],
      ["CAPA-02", "result", ["object"], { when: succeeded }],
      ["CAPA-02", "result.status_code", ["integer"], { when: succeeded }],
      [
        "CAPA-02",
        "result.data",
        ["object", "array", "string", "number", "boolean", "null"],
        { when: succeeded },
      ],
      ["CAPA-03", "contract_version", ["integer", "null"], { optional: true }],
      [
        "CAPA-04",
        "schema_hash",
        ["string", "null"],
        { optional: true, meaning: "64 characters", is: (value) => String(value).length === 64 },
      ],
      ["CAPA-05", "cost", ["number"], notNegative],
      ["CAPA-05", "credits_used", ["number"], notNegative],
      ["CAPA-05", "remaining_credits", ["number"]],
    ]),
    ...fields("getCapability", 200, [
      [
        "CAPA-20",
        "capability_id",
        ["string"],
        { meaning: "the one that was asked for", is: (value, seen) => value === askedFor(seen) },
      ],
      ["CAPA-20", "name", ["string"]],
      ["CAPA-20", "description", ["string"]],
      ["CAPA-20", "remaining_credits", ["number"]],
      ["CAPA-21", "contract_version", ["integer", "null"], { optional: true }],
      ["CAPA-21", "schema_hash", ["string", "null"], { optional: true, ...notEmpty }],
    ]),
    rule("CAPA-09", "credits_used is not more than max_credits", (seen) => {
      if (seen.operation !== "queryCapability" || seen.status !== 200 || !isFields(seen.body)) return null;
      const { credits_used: used } = seen.body;
      const { max_credits: most } = seen.sent;
      if (typeof used !== "number" || typeof most !== "number") return null;
      return holds(used <= most + 1e-9, `credits_used: at most ${most}`, used);
    }),
    rule("CAPA-22", "contract_version and schema_hash are both there, or neither is", (seen) => {
      if (seen.operation !== "getCapability" || seen.status !== 200 || !isFields(seen.body)) return null;
      const { contract_version: version, schema_hash: hash } = seen.body;
      const given = (value: unknown): boolean => value !== undefined && value !== null;
      return holds(given(version) === given(hash), "both contract_version and schema_hash, or neither", {
        contract_version: version,
        schema_hash: hash,
      });
    }),
  ],
);
