import type { Found } from "../judgement.ts";
import type { Case, Declared } from "./case.ts";
import { declaredLimit, forms } from "./headers.ts";
import { recognise, tracksOf, type WindowKind } from "./kind.ts";
import { skewOf, type Observation, type Skew } from "./observation.ts";
import { promises } from "./promises.ts";
import { tooEarly, tooMany } from "./quota.ts";
import { remaining } from "./remaining.ts";
import { drifting } from "./reset.ts";

/** The result of judging the windows of a run. */
export interface JudgedWindows {
  kind: WindowKind;
  skew: Skew;
  findings: Found[];
}

/**
 * Judges the windows of a run from its answers, without sending requests.
 * @param observations every answer to the run's accounts on the four operations: a request missing here but counted by
 *   the server would look like a fault
 */
export function judgeWindows(observations: readonly Observation[], declared: Declared): JudgedWindows {
  const tracks = tracksOf(observations);
  const skew = skewOf(observations);
  const findings: Found[] = [];
  const find = (found: Found): void => void findings.push(found);
  const kind = recognise(tracks, declared.windowSeconds, skew);
  for (const track of tracks) {
    const { operation } = track[0]!;
    const quota = declared.quotas[operation];
    const length = 1000 * declared.windowSeconds;
    const others = tracks.filter((other) => other !== track && other[0]!.operation === operation);
    const one: Case = { ...declared, others, track, kind, skew, operation, quota, length, find };
    declaredLimit(one);
    forms(one);
    const drifts = drifting(one);
    const sound = drifts ? { ...one, kind: "unknown" as const } : one;
    tooMany(sound);
    tooEarly(sound);
    remaining(sound);
    promises(sound);
  }
  return { kind, skew, findings };
}
