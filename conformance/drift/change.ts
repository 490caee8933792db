import { canonical } from "./json.ts";
import type { Kind } from "./kinds.ts";

/**
 * What a change means to a client that was written for the old contract.
 * - `breaking`: a client that is right by the old contract can be refused, or meets an answer that it was told cannot be.
 * - `risky`: it depends on the client, or on a judgement that only a person can make.
 * - `safe`: no client that is right by the old contract can notice to its harm.
 */
export type ChangeClass = "breaking" | "risky" | "safe";

export const changeClasses = ["breaking", "risky", "safe"] as const satisfies ChangeClass[];

/** A line of a file, counted from 1; the file as a path from the working folder, or as `revision:path`. */
export interface Place {
  file: string;
  line: number;
}

/** One difference between two contracts, or between a contract and a server. */
export interface Change {
  kind: Kind;
  class: ChangeClass;
  /** Which direction it concerns: what clients send, what servers answer, or the contract as a whole. */
  side: "request" | "answer" | "contract";
  /** The operations that it touches; empty where it is none's. */
  operations: string[];
  /** Where it is, in words: `answer 200: data.items.*.charge_outcome`. */
  where: string;
  /** What stood there, as short text; null when there was nothing. */
  old: string | null;
  /** What stands there now, as short text; null when there is nothing. */
  new: string | null;
  /** Why it has its class. */
  why: string;
  /** The line of the new files nearest to it; null when it cannot be told. */
  at: Place | null;
  /** The line of the old files; null when there was none. */
  was_at: Place | null;
  /** The other places where the same happens, when it is told once for all of them. */
  also: { where: string; operations: string[]; at: Place | null }[];
  /**
   * The recorded exchanges that it would have broken, each as `FILE entry N: METHOD PATH, status`; null when it was held
   * against none.
   */
  traffic: string[] | null;
  /** Why it does not count, when the policy ignores it. */
  ignored: { reason: string; expires: string } | null;
}

/** What a command of drift found. */
export interface DriftReport {
  command: "generated" | "spec" | "live";
  old: string;
  new: string;
  old_version: string | null;
  new_version: string | null;
  changes: Change[];
  /** What could not be compared, and why; what of the policy was not needed. */
  notes: string[];
}

const longest = 200;

/** A value of a document as short text for a reader; null for nothing. */
export function shownValue(value: unknown): string | null {
  if (value === undefined) return null;
  const text = typeof value === "string" ? value : canonical(value, longest);
  return text.length > longest ? `${text.slice(0, longest - 1)}…` : text;
}

/** How often each class occurs among the changes that count. */
export function countsOf(changes: readonly Change[]): Record<ChangeClass | "ignored", number> {
  const counts = { breaking: 0, risky: 0, safe: 0, ignored: 0 };
  for (const change of changes) counts[change.ignored ? "ignored" : change.class] += 1;
  return counts;
}
