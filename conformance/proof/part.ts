import { createHash } from "node:crypto";
import { several, valueOf, wrongValue } from "../../base/flag.ts";

/** The flags that select a part of the mutants. */
export const partFlags = {
  only: several("--only <WHAT>", "one area or clause: DISC, CALL-07; can be given several times"),
  shard: valueOf("--shard <I/N>", "the I-th of N equal parts", (text, name) => {
    const [index = 0, of = 0] = (/^([1-9]\d*)\/([1-9]\d*)$/.exec(text) ?? []).slice(1).map(Number);
    return index > 0 && index <= of ? { index, of } : wrongValue(name, "I/N, such as 2/4", text);
  }).or({ index: 1, of: 1 }, "1/1"),
};

/** Whether the names include a clause or its area; without names, every clause is included. */
export const isChosen = (clause: string, names: readonly string[]): boolean =>
  names.length === 0 || names.some((name) => name === clause || name === clause.split("-")[0]);

/** Whether a filter of several words occurs in an id or description. */
export const isPart = (words: string, description: string): boolean =>
  words.includes(" ") && description.includes(words);

/** The part of a list that belongs to a shard. */
export const shardOf = <One>(list: readonly One[], { index, of }: { index: number; of: number }): One[] =>
  list.filter((_, place) => place % of === index - 1);

/**
 * A sample of the items, chosen by a hash of seed and name, and so the same for the same seed. Without a sample, all of
 * them in a fixed order, so that the shards of several runs complement each other.
 */
export function drawn<One>(
  items: readonly One[],
  nameOf: (item: One) => string,
  { sample = Infinity, seed }: { sample?: number | undefined; seed: string },
): One[] {
  const lot = (item: One): string =>
    createHash("sha256")
      .update(`${sample === Infinity ? "" : seed} ${nameOf(item)}`)
      .digest("hex");
  return items
    .map((item) => ({ one: item, lot: lot(item) }))
    .sort((one, other) => (one.lot < other.lot ? -1 : 1))
    .slice(0, sample)
    .map(({ one: item }) => item);
}
