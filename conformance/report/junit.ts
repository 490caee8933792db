import type { Verdict } from "../judge/verdict.ts";
import { causesIn, type Cause } from "./causes.ts";
import { explanation } from "./explained.ts";
import { judgedLine } from "./judged.ts";
import { repeatOf, type Report, type ReportedCheck } from "./report.ts";
import { element, junit, secondsOf, type Suite } from "../../base/junit.ts";

/** The part of a report that JUnit shows. */
type Shown = Pick<Report, "target" | "started_at" | "duration_ms" | "checks" | "causes" | "party"> &
  Partial<Pick<Report, "clauses" | "summary">>;

/**
 * The report as JUnit XML, for CI systems. Each area is a test suite. `error` becomes an error. `blocked` is skipped
 * and names the failure that explains it; without one it is a failure. A failure of a shared cause names the one that
 * shows it best. `unverified` and `not_applicable` become skipped, with their reason, and never passed. A property of
 * the first suite, `judged`, says what was judged.
 */
export function junitReport(report: Shown): string {
  const holdUps = byCheck(report, ({ checks, blocks }) => (checks.length > 0 ? blocks : []));
  const leads = byCheck(report, ({ checks, lead }) => checks.filter((id) => id !== lead));
  const suites = [...Map.groupBy(report.checks, areaOf)].map(([area, checks], index): Suite => {
    const together = checks.reduce((sum, check) => sum + check.duration_ms, 0);
    const counts = { ...totals(checks, holdUps), time: secondsOf(together) };
    return {
      attributes: { name: area, ...counts, timestamp: report.started_at },
      judged: index === 0 ? judgedIn(report) : undefined,
      cases: checks.map((check) => {
        const name = `${check.id}: ${check.title}`;
        return {
          attributes: { classname: area, name, time: secondsOf(check.duration_ms) },
          outcome: outcome(check, report, holdUps.get(check.id), leads.get(check.id)),
        };
      }),
    };
  });
  const counts = { ...totals(report.checks, holdUps), time: secondsOf(report.duration_ms) };
  return junit({ name: report.target, ...counts }, suites);
}

const judgedIn = ({ checks, clauses, summary }: Shown): string | undefined =>
  clauses && summary && judgedLine({ checks, clauses, summary });

/** The area of the first clause; a scenario of a client may cite none. */
const areaOf = ({ clauses: [first] }: ReportedCheck): string => first?.split("-")[0] ?? "CLIENT";

/** The causes by the ids of some of their checks. */
const byCheck = (report: Shown, some: (cause: Cause) => readonly string[]): ReadonlyMap<string, Cause> =>
  new Map(causesIn(report).flatMap((cause) => some(cause).map((id) => [id, cause])));

function totals(checks: readonly ReportedCheck[], holdUps: ReadonlyMap<string, Cause>) {
  const count = (...wanted: Verdict[]): number =>
    checks.filter(({ verdict }) => wanted.includes(verdict)).length;
  const waiting = checks.filter(({ id }) => holdUps.has(id)).length;
  return {
    tests: checks.length,
    failures: count("fail", "blocked") - waiting,
    errors: count("error"),
    skipped: count("unverified", "not_applicable", "known") + waiting,
  };
}

function outcome(check: ReportedCheck, report: Shown, holdUp?: Cause, shared?: Cause): string[] {
  if (holdUp !== undefined)
    return [element("skipped", { message: `waits for ${holdUp.lead}: ${holdUp.what}` })];
  const culprit = check.culprit === null ? undefined : check.exchanges[check.culprit];
  const detail = [
    shared && `one cause with ${shared.lead}: ${shared.what}`,
    check.clauses.join(" "),
    check.expected === null ? check.reason : `expected ${check.expected}\nreceived ${check.received}`,
    check.note,
    repeatOf(culprit, report),
    explanation(check),
  ].filter((part) => part != null);
  const body = detail.join("\n");
  const message = check.reason ?? "";
  switch (check.verdict) {
    case "fail":
    case "blocked":
      return [element("failure", { type: check.verdict, message }, body)];
    case "error":
      return [element("error", { message }, body)];
    case "warn":
      return [element("system-out", {}, body)];
    case "unverified":
    case "not_applicable":
    case "known":
      return [element("skipped", { message })];
    case "pass":
      return [];
  }
}
