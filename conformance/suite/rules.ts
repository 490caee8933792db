import type { OperationId } from "../../generated/contract.ts";
import { fieldRules } from "../judge/fields.ts";
import type { Rule } from "../judge/rule.ts";
import { found } from "./found.ts";

/** Every rule of the suite: those of the areas, and those for single fields, derived from the spec. */
export const rules: readonly Rule[] = [...(await found<Rule>("rules")), ...fieldRules];

const known = new Map<string, readonly Rule[]>();

/** The rules that can apply to an operation's answers with one status; all others judge `null`. */
export function speakingTo(operation: OperationId | null, status: number): readonly Rule[] {
  const name = `${operation} ${status}`;
  let speaking = known.get(name);
  if (speaking === undefined) {
    speaking = rules.filter(
      ({ operations, statuses }) =>
        (operations === undefined || (operation !== null && operations.includes(operation))) &&
        (statuses === undefined || statuses.includes(status)),
    );
    known.set(name, speaking);
  }
  return speaking;
}
