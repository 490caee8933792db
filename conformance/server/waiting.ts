import { Sleepers } from "./sleepers.ts";
import type { Advance } from "./clock.ts";
import { stopped } from "./allowance.ts";
import type { OperationId } from "../../generated/contract.ts";
import { Unverifiable } from "../judge/verdict.ts";

/** Enough for the windows of a server with few accounts. */
const usualSeconds = 600;

/** Shorter waits are not reported. */
const noticeableMs = 1_000;

/** A fast run waits for windows no longer than this. */
export const shortWindowMs = 2_000;

/** The reason for the checks that a fast run leaves out. */
export const leftOut = (): Unverifiable => new Unverifiable("left out by --fast");

/** The reason of a check whose account has used up the quota of an operation. */
export class UsedUp extends Unverifiable {
  readonly operation: OperationId;

  constructor(operation: OperationId) {
    super(leftOut().message);
    this.operation = operation;
  }
}

/** How a run waits. */
export interface WaitingOptions {
  /** Ends every wait when aborted. */
  signal?: AbortSignal | undefined;
  /** Sets the server's clock ahead, so that the run need not wait. */
  advance?: Advance | undefined;
  /** Does not wait for rate-limit windows. */
  fast?: boolean | undefined;
}

/**
 * A run's time, and its budget for waiting: for rate-limit windows, for `Retry-After`, and for late answers. Checks that
 * wait at the same time consume the budget once. Without it, a server that always says "later" would never be judged.
 * If the server's clock can be set ahead, that is done instead, once all checks under way wait.
 */
export class Waiting {
  readonly #budgetMs: number;
  readonly #say: (text: string) => void;
  readonly #signal: AbortSignal;
  readonly #ended = new AbortController();
  readonly #fast: boolean;
  /** The checks that wait for the clock; null when it cannot be set ahead. */
  readonly sleepers: Sleepers | null;
  #spentMs = 0;
  #waiting = 0;
  #since = 0;

  /** @param say receives what is being waited for, and the maximum time */
  constructor(
    budgetSeconds = usualSeconds,
    say: (text: string) => void = () => undefined,
    { signal, advance, fast = false }: WaitingOptions = {},
  ) {
    this.#fast = fast;
    this.#signal = signal ? AbortSignal.any([signal, this.#ended.signal]) : this.#ended.signal;
    this.#budgetMs = 1000 * budgetSeconds;
    this.#say = say;
    this.sleepers = advance === undefined ? null : new Sleepers(advance);
  }

  /** The time in epoch ms; as far ahead of this machine's as the server's clock was set ahead. */
  now(): number {
    return Date.now() + this.aheadMs;
  }

  /** How far the server's clock was set ahead. */
  get aheadMs(): number {
    return this.sleepers?.aheadMs ?? 0;
  }

  /** Milliseconds during which at least one check waited. */
  get spentMs(): number {
    return this.#spentMs + (this.#waiting > 0 ? performance.now() - this.#since : 0);
  }

  get leftMs(): number {
    return Math.max(0, this.#budgetMs - this.spentMs);
  }

  /** The reason given for checks that the exhausted budget leaves unverified. */
  get usedUp(): Unverifiable {
    return new Unverifiable(
      `the run's budget of waiting, ${this.#budgetMs / 1000} s, does not allow for more; --wait SECONDS raises it`,
    );
  }

  /**
   * Waits, or sets the server's clock ahead.
   * @param what completes "waiting for …"
   * @param check the check that waits
   * @throws Unverifiable when the budget is too small, without waiting, or when the run is interrupted or over
   */
  async pause(milliseconds: number, what: string, check: object = {}): Promise<void> {
    this.#refuseWhenOver();
    if (this.sleepers !== null) {
      this.#say(`setting the clock ahead by ${Math.ceil(milliseconds / 1000)} s: ${what}`);
      await this.sleepers.sleep(milliseconds, check, this.#signal);
      this.#refuseWhenOver();
      return;
    }
    if (milliseconds > this.leftMs) throw this.usedUp;
    const over = this.begin(what, milliseconds);
    const signal = this.#signal;
    await new Promise<void>((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        signal.removeEventListener("abort", end);
        resolve();
      };
      const timer = setTimeout(end, milliseconds);
      signal.addEventListener("abort", end);
    });
    over();
    this.#refuseWhenOver();
  }

  /**
   * Waits for a rate-limit window to end.
   * @throws Unverifiable as `pause` does, and when the run is to be fast
   */
  async untilWindowEnds(milliseconds: number, what: string, check?: object): Promise<void> {
    if (this.#fast && this.sleepers === null && milliseconds > shortWindowMs) throw leftOut();
    await this.pause(milliseconds, what, check);
  }

  /** Ends every wait and refuses further ones: there is nothing left to wait for, for this reason. */
  end(reason: Unverifiable): void {
    this.#ended.abort(reason);
  }

  #refuseWhenOver(): void {
    const { aborted, reason } = this.#signal as { aborted: boolean; reason: unknown };
    if (aborted) throw reason instanceof Unverifiable ? reason : stopped();
  }

  /** Counts as waiting until the returned function is called. */
  begin(what: string, atMostMs: number): () => void {
    if (this.#waiting === 0) this.#since = performance.now();
    this.#waiting += 1;
    if (atMostMs >= noticeableMs) this.#say(`waiting up to ${Math.ceil(atMostMs / 1000)} s for ${what}`);
    return () => {
      this.#waiting -= 1;
      if (this.#waiting === 0) this.#spentMs += performance.now() - this.#since;
    };
  }
}
