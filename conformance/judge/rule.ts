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

/** `null`: the rule has nothing to say about this exchange. `true`: the exchange keeps it. */
export type Judgement = null | true | Breach;

/** An obligation that every exchange can be held to, whoever made it. Pure. */
export interface Rule {
  id: string;
  /** The obligations that it holds; a reading's id where the profile promises an answer to it. */
  clauses: readonly (ClauseId | ReadingId)[];
  title: string;
  judge: (seen: Seen) => Judgement;
  /** The operations on whose answers it can have something to say; any unless told. */
  operations?: readonly OperationId[];
  /** The statuses on which it can have something to say; any unless told. */
  statuses?: readonly number[];
  /** What a row of a field table asks for; absent on other rules. */
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

/** A rule that can have something to say about answers of some statuses only. */
export const onStatus = (statuses: readonly number[], one: Rule): Rule => ({ ...one, statuses });

/** Rules that can have something to say about some operations only. A rule that names its own keeps them. */
export const about = (operations: readonly OperationId[], rules: readonly Rule[]): readonly Rule[] =>
  rules.map((one) => ({ operations, ...one }));

/** The breach, unless it holds. */
export const holds = (held: boolean, expected: string, received: unknown): Judgement =>
  held || { expected, received: received === undefined ? "nothing" : shown(received) };

/** A field of a body: its clause, its path (`*` for every member of a list), its kinds, and what else it must be. */
export type FieldRow = readonly [
  clause: ClauseId,
  path: string,
  kinds: readonly Kind[],
  more?: {
    /** The field may be left out. */
    optional?: boolean;
    /** What else must hold of a value that is not null; `meaning` completes "expected PATH …". */
    meaning?: string;
    is?: (value: unknown, seen: Seen) => boolean;
    /** The exchanges on which the row has something to say, among those of the operation and status. */
    when?: (seen: Seen) => boolean;
  },
];

/** The rules for the fields of one operation's body, a row each. */
export function fields(
  operation: OperationId | readonly OperationId[],
  status: number,
  rows: readonly FieldRow[],
): Rule[] {
  const among: readonly OperationId[] = typeof operation === "string" ? [operation] : operation;
  /** What a clause says twice of one path, under different conditions, is told apart by the kinds. */
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
          // Nearly all is kept, under a load: where it stands is told apart only for what is not.
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

/** Whether all values at a path are what their row asks for; null where there is none to be held against it. */
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
