import type { ClauseId } from "../../generated/clauses.ts";
import type { OperationId } from "../../generated/contract.ts";
import type { ReadingId } from "../../generated/readings.ts";
import { condition, type Fact } from "./fact.ts";
import type { Seen } from "./seen.ts";

/** How an exchange breaks a rule: as data, or as a condition in words. */
export type Breach = Fact | { expected: string; received: string };

/** A breach as data. */
export const factOf = (breach: Breach): Fact =>
  "kind" in breach ? breach : condition(breach.expected, breach.received);

/** `null`: the rule does not apply to this exchange. `true`: the exchange satisfies it. */
export type Judgement = null | true | Breach;

/** An obligation that applies to every exchange, whichever check sent it. Pure. */
export interface Rule {
  id: string;
  /** The clauses that it judges; the id of a reading when the profile promises an answer to it. */
  clauses: readonly (ClauseId | ReadingId)[];
  title: string;
  judge: (seen: Seen) => Judgement;
  /** Applies only where the profile does not declare this feature off. */
  feature?: "rate_limits";
  /** The operations to which it can apply; all by default. */
  operations?: readonly OperationId[];
  /** The statuses to which it can apply; all by default. */
  statuses?: readonly number[];
  /** For the rule of one promised field: its path, with `each` for the members of a list. */
  field?: string;
}

/** Declares a rule; its id is the clause and the word `always`, or `name` where a clause has several. */
export function rule(
  clauses: ClauseId | readonly ClauseId[],
  title: string,
  judge: Rule["judge"],
  name = "always",
): Rule {
  const list: readonly ClauseId[] = typeof clauses === "string" ? [clauses] : clauses;
  return { id: `${list[0]}/${name}`, clauses: list, title, judge };
}

/** A rule restricted to answers of some statuses. */
export const onStatus = (statuses: readonly number[], rule: Rule): Rule => ({
  ...rule,
  statuses,
  judge: (seen) => (statuses.includes(seen.status) ? rule.judge(seen) : null),
});

/** Restricts rules to some operations. A rule that names its own operations keeps them. */
export const about = (operations: readonly OperationId[], rules: readonly Rule[]): readonly Rule[] =>
  rules.map((rule) => ({ operations, ...rule }));

/** The breach, unless the condition holds. */
export const holds = (
  held: boolean,
  expected: string,
  received: unknown,
  about: Partial<Fact> = {},
): Judgement => held || condition(expected, "", { received: { value: received }, ...about });

/** Looks up the rules that can apply to an operation's answers with one status; all others judge `null`. */
export function speakingOf(
  rules: readonly Rule[],
): (operation: OperationId | null, status: number) => readonly Rule[] {
  const known = new Map<string, readonly Rule[]>();
  return (operation, status) => {
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
  };
}
