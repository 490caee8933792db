import { clauses, type ClauseId } from "../../generated/clauses.ts";
import { limitedOperations, operations, type LimitedOperation } from "../../generated/contract.ts";
import type { Found } from "../judgement.ts";
import type { Observation, Skew } from "./observation.ts";
import type { Track, WindowKind } from "./kind.ts";

/** The declared windows of a run. */
export interface Declared {
  quotas: Readonly<Record<LimitedOperation, number>>;
  windowSeconds: number;
}

/** One account on one operation, under judgement. */
export interface Case extends Declared {
  track: Track;
  /** The tracks of the other accounts on the same operation. */
  others: readonly Track[];
  kind: WindowKind;
  skew: Skew;
  operation: LimitedOperation;
  quota: number;
  /** Length of a window in milliseconds. */
  length: number;
  find: (found: Found) => void;
}

/** The clause of each operation's quota: the one that quotes its row of the contract's table. */
export const quotaClause = Object.fromEntries(
  limitedOperations.map((operation) => {
    const { method, path, rateLimit } = operations[operation];
    const row = `${method} ${path} | ${rateLimit.requests} requests/minute`;
    const clause = clauses.find(({ quote }) => (quote as readonly string[]).includes(row));
    if (clause === undefined) throw new Error(`no clause quotes the quota of ${operation}: ${row}`);
    return [operation, clause.id];
  }),
) as Readonly<Record<LimitedOperation, ClauseId>>;

/** Tolerance in milliseconds at the end of a window. */
export const edge = 50;

/** The exchanges shown with a finding. */
export const shown = (observations: readonly Observation[]) =>
  observations.slice(0, 3).map(({ exchange }) => exchange);

/** Groups answers by their Reset; with fixed windows, each group is one window. */
export const windowsOf = (track: Track): Observation[][] => [
  ...Map.groupBy(
    track.filter(({ reset }) => reset !== null),
    ({ reset }) => reset,
  ).values(),
];

/** Whether windows follow each other without overlap. */
export const isFixed = (kind: WindowKind): boolean => kind !== "sliding" && kind !== "unknown";
