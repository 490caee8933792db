import type { Exchange } from "./exchange.ts";
import { expectedWords, receivedWords, type Fact } from "./fact.ts";
import { factOf, type Breach } from "./rule.ts";
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
  /** What was expected and received, as data; null where no expectation was missed. */
  fact?: Fact | null;
  /** The same in words. */
  expected: string | null;
  received: string | null;
  /** For a blocked check: the members of an answer that it needed to go on. */
  needed?: readonly string[];
  /** Of the answers that it is about, how many are wrong; absent where that was not counted. */
  share?: Share;
  /** Set where it is set aside: its verdict is then `known`, or `not_applicable` where it is newer than a release. */
  known?: Known;
  /** The fewest requests that show it, where they were asked for. */
  script?: Script;
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

/** Requests that show a failure. */
export interface Script {
  /** Shell commands, which send them with curl. */
  shell: string;
  /** How many requests they send, registrations of accounts included. */
  requests: number;
  /** Whether they were sent again, by new accounts or with a key of the profile that only reads, and showed the same. */
  is_repeated: boolean;
}

/** How many of some answers are wrong. */
export interface Share {
  wrong: number;
  of: number;
}

/** Why a failure is accepted. */
export interface Known {
  /** A list of known failures, the report of the base branch, or the release whose requirements are judged. */
  by: "list" | "base" | "release";
  /** The verdict without that. */
  verdict: Verdict;
  /** The last day on which it may fail, where the list says. */
  until?: string;
  /** The reason that the list gives, or what the release does not judge. */
  reason?: string;
  /** The day since which the base branch fails, or the release. */
  since?: string;
  /** The known failure that blocks it. */
  blocked_by?: string;
}

/** An expectation that was not met, as a finding has it. */
export interface Missed {
  fact: Fact;
  expected: string;
  received: string;
}

/** A breach in words. */
export const wordsOf = (breach: Breach): Pick<Missed, "expected" | "received"> => {
  const { expected, received } = missed(breach);
  return { expected, received };
};

/** A breach as data and in words. */
export function missed(breach: Breach): Missed {
  const fact = factOf(breach);
  return { fact, expected: expectedWords(fact), received: receivedWords(fact) };
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
