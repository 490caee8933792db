import { areaOf } from "../judge/area.ts";
import type { Check } from "../run/check.ts";
import { checks as allChecks } from "../suite/checks.ts";
import { rules } from "../suite/rules.ts";
import { seenOf } from "../judge/seen.ts";
import type { Finding, Run } from "../judge/finding.ts";
import { causesOf, type Cause } from "../report/causes.ts";
import { culpritOf } from "../report/about.ts";
import { run } from "../run/run.ts";
import { defaultProfile } from "../server/profile.ts";
import { hasMet } from "./collateral.ts";
import { baselineOf } from "./baseline.ts";
import { together, type Change, type Mutant, type Variation } from "../changes/mutant.ts";
import { barrenStages, openBarren } from "./barren.ts";
import { needsOwnServer, type Stage } from "./stage.ts";
import { passOnUnaltered, type Setting } from "./unaltered.ts";

/** What the first cause of a run cites: the mutant's clause, else an operation at whose answers its findings point, or neither. */
export type First = "clause" | "operation" | "neither";

/** How the checks and rules judged a mutant, from whichever source it is. */
export interface Judged {
  /** Checks and rules that fail, and pass on the unaltered server; if empty, it survived. */
  killed_by: string[];
  /** Checks and rules that fail on the unaltered server too, or do not pass there: they prove nothing. */
  unsound?: readonly string[];
  /** Checks and rules that could not be judged when none failed: it survives, and the suite is at fault. */
  blocked: string[];
  /** Checks that killed it and pass where its counter-example is missing, each with the stage: a fault of the check. */
  blind?: readonly string[];
  /** What the first cause cites; absent when nothing failed, or not every check that meets the mutant ran. */
  first?: First;
}

/** The result for a mutant that is written by hand; only the checks and rules of its clause count. */
export interface Kill extends Judged {
  name: string;
  clause: string;
  /** Failed checks and rules for other clauses. */
  collateral: string[];
  /** Collateral failures that never met what the mutant breaks, and so must have another cause. */
  unrelated: string[];
}

/** The result for a generated mutant, of the spec or of the code. */
export interface GeneratedKill extends Judged {
  id: string;
  /** The number of checks that met it; if none, no request of the suite reaches what is broken. */
  met: number;
}

/** For each rule, by id, the checks whose traffic satisfies it on the unchanged server. */
export type Witnesses = ReadonlyMap<string, readonly Check[]>;

/** Number of checks that provide traffic for a rule: several, since a change may affect only one kind of request. */
const witnessesOfARule = 3;

/** Runs the suite once against the unchanged server, to learn which checks exercise which rules. */
export async function findWitnesses(stage: Stage): Promise<Witnesses> {
  const performed = (await baselineOf(stage)).flatMap(({ id, exchanges }) => {
    const check = allChecks.find((check) => check.id === id)!;
    return [
      { check, seen: exchanges.map((exchange) => seenOf(exchange)).filter((answer) => answer !== null) },
    ];
  });
  performed.sort((one, other) => one.seen.length - other.seen.length);
  const witnesses = rules.map((rule) => {
    const showing = performed.filter(({ seen }) =>
      seen.some((answer) => answer.recognised && rule.judge(answer) === true),
    );
    return [rule.id, showing.slice(0, witnessesOfARule).map(({ check }) => check)] as const;
  });
  return new Map(witnesses);
}

/** Areas whose clauses apply to every operation. */
const general = ["HTTP", "VERS", "ERRO", "AUTH"];

const isRed = (finding: Finding): boolean => finding.verdict === "fail" || finding.verdict === "warn";

const idsOf = (findings: readonly Finding[]): string[] => findings.map(({ id }) => id);

const isBlocked = ({ verdict }: Finding): boolean => verdict === "blocked" || verdict === "error";

/** What the first cause of a run cites of a mutant's clause. @param killers the findings of that clause */
function firstOf(
  [cause]: readonly Cause[],
  judged: Run,
  killers: readonly Finding[],
  clause: string,
): { first?: First } {
  if (cause === undefined || killers.length === 0) return {};
  if (cause.clauses.includes(clause)) return { first: "clause" };
  const placeOfLead = culpritOf(judged.findings.find(({ id }) => id === cause.lead)!)?.operation;
  const isNear =
    placeOfLead != null && killers.some((finding) => culpritOf(finding)?.operation === placeOfLead);
  return { first: isNear ? "operation" : "neither" };
}

/** With a short window, the checks that wait for its end are fast too. */
export const hasShortWindow = ({ change }: Mutant | Variation): boolean =>
  (change.config?.windowSeconds ?? 60) < 60;

