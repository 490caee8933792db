import { isFields, type Seen } from "../../judge/seen.ts";
import { fields, holds, about, rule, type Rule } from "../../judge/rule.ts";

export const callSucceeded = (seen: Seen): boolean => isFields(seen.body) && seen.body["success"] === true;

/** Whether the Call asked for a projection: `summary` or `fields:`. */
export const isProjected = (seen: Seen): boolean => {
  const mode = seen.sent["respond_with"];
  return mode !== undefined && mode !== null && mode !== "full";
};

const executed = { when: callSucceeded };
const whole = { when: (seen: Seen) => callSucceeded(seen) && !isProjected(seen) };
const notNegative = { meaning: "at least 0", is: (value: unknown) => Number(value) >= 0 };
const hasBilling = (seen: Seen): boolean => isFields(seen.body) && isFields(seen.body["billing"]);

/** The Call response. */
export const rules: readonly Rule[] = about(
  ["call"],
  [
    ...fields("call", 200, [
      [
        "CALL-01",
        "execution_id",
        ["string"],
        { ...executed, meaning: "not empty", is: (value) => value !== "" },
      ],
      ["CALL-03", "success", ["boolean"]],
      ["CALL-04", "result", ["object"], executed],
      ["CALL-05", "error_message", ["string", "null"], { optional: true }],
      ["CALL-08", "execution_time", ["number"], { ...whole, ...notNegative }],
      ["CALL-09", "elapsed_time_ms", ["number", "null"], { optional: true, ...notNegative }],
      ["CALL-11", "billing", ["object", "null"], { optional: true }],
      ["CALL-11", "billing.summary", ["string"], { when: hasBilling }],
      ["CALL-11", "billing.list_amount_credits", ["number"], { when: hasBilling, ...notNegative }],
      ["CALL-12", "cost", ["number"], whole],
      ["CALL-13", "remaining_credits", ["number", "null"], whole],
    ]),
    ...fields("call", 402, [
      ["CALL-38", "success", ["boolean"], { meaning: "false", is: (value) => value === false }],
      [
        "CALL-38",
        "error_message",
        ["string"],
        { meaning: "not blank", is: (value) => /\S/.test(String(value)) },
      ],
      ["CALL-39", "remaining_credits", ["number"], { meaning: "0", is: (value) => value === 0 }],
    ]),
    rule("CALL-06", "a Call response that says success false says why", (seen) => {
      if (seen.operation !== "call" || !isFields(seen.body) || seen.body["success"] !== false) return null;
      const message = seen.body["error_message"];
      return holds(
        typeof message === "string" && message.trim() !== "",
        "error_message: a string that says what failed",
        message,
      );
    }),
  ],
);
