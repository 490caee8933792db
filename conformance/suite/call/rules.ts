import { about, holds, rule, type Rule } from "../../judge/rule.ts";
import { isFields, type Seen } from "../../judge/seen.ts";

export const callSucceeded = (seen: Seen): boolean => isFields(seen.body) && seen.body["success"] === true;

/** The content of a failed Call's answer, whatever its status. */
export const rules: readonly Rule[] = about(
  ["call"],
  [
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
