import { Unverifiable } from "../judge/verdict.ts";

/** How long a server may refuse or cut every connection; it may be about to start again. */
const patienceMs = 3_000;
const betweenMs = 100;

/** The reason for what is left unjudged once the server has gone. */
export const wentAway = (): Unverifiable => new Unverifiable("the server went away before this was judged");

/** Whether the server is still there. It is not if it has answered, and then gives no sign of life at all. */
export class Presence {
  /** Why the server is taken to have gone away; null while it is there. */
  gone: string | null = null;
  readonly #leave = new AbortController();
  /** Aborts when the server has gone: nothing waits for an answer any longer. */
  readonly signal: AbortSignal = this.#leave.signal;
  readonly #ask: () => Promise<unknown>;
  #heardAt: number | null = null;
  /** The requests since the last answer that had none. */
  readonly #unanswered = new Set<string>();
  #asking: Promise<void> | null = null;

  /** @param ask asks for any answer at all; rejects with Unverifiable where the run's limits leave that out */
  constructor(ask: () => Promise<unknown>) {
    this.#ask = ask;
  }

  /** Whether the server has ever begun to answer. */
  get hasAnswered(): boolean {
    return this.#heardAt !== null;
  }

  /** Reports that an answer has begun. */
  hear(): void {
    this.#heardAt = performance.now();
    this.#unanswered.clear();
  }

  /** Reports that a request, which the server may have received, has no answer. */
  miss(request: string): void {
    this.#unanswered.add(request);
  }

  /**
   * Asks for a sign of life, once for all callers, where nothing was received since an instant of `performance.now()`.
   * Resolves when there was one, or when the server is taken to have gone away.
   */
  async doubt(since: number): Promise<void> {
    if (this.#heardAt === null || this.#heardAt > since || this.gone !== null) return;
    await (this.#asking ??= this.#look().finally(() => (this.#asking = null)));
  }

  /** Resolves when no request for a sign of life is pending. */
  async settled(): Promise<void> {
    await this.#asking;
  }

  async #look(): Promise<void> {
    for (const begun = performance.now(); ; await new Promise((resolve) => setTimeout(resolve, betweenMs))) {
      try {
        await this.#ask();
        return;
      } catch (error) {
        if (error instanceof Unverifiable || this.#heardAt! > begun) return;
        if (performance.now() < begun + patienceMs) continue;
        const last = [...this.#unanswered].slice(-3);
        const left = last.length === 0 ? "" : `; it left unanswered ${last.join(", ")}`;
        this.gone = (error as Error).message + left;
        this.#leave.abort();
        return;
      }
    }
  }
}
