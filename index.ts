export { judge, type JudgeOptions } from "./conformance/library.ts";
export type { Report, ReportedCheck, ReportedClause, ReportedExchange } from "./conformance/report/report.ts";
export { defaultProfile, parseProfile, readProfile, type Profile } from "./conformance/subject/profile.ts";
export { Unreachable, WrongUse } from "./cli/exit.ts";
export type { Verdict } from "./conformance/judge/verdict.ts";
