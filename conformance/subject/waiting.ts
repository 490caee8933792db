import { stopped } from "./allowance.ts";
import { Unverifiable } from "../judge/verdict.ts";

/** Enough for the windows of a server with few accounts. */
const usualSeconds = 600;

/** Shorter waits are not reported. */
const noticeableMs = 1_000;

/**
 * A run's budget for waiting: for rate-limit windows, for `Retry-After`, and for late answers. Checks that wait at the
 * same time consume it once. Without it, a server that always says "later" would never be judged.
 */
export class Waiting {
  readonly #budgetMs: number;
  readonly #say: (text: string) => void;
  readonly #signal: AbortSignal | undefined;
  #spentMs = 0;
  #waiting = 0;
  #since = 0;

  /**
   * @param say receives what is being waited for, and the maximum time
   * @param signal ends every wait when aborted
   */
  constructor(
    budgetSeconds = usualSeconds,
    say: (text: string) => void = () => undefined,
    signal?: AbortSignal,
  ) {
    this.#signal = signal;
    this.#budgetMs = 1000 * budgetSeconds;
    this.#say = say;
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
   * Waits.
   * @param what completes "waiting for …"
   * @throws Unverifiable when the budget is too small, without waiting, or when the run is interrupted meanwhile
   */
  async pause(milliseconds: number, what: string): Promise<void> {
    if (milliseconds > this.leftMs) throw this.usedUp;
    const over = this.begin(what, milliseconds);
    const signal = this.#signal;
    await new Promise<void>((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", end);
        resolve();
      };
      const timer = setTimeout(end, milliseconds);
      signal?.addEventListener("abort", end);
    });
    over();
    if (signal?.aborted) throw stopped();
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
