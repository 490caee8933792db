import type { JudgeOptions } from "../conformance/run/library.ts";
import type { Report } from "../conformance/report/report.ts";
import type { Profile } from "../conformance/server/profile.ts";

export type { JudgeOptions, Report, Profile };
export type { ReportedCheck, ReportedClause, ReportedExchange } from "../conformance/report/report.ts";
export { defaultProfile, parseProfile, readProfile } from "../conformance/server/profile.ts";
export { Unreachable, WrongUse } from "../base/exit.ts";
export type { Verdict } from "../conformance/judge/verdict.ts";

/**
 * Judges a server by the contract, over HTTP. The suite is loaded with the first call, so that CommonJS can require
 * this module.
 * @param target the server's base URL, which ends in /api/v1, or its profile
 * @returns the report, as in `conformance.json`
 * @throws Unreachable when no server of this kind answers; WrongUse when profile or options are invalid
 */
export const judge = async (target: string | Profile, options?: JudgeOptions): Promise<Report> =>
  (await import("../conformance/run/library.ts")).judge(target, options);
