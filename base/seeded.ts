/** Random choices determined by a seed. */
export interface Seeded {
  /** An integer from 0 to `bound` - 1. */
  below(bound: number): number;
  pick<Choice>(choices: readonly Choice[]): Choice;
}

/** Random choices from a seed (mulberry32). */
export function seeded(seed: number): Seeded {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (bound: number): number => Math.floor(next() * bound);
  return { below, pick: (choices) => choices[below(choices.length)]! };
}
