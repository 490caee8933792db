/** A map of bounded size that evicts the least recently used entry. */
export class Recent<Key, Value> {
  readonly #entries = new Map<Key, Value>();
  readonly #size: number;

  constructor(size: number) {
    this.#size = size;
  }

  get(key: Key): Value | undefined {
    const value = this.#entries.get(key);
    if (value !== undefined) this.set(key, value);
    return value;
  }

  set(key: Key, value: Value): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size > this.#size) {
      const [oldest] = this.#entries.keys();
      this.#entries.delete(oldest as Key);
    }
  }

  delete(key: Key): void {
    this.#entries.delete(key);
  }

  entries(): IterableIterator<[Key, Value]> {
    return this.#entries.entries();
  }

  /** From the least to the most recently used. */
  values(): Value[] {
    return [...this.#entries.values()];
  }
}
