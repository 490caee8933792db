import type { Exchange } from "./exchange.ts";

/**
 * What a check found.
 * - `pass`, `fail`: the server keeps its obligation, or does not; `warn`: it does not keep a `should`.
 * - `not_applicable`: the profile declares the feature off, with its reason.
 * - `unverified`: something that the check needs is not given; listed, never green.
 * - `blocked`: what the check builds on failed. `error`: the suite's own fault.
 */
export type Verdict = "pass" | "fail" | "warn" | "not_applicable" | "unverified" | "blocked" | "error";

export const verdicts = [
  "pass",
  "fail",
  "warn",
  "unverified",
  "blocked",
  "not_applicable",
  "error",
] as const satisfies Verdict[];

/** The server did not do what a clause obliges it to. The only error that makes a check red. */
export class Unmet extends Error {
  readonly expected: string;
  readonly received: string;
  readonly exchange: Exchange | undefined;

  constructor(expected: string, received: string, exchange?: Exchange) {
    super(`expected ${expected}, received ${received}`);
    this.expected = expected;
    this.received = received;
    this.exchange = exchange;
  }
}

/** What a check builds on did not work, so that nothing can be said about its clause. */
export class Blocked extends Error {
  readonly exchange: Exchange | undefined;

  constructor(reason: string, exchange?: Exchange) {
    super(reason);
    this.exchange = exchange;
  }
}

/** Something is missing that only the profile can give; `remedy` is the profile line that would. */
export class Unverifiable extends Error {
  readonly remedy: string | undefined;

  constructor(reason: string, remedy?: string) {
    super(reason);
    this.remedy = remedy;
  }
}
