import { about, holds, rule, type Rule } from "../../judge/rule.ts";
import { isFields, type Seen } from "../../judge/seen.ts";

const asks = (seen: Seen, check: string): boolean =>
  Array.isArray(seen.sent["checks"]) && seen.sent["checks"].includes(check);

/** The location of the verdict is open: if the check has no field of its own, the word may be anywhere in the body. */
const unknownVerdict = (clause: "PROB-05" | "PROB-06", check: string): Rule =>
  rule(clause, `the check ${check} returns an unknown verdict`, (seen) => {
    if (seen.operation !== "probe" || seen.status !== 200 || !asks(seen, check)) return null;
    const verdict = isFields(seen.body) && check in seen.body ? seen.body[check] : seen.body;
    return holds(
      /unknown/i.test(JSON.stringify(verdict) ?? ""),
      `an unknown verdict of the check ${check}`,
      verdict,
    );
  });

/** The two checks that may give the verdict unknown. */
export const rules: readonly Rule[] = about(
  ["probe"],
  [unknownVerdict("PROB-05", "coverage"), unknownVerdict("PROB-06", "sample")],
);
