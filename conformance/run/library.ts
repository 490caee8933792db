import "../../base/node-version.ts";
import { checks } from "../suite/checks.ts";
import { reportOf, type Report } from "../report/report.ts";
import { rules } from "../suite/rules.ts";
import { pinnedRules } from "../judge/observer.ts";
import { questions } from "../suite/questions.ts";
import { observers } from "../suite/readings.ts";
import { judgedByList } from "../report/known.ts";
import { requirementsOf, setAsideNewer } from "../report/requirements.ts";
import { run } from "./run.ts";
import { select } from "./select.ts";
import { defaultProfile, type Profile } from "../server/profile.ts";

export interface JudgeOptions {
  /** Areas, clauses or checks, such as `CALL` or `CALL-07`; all by default. */
  only?: string[];
  /** Skips checks that wait for a rate-limit window to end. */
  fast?: boolean;
  /** Maximum number of concurrent checks; 16 by default. */
  concurrency?: number;
}

/**
 * Judges a server by the contract, over HTTP.
 * @param target the server's base URL, which ends in /api/v1, or its profile
 * @returns the report, as in `conformance.json`
 * @throws Unreachable when no server of this kind answers; WrongUse when profile or options are invalid
 */
export async function judge(target: string | Profile, options: JudgeOptions = {}): Promise<Report> {
  const profile = typeof target === "string" ? defaultProfile(target) : target;
  const { requirements: release } = profile;
  const requirements = release === undefined ? undefined : requirementsOf(release);
  const judging = [...rules, ...pinnedRules(profile.readings, observers)];
  const judged = await run(profile, {
    ...options,
    mustPay: true,
    ...select(checks, judging, options.only),
    observers,
    questions: options.only?.length ? [] : questions,
  });
  if (requirements !== undefined) setAsideNewer(judged, requirements);
  judgedByList(judged.findings, profile.known_failures);
  return { ...reportOf(judged, profile, "all"), ...(release !== undefined && { requirements: release }) };
}
