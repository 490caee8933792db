import { WrongUse } from "../../../base/exit.ts";
import { performAll } from "../jobs.ts";
import { drawn } from "../part.ts";
import type { Choice } from "../prove.ts";
import { specMutants } from "../spec/index.ts";
import { readResults } from "../store.ts";
import { points } from "./index.ts";

/** How many lawful variations and mutants are drawn, and the share of kills that may be lost in their pairs. */
const sizes = { points: 200, mutants: 50 };
const lostShare = 0.02;

/**
 * Measures whether lawful variations blind the suite: mutants that are killed on the reference server must also be
 * killed on one with a variation of the same operation. If both change the same place, one hides the other lawfully.
 * @param sample at most this many of the pairs
 * @returns the exit status: 1 when too many kills are lost
 */
export async function lawfulPower({ sample, seed }: Pick<Choice, "sample" | "seed">): Promise<number> {
  const killed = new Set(readResults("spec").killed);
  const mutants = drawn(
    [...specMutants.keys()].filter((index) => killed.has(specMutants[index]!.id)),
    (index) => specMutants[index]!.id,
    { sample: sizes.mutants, seed },
  );
  const variations = drawn([...points.keys()], (index) => points[index]!.id, { sample: sizes.points, seed });
  const pairs = mutants.flatMap((mutant) =>
    variations.filter((point) => canMeet(mutant, point)).map((point) => [mutant, point] as const),
  );
  const chosen = drawn(pairs, String, { sample, seed });
  if (chosen.length === 0) throw new WrongUse(`--seed ${seed} draws no pair that meets in one operation`);
  const lost: string[] = [];
  const nameOf = ([mutant, point]: readonly [number, number]): string =>
    `${specMutants[mutant]!.id} with ${points[point]!.id}`;
  const unfinished = await performAll(
    chosen,
    ([mutant, point]) => ({ kind: "spec", index: mutant, point }),
    (outcome, pair) => {
      if (outcome.kind === "spec" && outcome.kill.killed_by.length === 0) lost.push(nameOf(pair));
    },
    nameOf,
  );
  lost.push(...unfinished);
  for (const pair of lost) console.log(`kill lost  ${pair}`);
  const all = mutants.length * variations.length;
  console.log(
    `${mutants.length} mutants with ${variations.length} lawful variations (--seed ${seed}): ${chosen.length} of the ` +
      `${pairs.length} pairs of one operation judged, of ${all} in all; ${lost.length} kills lost, ` +
      `${((100 * lost.length) / chosen.length).toFixed(1)} %`,
  );
  return lost.length > lostShare * chosen.length ? 1 : 0;
}

/** Whether a mutant and a point change different places of one operation. */
function canMeet(mutant: number, point: number): boolean {
  const { id, operation } = specMutants[mutant]!;
  const { operation: own, at } = points[point]!;
  return operation === own && !` ${id} `.includes(` ${at} `);
}
