import { clausesOf } from "../../report/report.ts";
import type { Finding } from "../../judge/finding.ts";
import { run } from "../../run/run.ts";
import { checks } from "../../suite/checks.ts";
import { rules } from "../../suite/rules.ts";
import type { Profile } from "../../server/profile.ts";
import { registersLoan } from "../../server/account-leases.ts";
import { baselineOf } from "../baseline.ts";
import type { Stage } from "../stage.ts";
import { asking } from "./asker.ts";
import { excused } from "./excused.ts";

/** A server that is wrong as a whole but looks right in parts. */
export interface Impostor {
  name: string;
  /** Whether nothing about it is right: then any `must` counted as satisfied is undeserved. */
  keepsNothing?: boolean;
  /** The abilities that an impostor of its kind lacks: checks that depend on them must fail. */
  cannot?: readonly Ability[];
  /** Derives the impostor's profile from the unchanged server's and passes it to `use`. */
  perform<T>(stage: Stage, profile: Profile, use: (profile: Profile) => Promise<T>): Promise<T>;
}

/** What a server needs besides well-formed answers: to remember effects and to refuse errors. */
export type Ability = "remember" | "refuse";

export interface ImpostorTrial {
  name: string;
  /** The `must` clauses that a run counts as satisfied. */
  kept: string[];
  /** Undeserved passes without a recorded reason: clauses, or checks that the impostor cannot have passed on merit. */
  praised: string[];
}

/** For each check, the abilities that the unchanged server needed to pass it. */
export type Abilities = ReadonlyMap<string, readonly Ability[]>;

/** Runs the suite once against the unchanged server, to learn what each check requires. */
export async function findAbilities(stage: Stage): Promise<Abilities> {
  return new Map((await baselineOf(stage)).map((finding) => [finding.id, abilitiesIn(finding)]));
}

const leavesTraces = [
  "discover",
  "inspect",
  "call",
  "queryCapability",
  "registerAnonymous",
  "startClaim",
  "verifyClaim",
];

/** Reads of an account's history or property; Inspect shows its credits too, but also much more. */
const audits =
  /^(getCredits|listLedger|exportLedger|getLedger|listSettlements|listUsage|exportUsage|getUsage)/;

function abilitiesIn({ exchanges }: Finding): Ability[] {
  const done = exchanges.findIndex(
    (exchange) =>
      leavesTraces.includes(exchange.operation ?? "") &&
      exchange.response?.status === 200 &&
      !registersLoan(exchange),
  );
  const remembers = done >= 0 && exchanges.slice(done).some(({ operation }) => audits.test(operation ?? ""));
  const refuses = exchanges.some(({ response }) => response !== null && response.status >= 400);
  return [...(remembers ? (["remember"] as const) : []), ...(refuses ? (["refuse"] as const) : [])];
}

/**
 * Runs the whole suite against an impostor, alongside the server that lends it a profile. By luck, a recording or a draw
 * holds what a check wants to see: only what passes a second time, on another one, is praise.
 */
export async function impostorTrial(
  impostor: Impostor,
  stage: Stage,
  abilities: Abilities,
): Promise<ImpostorTrial> {
  const first = await trialOnce(impostor, stage, abilities);
  if (first.praised.length === 0) return first;
  const second = await trialOnce(impostor, stage, abilities);
  return { ...first, praised: first.praised.filter((id) => second.praised.includes(id)) };
}

const trialOnce = (impostor: Impostor, stage: Stage, abilities: Abilities): Promise<ImpostorTrial> =>
  stage.perform({}, async (profile) => {
    // Waiting is pointless: an impostor has no late effects.
    const hasty = { ...profile, audit_lag: 0, mail_lag: 0.2 };
    const { findings } = await impostor.perform(stage, hasty, (its) =>
      run(its, { checks: checks.map(asking), rules, fast: true, anyKind: true }),
    );
    const kept = clausesOf(findings)
      .filter(({ level, verdict }) => level === "must" && verdict === "pass")
      .map(({ id }) => id);
    const beyondIt = ({ id }: Finding): boolean =>
      (impostor.cannot ?? []).some((ability) => abilities.get(id)?.includes(ability) && !(id in excused));
    const wronglyPassed = findings.filter(
      (finding) => finding.verdict === "pass" && finding.level === "must" && beyondIt(finding),
    );
    return {
      name: impostor.name,
      kept,
      praised: impostor.keepsNothing ? kept : wronglyPassed.map(({ id }) => id),
    };
  });
