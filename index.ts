export { judge, type JudgeOptions } from "./conformance/judge.ts";
export type { Report, ReportedCheck, ReportedClause, ReportedExchange } from "./conformance/report/report.ts";
export { defaultProfile, parseProfile, readProfile, type Profile } from "./conformance/target/profile.ts";
export { Unreachable, WrongUse, type Verdict } from "./conformance/verdict.ts";
