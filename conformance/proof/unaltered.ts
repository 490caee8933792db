import { kept } from "../../base/data.ts";
import type { Change } from "../changes/mutant.ts";
import type { Verdict } from "../judge/verdict.ts";
import { run } from "../run/run.ts";
import { defaultProfile } from "../server/profile.ts";
import { checks } from "../suite/checks.ts";
import { keptRules } from "./baseline.ts";
import type { Stage } from "./stage.ts";

/** How a mutant was judged, apart from its fault. */
export interface Setting {
  /** Its configuration. */
  config?: Change["config"] | undefined;
  /** What is lawful about it; it has a name, so that servers with the same are asked once. */
  lawful?: { name: string; change: Change };
  /** Whether the server is one of its own, whose clock can be set, and not one that many share. */
  own: boolean;
  /** Whether checks that wait for the end of a window are left out. */
  fast: boolean;
  /** Whether it was judged only by its address. */
  alone?: boolean;
}

/**
 * Those of some failed checks and rules that pass on the unaltered server: a check that fails there too proves nothing.
 * @param settings tried one after another for a check that cannot be judged in the one before
 */
export async function passOnUnaltered(
  ids: readonly string[],
  stage: Stage,
  ...settings: readonly Setting[]
): Promise<string[]> {
  const passing = new Set<string>();
  const known = new Set(checks.map(({ id }) => id));
  let open = ids.filter((id) => known.has(id));
  for (const setting of settings) {
    const verdicts = await verdictsOf(open, stage, setting);
    for (const [id, verdict] of verdicts) if (verdict === "pass") passing.add(id);
    open = open.filter((id) => isUnjudged(verdicts.get(id)!));
  }
  if (ids.some((id) => !known.has(id))) {
    const rules = await keptRules(stage);
    for (const id of ids) if (rules.has(id)) passing.add(id);
  }
  return ids.filter((id) => passing.has(id));
}

const isUnjudged = (verdict: Verdict): boolean => verdict === "unverified" || verdict === "not_applicable";

const known = new WeakMap<Stage, Map<string, Map<string, Verdict>>>();

/** The verdicts of checks on the unaltered server; each is performed once, and once more where it does not pass. */
async function verdictsOf(
  ids: readonly string[],
  stage: Stage,
  setting: Setting,
): Promise<ReadonlyMap<string, Verdict>> {
  const verdicts = kept(
    kept(known, stage, () => new Map<string, Map<string, Verdict>>()),
    nameOf(setting),
    () => new Map<string, Verdict>(),
  );
  for (const isMissing of [
    (id: string) => !verdicts.has(id),
    // On a busy machine a right server may be late.
    (id: string) => !["pass", "unverified", "not_applicable"].includes(verdicts.get(id)!),
  ]) {
    const missing = ids.filter(isMissing);
    if (missing.length > 0)
      for (const [id, verdict] of await performed(missing, stage, setting)) verdicts.set(id, verdict);
  }
  return verdicts;
}

const nameOf = ({ config, lawful, own, fast, alone = false }: Setting): string =>
  JSON.stringify([config ?? {}, lawful?.name ?? "", own, fast, alone]);

/** Performs checks on the unaltered server. */
async function performed(
  ids: readonly string[],
  stage: Stage,
  { config, lawful, own, fast, alone }: Setting,
): Promise<[id: string, verdict: Verdict][]> {
  const change: Change = {
    ...(own && { parts: (parts) => parts }),
    ...lawful?.change,
    ...(config !== undefined && { config }),
  };
  const { findings } = await stage.perform(change, (profile) =>
    run(alone ? defaultProfile(profile.base_url) : profile, {
      checks: checks.filter(({ id }) => ids.includes(id)),
      rules: [],
      fast,
      anyKind: true,
    }),
  );
  return findings.map(({ id, verdict }) => [id, verdict]);
}
