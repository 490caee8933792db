import { isA } from "../../judge/expect.ts";
import { missingFrom } from "../../judge/params.ts";
import { rule, type Judgement, type Rule } from "../../judge/rule.ts";
import { isFields, valueAt, valuesAt } from "../../judge/seen.ts";

/** Samples satisfy the contract next to them, wherever a result shows both. */
export const sampleRules: Rule[] = [
  rule("DISC-20", "sample parameters keep the tool's required, enum and one-of constraints", (seen) => {
    if ((seen.operation !== "discover" && seen.operation !== "inspect") || seen.status !== 200) return null;
    let judged: Judgement = null;
    for (const { path, value: result } of valuesAt(seen.body, "results.*")) {
      if (!isFields(result) || !Array.isArray(result["params"])) continue;
      const sample = valueAt(result, "examples.sample_parameters");
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
