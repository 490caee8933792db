import type { Budget } from "../judge/budget.ts";

/** Bytes of a body kept for judgement; a longer one is still forwarded, but only partly judged. */
const longestBody = 4 * 1024 * 1024;

/** Bodies leave a quarter of the budget to headers, so that heavy traffic can still be judged by those. */
const shareOfBodies = 0.75;

/** A copy of a body in transit, as far as the budget allows. */
export class Copy {
  readonly #budget: Budget;
  #chunks: Uint8Array[] = [];
  #kept = 0;
  /** Whether all bytes so far are kept. */
  isWhole = true;

  constructor(budget: Budget) {
    this.#budget = budget;
  }

  /** Bytes of the budget in use. */
  get kept(): number {
    return this.#kept;
  }

  /** Keeps a chunk if the budget allows and no earlier chunk was dropped; returns whether it did. */
  add(chunk: Uint8Array): boolean {
    if (this.isWhole && this.#kept + chunk.length <= longestBody) {
      if (this.#budget.take(chunk.length, shareOfBodies)) {
        this.#chunks.push(chunk);
        this.#kept += chunk.length;
        return true;
      }
    }
    this.isWhole = false;
    return false;
  }

  /** Releases the copied bytes to the caller. */
  drop(): Uint8Array[] {
    const chunks = this.#chunks;
    this.#budget.give(this.#kept);
    this.#chunks = [];
    this.#kept = 0;
    this.isWhole = false;
    return chunks;
  }

  /** The copied bytes in their own buffer, so that it can be transferred to another thread. */
  bytes(): Uint8Array<ArrayBuffer> {
    const all = new Uint8Array(this.#kept);
    let at = 0;
    for (const chunk of this.#chunks) {
      all.set(chunk, at);
      at += chunk.length;
    }
    return all;
  }
}
