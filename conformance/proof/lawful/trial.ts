import { checks } from "../../suite/checks.ts";
import { variation } from "../../changes/mutant.ts";
import type { Stage } from "../stage.ts";
import { trial, type Trial, type Way } from "../trial.ts";
import { lawfulChange, points } from "./index.ts";

/** Judges a server that has some points together. */
export function trialOf(
  chosen: { points: readonly number[]; by: readonly Way[]; checks?: readonly string[] },
  stage: Stage,
): Promise<Trial> {
  const some = chosen.points.map((index) => points[index]!);
  const [name, words] = [some.map(({ id }) => id).join("; "), some.map(({ permittedBy }) => permittedBy)];
  const all = variation(name, words.join("; "), lawfulChange(some));
  const { by, checks: ids } = chosen;
  return trial(all, stage, {
    by,
    ...(ids !== undefined && { checks: checks.filter(({ id }) => ids.includes(id)) }),
  });
}
