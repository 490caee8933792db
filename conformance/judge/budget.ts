/** How many bytes may be held in memory at the same time, and how many are. */
export class Budget {
  readonly #most: number;
  #kept = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** @param share of the budget that may be used up by this and everything kept so far */
  take(bytes: number, share = 1): boolean {
    if (this.#kept + bytes > this.#most * share) return false;
    this.#kept += bytes;
    return true;
  }

  give(bytes: number): void {
    this.#kept -= bytes;
  }
}
