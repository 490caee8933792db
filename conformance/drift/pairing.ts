import { kept } from "../../base/data.ts";

/** Finds for the items of one list those of another that they became, each once: the surest ways come first. */
export class Pairing<Item> {
  readonly pairs = new Map<Item, Item>();
  /** What has no counterpart. */
  readonly before: Set<Item>;
  readonly after: Set<Item>;

  constructor(before: Iterable<Item>, after: Iterable<Item>) {
    this.before = new Set(before);
    this.after = new Set(after);
  }

  /** Pairs each that is left with what is found for it. */
  each(find: (was: Item) => Item | undefined): void {
    for (const was of this.before) {
      const is = find(was);
      if (is === undefined) continue;
      this.pairs.set(was, is);
      this.before.delete(was);
      this.after.delete(is);
    }
  }

  /** Pairs those that have a key in common; of several, the chosen one. */
  by(
    keysOf: (item: Item) => readonly string[] | string | undefined,
    choose: (was: Item, candidates: readonly Item[]) => Item | undefined,
  ): void {
    const listOf = (item: Item): string[] => [keysOf(item) ?? []].flat();
    const known = new Map<string, Item[]>();
    for (const is of this.after) for (const key of listOf(is)) kept(known, key, () => []).push(is);
    this.each((was) => {
      const candidates = new Set(listOf(was).flatMap((key) => known.get(key) ?? []));
      return choose(
        was,
        [...candidates].filter((is) => this.after.has(is)),
      );
    });
  }
}
