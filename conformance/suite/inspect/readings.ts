import { observe, type Observer } from "../../judge/observer.ts";
import { isFields, memberOf } from "../../judge/seen.ts";

const lean: readonly string[] = ["tool_id", "name", "params", "billing_rule", "expected_cost"];

export const observers: readonly Observer[] = [
  observe("R-021", "inspect", ({ status, body, sent }) => {
    const results = memberOf(body, "results");
    if (status !== 200 || sent["view"] !== "lean" || !Array.isArray(results) || results.length === 0)
      return null;
    const keeps = (result: unknown): boolean =>
      isFields(result) && Object.keys(result).every((name) => lean.includes(name));
    return results.every(keeps) ? "contract" : "other";
  }),
];
