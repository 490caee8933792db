import type { Exchange } from "./exchange.ts";
import type { Choice } from "./observer.ts";
import type { Verdict } from "./verdict.ts";

/** What came of one check or of one rule. */
export interface Finding {
  id: string;
  clauses: readonly string[];
  level: "must" | "should";
  title: string;
  verdict: Verdict;
  /** Why, in a sentence; null when it passed. */
  reason: string | null;
  expected: string | null;
  received: string | null;
  /** The profile line that would let it be verified. */
  remedy: string | null;
  duration_ms: number;
  /** In the order in which they were sent; of a rule, those that break it, at most ten. */
  exchanges: Exchange[];
  /** The exchange that disappointed, as its index above; null when none can be named. */
  culprit: number | null;
  /** Of a rule: the check that sent the exchange at fault; null when none did. */
  sent_by?: string | null;
}

/** What came of one run: every check and rule, and everything that crossed the wire. */
export interface Run {
  findings: Finding[];
  /** Every exchange of the run, in the order in which answers came. */
  exchanges: Exchange[];
  /** What the server chose where the contract leaves it open. */
  choices: Choice[];
  started_at: number;
  duration_ms: number;
  /** Set when the server announces another version of the contract than it was judged by. */
  version_note: string | null;
  /** Of these, those in which checks waited: for rate-limit windows, `Retry-After` and late answers. */
  waited_ms: number;
}
