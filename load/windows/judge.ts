import type { Found } from "../judgement.ts";
import type { Case, Declared } from "./case.ts";
import { declaredLimit, forms } from "./headers.ts";
import { recognise, tracksOf, type WindowKind } from "./kind.ts";
import { skewOf, type Observation, type Skew } from "./observation.ts";
import { promises } from "./promises.ts";
import { tooEarly, tooMany } from "./quota.ts";
import { remaining } from "./remaining.ts";
import { drifting } from "./reset.ts";

/** What the windows of a run came to. */
export interface JudgedWindows {
  kind: WindowKind;
  skew: Skew;
  findings: Found[];
}

/**
 * Judges what the answers of a run say about its windows, without a request of its own.
 * @param observations every answer that the accounts of the run got to the four operations: what is missing here and
 *   counted by the server would look like a fault
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
