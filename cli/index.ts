export { judge, type JudgeOptions } from "../conformance/run/library.ts";
export type {
  Report,
  ReportedCheck,
  ReportedClause,
  ReportedExchange,
} from "../conformance/report/report.ts";
export { defaultProfile, parseProfile, readProfile, type Profile } from "../conformance/server/profile.ts";
export { Unreachable, WrongUse } from "./exit.ts";
export type { Verdict } from "../conformance/judge/verdict.ts";
