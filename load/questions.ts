import type { Question, Wanting } from "../base/judged.ts";
import { allSteps, type StepFigures } from "./engine/figures.ts";

/** Something that a scenario judges, or what it would need for that. */
export const question = (what: string, lack: Wanting | null = null): Question => ({ what, lack });

/** A line of the profile that would let more be judged. */
export const inProfile = (what: string): Wanting => ({ what, by: "profile" });

/** A flag that would let more be judged. */
export const byFlag = (what: string): Wanting => ({ what, by: "flag" });

/** Why something was not judged, where no setting helps. */
export const because = (what: string): Wanting => ({ what, by: "reason" });

/** Whether each step is fast: a step without an expected answer shows no speed. */
export const speedQuestions = (steps: readonly StepFigures[]): Question[] =>
  steps
    .filter(({ step }) => step !== allSteps)
    .map(({ step, expected }) =>
      question(`the speed of ${step}`, expected.count > 0 ? null : because("no answer was an expected one")),
    );