/**
 * How the unaltered server is configured next to a mutant: with a window as short, since that is not a fault; where a check
 * needs more of what is lawful about the mutant to be judged, with all of it.
 */
function settingsOf(mutant: Mutant, { alone, fast }: { alone: boolean; fast: boolean }): Setting[] {
  const { config, profile } = mutant.change;
  const { beside } = mutant;
  const isShort = hasShortWindow(mutant);
  const common = { own: needsOwnServer(mutant.change), alone, fast: fast && !isShort };
  const whole = {
    name: `${mutant.clause} ${mutant.name}`,
    change: { ...beside, ...(profile && { profile }) },
  };
  const needsMore = [config, profile, beside].some((part) => part !== undefined);
  return [
    { ...common, config: isShort ? { windowSeconds: config!.windowSeconds! } : undefined },
    ...(needsMore ? [{ ...common, config, lawful: whole }] : []),
  ];
}

/**
 * Judges a mutant: it is killed if a check or rule that cites its clause fails, and passes on the unaltered server. It first meets the checks that cite its
 * clause and the witnesses of such rules; if it survives those, the whole area, or the whole suite for a general area.
 * With `whole`, it meets the entire suite. With `alone`, it is judged only by its address, and a survivor meets the
 * whole suite.
 */
export async function kill(
  mutant: Mutant,
  stage: Stage,
  findWitnesses: () => Promise<Witnesses>,
  { whole = false, alone = false, fast = true } = {},
): Promise<Kill> {
  const cites = ({ clauses }: { clauses: readonly string[] }): boolean => clauses.includes(mutant.clause);
  const judgedBy = async (checks: readonly Check[]): Promise<Kill> => {
    const judged = await stage.perform(mutant.change, (profile) =>
      run(alone ? defaultProfile(profile.base_url) : profile, {
        checks,
        rules,
        fast: fast && !hasShortWindow(mutant),
        anyKind: true,
      }),
    );
    const { findings } = judged;
    // Made for each mutant, so that each shows that the report can be.
    const causes = causesOf(findings, judged);
    const red = findings.filter(isRed);
    const citing = red.filter(cites);
    const sound = await passOnUnaltered(idsOf(citing), stage, ...settingsOf(mutant, { alone, fast }));
    const killers = citing.filter(({ id }) => sound.includes(id));
    const unsound = citing.filter(({ id }) => !sound.includes(id));
    const collateral = red.filter((finding) => !cites(finding));
    return {
      name: mutant.name,
      clause: mutant.clause,
      killed_by: idsOf(killers),
      ...(unsound.length > 0 && { unsound: idsOf(unsound) }),
      ...firstOf(causes, judged, killers, mutant.clause),
      blocked: killers.length > 0 ? [] : idsOf(findings.filter(isBlocked)),
      collateral: idsOf(collateral),
      unrelated: idsOf(collateral.filter((finding) => !hasMet(mutant.clause, finding))),
    };
  };
  if (whole) return judgedBy(allChecks);
  const citing = rules.filter(cites);
  // Finding them takes a run of the whole suite.
  const witnesses = citing.length > 0 ? await findWitnesses() : new Map<string, readonly Check[]>();
  const showing = citing.flatMap((rule) => witnesses.get(rule.id) ?? []);
  const met = await judgedBy([...new Set([...allChecks.filter(cites), ...showing])]);
  if (met.killed_by.length > 0) return met;
  const area = areaOf(mutant.clause);
  const inArea = allChecks.filter((check) => check.clauses.some((id) => areaOf(id) === area));
  return judgedBy(alone || general.includes(area) ? allChecks : inArea);
}

/**
 * Those of the given checks that pass against a mutant on a barren stage, with the stage: they say that the server
 * keeps what it breaks, without having seen it.
 */
export async function blindOf(
  { name: mutant, change }: { name: string; change: Change },
  checkIds: readonly string[],
  stage: Stage,
): Promise<string[]> {
  if (Object.values(openBarren).flat().includes(mutant)) return [];
  const checks = allChecks.filter(({ id }) => checkIds.includes(id));
  const blind: string[] = [];
  for (const [name, barren] of Object.entries(checks.length > 0 ? barrenStages : {})) {
    const { findings } = await stage.perform(
      { ...change, ...together(change, barren(stage.plainKeys)) },
      (profile) => run(profile, { checks, rules: [], fast: true, anyKind: true }),
    );
    const red = findings.some(isRed);
    const passed = red ? [] : findings.filter(({ verdict }) => verdict === "pass");
    blind.push(...passed.map(({ id }) => `${id} (${name})`));
  }
  return blind;
}
