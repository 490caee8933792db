/** How many bytes may be held in memory at the same time, and how many are. */
export class Budget {
  readonly #max: number;
  #kept = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** @param share of the budget that may be used up by this and everything kept so far */
  take(bytes: number, share = 1): boolean {
    if (this.#kept + bytes > this.#max * share) return false;
    this.#kept += bytes;
    return true;
  }

  give(bytes: number): void {
    this.#kept -= bytes;
  }
}
