import type { Budget } from "../judge/budget.ts";

/** Bytes of one body that are kept for judgement; a longer one passes all the same, and is judged in part. */
const longestBody = 4 * 1024 * 1024;

/** Bodies leave a quarter of the budget to heads, so that much traffic is still judged by those. */
const shareOfBodies = 0.75;

/** The bytes of a body as they pass, as long as there is room for them. */
export class Copy {
  readonly #budget: Budget;
  #chunks: Uint8Array[] = [];
  #kept = 0;
  /** All bytes so far are kept. */
  isWhole = true;

  constructor(budget: Budget) {
    this.#budget = budget;
  }

  /** Bytes of the budget that it holds. */
  get kept(): number {
    return this.#kept;
  }

  /** Keeps a chunk, if it can and could so far; answers whether it did. */
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

  /** Lets everything go that it keeps, and gives it to the caller. */
  drop(): Uint8Array[] {
    const chunks = this.#chunks;
    this.#budget.give(this.#kept);
    this.#chunks = [];
    this.#kept = 0;
    this.isWhole = false;
    return chunks;
  }

  /** What it keeps, in a buffer of its own, so that it can go to another thread. */
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
