import type { OperationId } from "../judge/operations.ts";
import type { Rule } from "../judge/rule.ts";
import { found } from "./found.ts";

/** Every rule of the suite, area by area. */
export const rules = await found<Rule>("rules");

const known = new Map<string, readonly Rule[]>();

/** The rules that can have something to say about an operation's answers of one status; all others judge `null`. */
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
