import type { Finding } from "../judge/finding.ts";
import { run } from "../runner/run.ts";
import { checks } from "../suite/checks.ts";
import type { Stage } from "./stage.ts";

const known = new WeakMap<Stage, Promise<readonly Finding[]>>();

/** What every check asks the unchanged server, and what it is answered; the suite runs once a stage for it. */
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
