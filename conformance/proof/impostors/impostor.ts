import { clausesOf } from "../../report/report.ts";
import type { Finding } from "../../judge/finding.ts";
import { run } from "../../runner/run.ts";
import { checks } from "../../suite/checks.ts";
import { rules } from "../../suite/rules.ts";
import type { Profile } from "../../subject/profile.ts";
import { groundOf } from "../ground.ts";
import type { Stage } from "../stage.ts";
import { excused } from "./excused.ts";

/** A server that is wrong as a whole, and looks right in parts. */
export interface Impostor {
  name: string;
  /** It looks right in nothing: any `must` that it keeps is praise. */
  keepsNothing?: boolean;
  /** What an impostor of its kind cannot do: a check that meets it on the unchanged server has to miss it. */
  cannot?: readonly Ability[];
  /** Hands the impostor's profile to `use`, made from that of the unchanged server. */
  perform<T>(stage: Stage, profile: Profile, use: (profile: Profile) => Promise<T>): Promise<T>;
}

/** What a server needs beyond right answers: to remember what was done, and to refuse what is wrong. */
export type Ability = "remember" | "refuse";

export interface ImpostorTrial {
  name: string;
  /** The `must` clauses that a run counts as kept. */
  kept: string[];
  /** What praises the impostor without a recorded reason: clauses, or checks that it cannot have passed rightly. */
  praised: string[];
}

/** For each check, what the unchanged server had to be able to in order to pass it. */
export type Abilities = ReadonlyMap<string, readonly Ability[]>;

/** Runs the suite once against the unchanged server, to learn what each check asks of it. */
export async function findAbilities(stage: Stage): Promise<Abilities> {
  return new Map((await groundOf(stage)).map((finding) => [finding.id, abilitiesIn(finding)]));
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

/** Reads of what an account has done or owns; Inspect tells its credits too, but also much else. */
const audits =
  /^(getCredits|listLedger|exportLedger|getLedger|listSettlements|listUsage|exportUsage|getUsage)/;

function abilitiesIn({ exchanges }: Finding): Ability[] {
  const done = exchanges.findIndex(
    ({ operation, response }) => leavesTraces.includes(operation ?? "") && response?.status === 200,
  );
  const remembers = done >= 0 && exchanges.slice(done).some(({ operation }) => audits.test(operation ?? ""));
  const refuses = exchanges.some(({ response }) => response !== null && response.status >= 400);
  return [...(remembers ? (["remember"] as const) : []), ...(refuses ? (["refuse"] as const) : [])];
}

/** Runs the whole suite against an impostor. */
export async function impostorTrial(
  impostor: Impostor,
  stage: Stage,
  abilities: Abilities,
): Promise<ImpostorTrial> {
  const profile = await stage.perform({}, (unchanged) => Promise.resolve(unchanged));
  // What does not come at once never comes: no impostor has anything to wait for.
  const hasty = { ...profile, audit_lag: 0, mail_lag: 0.2 };
  const { findings } = await impostor.perform(stage, hasty, (its) =>
    run(its, { checks, rules, fast: true, anyKind: true }),
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
}
