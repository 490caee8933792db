import { createHash } from "node:crypto";

/** A number from 0 up to 1 that follows from a seed and from what it is thrown for, and from nothing else. */
export function throwFor(seed: string, ...what: (string | number)[]): number {
  const digest = createHash("sha256")
    .update(JSON.stringify([seed, ...what]))
    .digest();
  return digest.readUIntBE(0, 6) / 2 ** 48;
}

/** One of several, each with its share; null for the rest of the whole. */
export function choose<Choice extends string>(
  thrown: number,
  shares: Readonly<Partial<Record<Choice, number>>>,
): Choice | null {
  let upTo = 0;
  for (const [choice, share] of Object.entries(shares) as [Choice, number][]) {
    upTo += share;
    if (thrown < upTo) return choice;
  }
  return null;
}
