import { createHash } from "node:crypto";

/** A number in [0, 1) determined by a seed and the subject of the throw. */
export function throwFor(seed: string, ...what: (string | number)[]): number {
  const digest = createHash("sha256")
    .update(JSON.stringify([seed, ...what]))
    .digest();
  return digest.readUIntBE(0, 6) / 2 ** 48;
}

/** One of several choices by their shares; null for the remaining share. */
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
