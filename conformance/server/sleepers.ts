import { Unverifiable } from "../judge/verdict.ts";
import type { Advance } from "./clock.ts";

/** Node's timers end immediately when they are set to more. */
const maxTimerMs = 2 ** 31 - 1;

/** Clocks that were not set ahead differ by no more than this. */
const usualSkewMs = 60_000;

/** A check that waits for a time of the server's clock, in epoch ms. */
interface Sleeper {
  check: object;
  until: number;
  wake: (failure?: Unverifiable) => void;
}

/**
 * The checks that wait for the server's clock. It is set ahead to the first of them once every check under way waits, so
 * that time leaps only for checks that expect it.
 */
export class Sleepers {
  readonly #advance: Advance;
  readonly #checks = new Set<object>();
  /** Checks that wait for another check. */
  readonly #idle = new Set<object>();
  readonly #sleepers = new Set<Sleeper>();
  #requests = 0;
  #isLeaping = false;
  #hasLearned = false;
  /** How far the server's clock has been set ahead. */
  aheadMs = 0;

  constructor(advance: Advance) {
    this.#advance = advance;
  }

  /** Begins a check, until the returned function is called. */
  begin(check: object): () => void {
    this.#checks.add(check);
    return () => {
      this.#checks.delete(check);
      this.#look();
    };
  }

  /** Begins a request: the clock does not leap until the returned function is called. */
  send(): () => void {
    this.#requests += 1;
    return () => {
      this.#requests -= 1;
      this.#look();
    };
  }

  /** Waits with a check for another check. */
  async idle<T>(check: object, other: Promise<T>): Promise<T> {
    this.#idle.add(check);
    this.#look();
    return other.finally(() => this.#idle.delete(check));
  }

  /**
   * Waits until the server's clock has gone ahead that far, by a leap or by itself.
   * @throws Unverifiable when the clock cannot be set ahead
   */
  sleep(ms: number, check: object, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const wake: Sleeper["wake"] = (failure) => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", end);
        this.#sleepers.delete(sleeper);
        if (failure === undefined) resolve();
        else reject(failure);
      };
      const end = (): void => wake();
      const timer = setTimeout(end, Math.min(ms, maxTimerMs));
      signal?.addEventListener("abort", end);
      const sleeper = { check, until: this.#now() + ms, wake };
      this.#sleepers.add(sleeper);
      this.#look();
    });
  }

  /** Learns from the first `Date` header how far an earlier run has set the clock ahead. */
  learn(date: string | undefined): void {
    const serverMs = Date.parse(date ?? "");
    if (this.#hasLearned || Number.isNaN(serverMs)) return;
    this.#hasLearned = true;
    const apartMs = serverMs - this.#now();
    if (Math.abs(apartMs) > usualSkewMs) this.aheadMs += apartMs;
  }

  #now(): number {
    return Date.now() + this.aheadMs;
  }

  /** Leaps, if nothing else happens: a check that has just woken has yet to send its request. */
  #look(): void {
    setImmediate(() => void this.#leap());
  }

  async #leap(): Promise<void> {
    const waiting = new Set([...this.#idle, ...[...this.#sleepers].map(({ check }) => check)]);
    const isBusy = this.#requests > 0 || [...this.#checks].some((check) => !waiting.has(check));
    if (this.#isLeaping || isBusy || this.#sleepers.size === 0) return;
    const until = Math.min(...[...this.#sleepers].map((sleeper) => sleeper.until));
    const seconds = Math.max(0, Math.ceil((until - this.#now()) / 1000));
    this.#isLeaping = true;
    let failure: Unverifiable | undefined;
    try {
      await this.#advance(seconds);
      this.aheadMs += 1000 * seconds;
    } catch (error) {
      failure = new Unverifiable((error as Error).message);
    }
    this.#isLeaping = false;
    for (const sleeper of this.#sleepers) {
      if (failure !== undefined || sleeper.until <= this.#now()) sleeper.wake(failure);
    }
    this.#look();
  }
}
