import type { ClauseId } from "../../../generated/clauses.ts";
import { isA } from "../../judge/expect.ts";
import { missingFrom } from "../../judge/params.ts";
import { rule, type FieldRow, type Judgement, type Rule } from "../../judge/rule.ts";
import { isFields, valuesAt, type Seen } from "../../judge/seen.ts";

/**
 * The fields of a capability result, as Discover and Inspect both answer it.
 * @param when the exchanges whose results have the full shape
 * @param clauseOf which clause a row cites, by the one that Discover's results are judged by
 */
export function capabilityResultRows(
  when: (seen: Seen) => boolean,
  clauseOf: (clause: ClauseId) => ClauseId = (clause) => clause,
): FieldRow[] {
  const full = { when };
  const available = { optional: true, when };
  const rows: FieldRow[] = [
    ["DISC-10", "results.*.name", ["string"], full],
    ["DISC-10", "results.*.description", ["string"], full],
    ["DISC-10", "results.*.provider_name", ["string"], full],
    ["DISC-11", "results.*.params", ["array", "null"], available],
    ["DISC-12", "results.*.params.*.name", ["string", "null"], available],
    ["DISC-12", "results.*.params.*.type", ["string", "null"], available],
    ["DISC-12", "results.*.params.*.description", ["string", "null"], available],
    ["DISC-12", "results.*.params.*.required", ["boolean", "null"], available],
    ["DISC-12", "results.*.params.*.enum", ["array", "null"], available],
    ["DISC-13", "results.*.examples", ["object", "null"], available],
    ["DISC-13", "results.*.examples.sample_parameters", ["object", "null"], available],
    ["DISC-14", "results.*.expected_cost", ["string", "null"], available],
    ["DISC-15", "results.*.billing_rule", ["object", "null"], available],
    ["DISC-15", "results.*.billing_rule.unit", ["string", "null"], available],
    ["DISC-15", "results.*.billing_rule.amount_credits", ["number", "null"], available],
    [
      "DISC-16",
      "results.*.stats.avg_execution_time_ms",
      ["number", "null"],
      { ...available, meaning: "at least 0", is: (value) => Number(value) >= 0 },
    ],
    [
      "DISC-17",
      "results.*.stats.success_rate",
      ["number", "null"],
      { ...available, meaning: "from 0 to 1", is: (value) => Number(value) >= 0 && Number(value) <= 1 },
    ],
  ];
  return rows.map(([clause, ...row]) => [clauseOf(clause), ...row] as const);
}

/** Samples are shapes that keep the contract they stand beside, wherever a result shows both. */
export const sampleRules: Rule[] = [
  rule("DISC-20", "sample parameters keep the tool's required, enum and one-of constraints", (seen) => {
    if ((seen.operation !== "discover" && seen.operation !== "inspect") || seen.status !== 200) return null;
    let judged: Judgement = null;
    for (const { path, value: result } of valuesAt(seen.body, "results.*")) {
      if (!isFields(result) || !Array.isArray(result["params"])) continue;
      const sample = valuesAt(result, "examples.sample_parameters")[0]?.value;
      if (!isA(sample, "object")) continue;
      const missing = missingFrom(sample as Record<string, unknown>, result["params"]);
      if (missing !== null) {
        return { expected: `${path}: sample_parameters with ${missing}`, received: JSON.stringify(sample) };
      }
      judged = true;
    }
    return judged;
  }),
];
