import type { Exchange } from "./exchange.ts";
import type { Choice } from "./observer.ts";
import type { Verdict } from "./verdict.ts";

/** The outcome of one check or rule. */
export interface Finding {
  id: string;
  clauses: readonly string[];
  level: "must" | "should";
  title: string;
  verdict: Verdict;
  /** Why, in a sentence; null when it passed. */
  reason: string | null;
  /** What a list of known failures says of it that keeps it from being accepted, and what to do. */
  note?: string;
  expected: string | null;
  received: string | null;
  /** The profile line that would make it verifiable. */
  remedy: string | null;
  duration_ms: number;
  /** In sending order. For a rule: the exchanges that break it, at most ten. */
  exchanges: Exchange[];
  /** Index into `exchanges` of the one at fault; null when none can be named. */
  culprit: number | null;
  /** Set where a rule made it, not a check: the path of the field that the rule is about, if it is about one. */
  rule?: { field: string | null };
  /** For a rule: the check that sent the exchange at fault; null when none did. */
  sent_by?: string | null;
}

/** The outcome of a run: all checks and rules, and all traffic. */
export interface Run {
  findings: Finding[];
  /** Every exchange of the run, in the order of the answers. */
  exchanges: Exchange[];
  /** The rules that an exchange breaks, by id. */
  broken: ReadonlyMap<Exchange, readonly string[]>;
  /** The server's choices where the contract leaves a question open. */
  choices: Choice[];
  started_at: number;
  duration_ms: number;
  /** Set when the server announces another version of the contract than the one used to judge it. */
  version_note: string | null;
  /** The part of it that checks spent waiting for rate-limit windows, `Retry-After` and late answers. */
  waited_ms: number;
  /** How late the server's books may be, in seconds, and after how many they were seen to be up to date. */
  audit_lag?: { seconds: number; measured?: { rows: number; sums: number } };
  /** Why the server is taken to have gone away in mid-run; null when it stayed. */
  gone: string | null;
  /** Whether it was ended early, so that its verdicts cover only a part. */
  interrupted: boolean;
  /** What was sent, and the credits that it may have cost at the server's stated prices. */
  sent: { requests: number; credits: number };
}
