import { kept } from "../../base/data.ts";
import { defaultConfig } from "../../reference-server/config.ts";
import type { Finding } from "../judge/finding.ts";
import type { Verdict } from "../judge/verdict.ts";
import { run } from "../run/run.ts";
import type { Check } from "../run/check.ts";
import { checks } from "../suite/checks.ts";
import { rules } from "../suite/rules.ts";
import type { Change } from "../changes/mutant.ts";
import type { Stage } from "./stage.ts";

/** A configuration of the unchanged server, and the checks that meet it. */
export interface Scene {
  config?: Change["config"];
  checks: readonly Check[];
  /** Whether checks that wait for the end of a window are left out. */
  fast: boolean;
}

/** The configuration of the reference, in which most checks run. */
export const usual: Scene = { checks, fast: true };

const quotasWith = (anonymous: number): Pick<NonNullable<Change["config"]>, "quotas"> => ({
  quotas: { ...defaultConfig.quotas, anonymous },
});

/** All scenes: in the usual one, no limit of an address is used up and no window ends. */
export const scenes: readonly Scene[] = [
  usual,
  {
    config: quotasWith(40),
    checks: checks.filter((check) => check.window),
    fast: false,
  },
  // Here every wrong credential exceeds the limit.
  {
    config: quotasWith(0),
    checks: checks.filter((check) => check.clauses.some((id) => /^(AUTH|ACCT)-/.test(id))),
    fast: true,
  },
];

/**
 * Every check's requests to the unchanged server in a scene, with the answers; the checks run once per stage to record
 * them.
 */
export const baselineOf = async (stage: Stage, scene = usual): Promise<readonly Finding[]> =>
  (await recorded(stage, scene)).filter(({ id }) => !isRule(id));

/** The rules that the unchanged server keeps: in a scene that was recorded, and in each that met them. */
export async function keptRules(stage: Stage): Promise<ReadonlySet<string>> {
  const all = [await recorded(stage, usual)];
  for (const scene of scenes.slice(1)) {
    const findings = known.get(stage)?.get(scene);
    if (findings !== undefined) all.push(await findings);
  }
  const idsOf = (...verdicts: Verdict[]): string[] =>
    all.flat().flatMap(({ id, verdict }) => (verdicts.includes(verdict) ? [id] : []));
  return new Set(idsOf("pass")).difference(new Set(idsOf("fail", "warn", "error")));
}

const ruleIds = new Set(rules.map(({ id }) => id));
const isRule = (id: string): boolean => ruleIds.has(id);

const known = new WeakMap<Stage, Map<Scene, Promise<readonly Finding[]>>>();

function recorded(stage: Stage, scene: Scene): Promise<readonly Finding[]> {
  const baselines = kept(known, stage, () => new Map<Scene, Promise<readonly Finding[]>>());
  return kept(baselines, scene, async () => {
    const { config, ...choice } = scene;
    const { findings } = await stage.perform(config === undefined ? {} : { config }, (profile) =>
      run(profile, { ...choice, rules, anyKind: true }),
    );
    return findings;
  });
}
