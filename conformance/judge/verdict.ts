import type { Exchange } from "./exchange.ts";
import { expectedWords, receivedWords, type Fact } from "./fact.ts";

/**
 * The verdict of a check.
 * - `pass`, `fail`: the server meets its obligation, or does not; `warn`: it does not meet a `should`.
 * - `not_applicable`: the profile declares the feature off, with its reason.
 * - `unverified`: the check lacks something it needs; always listed, never green.
 * - `known`: it fails as a list or the base branch says.
 * - `blocked`: something the check builds on failed. `error`: a fault of the suite itself.
 */
export type Verdict =
  "pass" | "fail" | "warn" | "not_applicable" | "unverified" | "blocked" | "known" | "error";

export const verdicts = [
  "pass",
  "fail",
  "warn",
  "unverified",
  "blocked",
  "known",
  "not_applicable",
  "error",
] as const satisfies Verdict[];

/** Whether something needs to be fixed, or keeps something else from being judged. */
export const isRed = (verdict: Verdict): boolean => ["fail", "warn", "blocked", "error"].includes(verdict);

/** The server violates a clause. The only error that turns a check red. */
export class Unmet extends Error {
  readonly fact: Fact;
  readonly exchange: Exchange | undefined;

  constructor(fact: Fact, exchange?: Exchange) {
    super(`expected ${expectedWords(fact)}, received ${receivedWords(fact)}`);
    this.fact = fact;
    this.exchange = exchange;
  }
}

/** A precondition of the check failed, so nothing can be said about its clause. */
export class Blocked extends Error {
  readonly exchange: Exchange | undefined;

  constructor(reason: string, exchange?: Exchange) {
    super(reason);
    this.exchange = exchange;
  }
}

/** Something is missing that only the profile can supply; `remedy` is the profile line that supplies it. */
export class Unverifiable extends Error {
  readonly remedy: string | undefined;

  constructor(reason: string, remedy?: string) {
    super(reason);
    this.remedy = remedy;
  }
}

/** The profile declares that the server does not have what the check needs; the message is its reason. */
export class NotThere extends Unverifiable {}
