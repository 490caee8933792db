import type { ClauseId } from "../../generated/clauses.ts";
import type { OperationId } from "../../generated/contract.ts";
import type { ReadingId } from "../../generated/readings.ts";
import { isA, shown, type Kind } from "./expect.ts";
import { memberOf, stepsOf, valuesAt, type Seen } from "./seen.ts";

/** How an exchange breaks a rule. */
export interface Breach {
  expected: string;
  received: string;
}

/** `null`: the rule does not apply to this exchange. `true`: the exchange satisfies it. */
export type Judgement = null | true | Breach;

/** An obligation that applies to every exchange, whichever check sent it. Pure. */
export interface Rule {
  id: string;
  /** The clauses that it judges; the id of a reading when the profile promises an answer to it. */
  clauses: readonly (ClauseId | ReadingId)[];
  title: string;
  judge: (seen: Seen) => Judgement;
  /** The operations to which it can apply; all by default. */
  operations?: readonly OperationId[];
  /** The statuses to which it can apply; all by default. */
  statuses?: readonly number[];
  /** What a row of a field table requires; absent on other rules. */
  field?: {
    operations: readonly OperationId[];
    status: number;
    path: string;
    kinds: readonly Kind[];
    optional: boolean;
  };
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
export const onStatus = (statuses: readonly number[], one: Rule): Rule => ({ ...one, statuses });

/** Restricts rules to some operations. A rule that names its own operations keeps them. */
export const about = (operations: readonly OperationId[], rules: readonly Rule[]): readonly Rule[] =>
  rules.map((one) => ({ operations, ...one }));

/** The breach, unless the condition holds. */
export const holds = (held: boolean, expected: string, received: unknown): Judgement =>
  held || { expected, received: received === undefined ? "nothing" : shown(received) };

/** A field of a body: its clause, its path (`*` for every member of a list), its kinds, and further requirements. */
export type FieldRow = readonly [
  clause: ClauseId,
  path: string,
  kinds: readonly Kind[],
  more?: {
    /** The field may be absent. */
    optional?: boolean;
    /** What else must hold of a value that is not null; `meaning` completes "expected PATH …". */
    meaning?: string;
    is?: (value: unknown, seen: Seen) => boolean;
    /** Restricts the row to some exchanges of the operation and status. */
    when?: (seen: Seen) => boolean;
  },
];

/** The rules for the fields of an operation's body, one per row. */
export function fields(
  operation: OperationId | readonly OperationId[],
  status: number,
  rows: readonly FieldRow[],
): Rule[] {
  const among: readonly OperationId[] = typeof operation === "string" ? [operation] : operation;
  /** A clause with two rows for one path, under different conditions, tells them apart by their kinds. */
  const nameOf = ([clause, path, kinds]: FieldRow): string => {
    const alike = rows.filter((row) => row[0] === clause && row[1] === path);
    const parts = [among[0], status, path.replaceAll("*", "each"), ...(alike.length > 1 ? kinds : [])];
    return parts.join("-");
  };
  return rows.map((row) => {
    const [clause, path, kinds, more = {}] = row;
    const steps = stepsOf(path);
    const wanted = [kinds.join(" or "), more.meaning].filter(Boolean).join(", ");
    return {
      operations: among,
      statuses: [status],
      field: { operations: among, status, path, kinds, optional: more.optional ?? false },
      ...rule(
        clause,
        `${path} of ${among.join(", ")} ${status}: ${wanted}`,
        (seen) => {
          if (seen.status !== status || seen.operation === null || !among.includes(seen.operation))
            return null;
          if (more.when && !more.when(seen)) return null;
          const kept = keptAt(seen.body, steps, 0, row, seen);
          if (kept !== false) return kept;
          // Under load almost every answer passes, so find the offending path only on failure.
          const { path: at, value } = valuesAt(seen.body, path).find((one) => !keeps(one.value, row, seen))!;
          return { expected: `${at}: ${wanted}`, received: value === undefined ? "nothing" : shown(value) };
        },
        nameOf(row),
      ),
    };
  });
}

function keeps(value: unknown, [, , kinds, more]: FieldRow, seen: Seen): boolean {
  if (value === undefined && more?.optional) return true;
  for (const kind of kinds) {
    if (isA(value, kind)) return value === null || !more?.is || more.is(value, seen);
  }
  return false;
}

/** Whether all values at a path satisfy their row; null when there is no value to judge. */
function keptAt(
  value: unknown,
  steps: readonly string[],
  at: number,
  row: FieldRow,
  seen: Seen,
): boolean | null {
  const step = steps[at];
  if (step === undefined) return value === undefined && row[3]?.optional ? null : keeps(value, row, seen);
  if (step !== "*") return keptAt(memberOf(value, step), steps, at + 1, row, seen);
  if (!Array.isArray(value)) return null;
  let kept: boolean | null = null;
  for (const member of value) {
    const one = keptAt(member, steps, at + 1, row, seen);
    if (one === false) return false;
    kept ??= one;
  }
  return kept;
}
