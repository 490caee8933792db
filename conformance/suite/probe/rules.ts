import { fields, holds, about, rule, type Rule } from "../../judge/rule.ts";
import { isFields, type Seen } from "../../judge/seen.ts";

const asks =
  (check: string) =>
  (seen: Seen): boolean =>
    Array.isArray(seen.sent["checks"]) && seen.sent["checks"].includes(check);

const schema = { when: asks("schema") };
const quote = { when: asks("quote") };

/** Their shape is not shown: where the check has no field of its own, the word must stand somewhere in the body. */
const unknownVerdict = (clause: "PROB-05" | "PROB-06", check: string): Rule =>
  rule(clause, `the check ${check} says that it does not know`, (seen) => {
    if (seen.operation !== "probe" || seen.status !== 200 || !asks(check)(seen)) return null;
    const verdict = isFields(seen.body) && check in seen.body ? seen.body[check] : seen.body;
    return holds(
      /unknown/i.test(JSON.stringify(verdict) ?? ""),
      `an unknown verdict of the check ${check}`,
      verdict,
    );
  });

/** The Probe response; each part as soon as the request asks for it by name. */
export const rules: readonly Rule[] = about(
  ["probe"],
  [
    ...fields("probe", 200, [
      ["PROB-01", "schema", ["object"], schema],
      ["PROB-01", "schema.valid", ["boolean"], schema],
      ["PROB-02", "quote", ["object"], quote],
      [
        "PROB-03",
        "quote.estimate_credits",
        ["number", "null"],
        { optional: true, meaning: "at least 0", is: (value) => Number(value) >= 0, ...quote },
      ],
      [
        "PROB-04",
        "quote.currency",
        ["string"],
        { meaning: "credits", is: (value) => value === "credits", ...quote },
      ],
      ["PROB-04", "quote.exact", ["boolean"], quote],
      ["PROB-04", "quote.basis", ["string"], quote],
    ]),
    ...fields("probe", 400, [
      ["PROB-18", "status", ["string"], { meaning: "failure", is: (value) => value === "failure" }],
      ["PROB-18", "message", ["string"]],
    ]),
    unknownVerdict("PROB-05", "coverage"),
    unknownVerdict("PROB-06", "sample"),
  ],
);
