import { clauses, type ClauseId } from "../../generated/clauses.ts";
import { limitedOperations, type LimitedOperation } from "../../generated/contract.ts";
import type { Exchange } from "../judge/exchange.ts";
import type { Fact } from "../judge/fact.ts";
import type { Fault } from "../judge/fault.ts";
import type { KindSeen } from "./kind.ts";
import type { Limiter } from "./limiters.ts";
import type { Observation, Offset } from "./observation.ts";
import type { Track } from "./times.ts";

/** The limits that a server declares. */
export interface Declared {
  quotas: Readonly<Record<LimitedOperation, number>>;
  windowSeconds: number;
}

/** One account on one operation, under judgement: its declared limiter, and what was observed. */
export interface Case extends Limiter {
  operation: LimitedOperation;
  account: string;
  track: Track;
  /** The other tracks of the run. */
  others: readonly Track[];
  kind: KindSeen;
  offset: Offset;
}

/** A fault of the server, as one track shows it. */
export interface LimitFault extends Fault {
  verdict?: "fail" | "warn";
  count?: number;
  /** The clause whose rule of a single answer says the same in other words. */
  insteadOf?: ClauseId;
  /** The answers that show it. */
  shown: readonly Observation[];
}

/** A fault with the operations that have it. */
export interface LimitFinding extends Omit<LimitFault, "shown"> {
  count: number;
  exchanges: Exchange[];
}

/** The clause of each operation's quota: the one about this operation only. */
export const quotaClause = Object.fromEntries(
  limitedOperations.map((operation) => {
    const clause = clauses.find(
      ({ area, ...entry }) => area === "limits" && "operation" in entry && entry.operation === operation,
    );
    if (clause === undefined) throw new Error(`no clause is about the quota of ${operation}`);
    return [operation, clause.id];
  }),
) as Readonly<Record<LimitedOperation, ClauseId>>;

/** What is known of a fault in a header. */
export const inHeader = (place: string): Pick<Fact, "kind" | "place"> => ({ kind: "header", place });

/** Milliseconds as seconds, for people. */
export const inSeconds = (ms: number): string => `${(ms / 1000).toFixed(ms % 1000 === 0 ? 0 : 1)} s`;

/** The times between which some requests were sent and answered. */
export function spanOf(observations: readonly Observation[]): string {
  const from = Math.min(...observations.map(({ sentAt }) => sentAt));
  const to = Math.max(...observations.map(({ answeredAt }) => answeredAt));
  return `from ${timeOf(from)} to ${timeOf(to)}`;
}

/** The time of day, in UTC. */
export const timeOf = (at: number): string => new Date(at).toISOString().slice(11, 23);
