import type { Finding } from "../judge/finding.ts";
import { run } from "../runner/run.ts";
import { checks } from "../suite/checks.ts";
import type { Stage } from "./stage.ts";

const known = new WeakMap<Stage, Promise<readonly Finding[]>>();

/** Every check's requests to the unchanged server, with the answers; the suite runs once per stage to record them. */
export function groundOf(stage: Stage): Promise<readonly Finding[]> {
  let ground = known.get(stage);
  if (ground === undefined) {
    ground = stage
      .perform({}, (profile) => run(profile, { checks, rules: [], fast: true, anyKind: true }))
      .then(({ findings }) => findings);
    known.set(stage, ground);
  }
  return ground;
}
