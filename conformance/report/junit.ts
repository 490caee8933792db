import type { Verdict } from "../judge/verdict.ts";
import { causesIn, type Cause } from "./causes.ts";
import { explanation } from "./explained.ts";
import { judgedLine } from "./judged.ts";
import { repeatOf, type Report, type ReportedCheck } from "./report.ts";
import { xml } from "../../base/escaped.ts";

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
  const suites = Map.groupBy(report.checks, areaOf);
  const seconds = (ms: number): string => (ms / 1000).toFixed(3);
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="${xml(report.target)}" ${totals(report.checks, holdUps)} time="${seconds(report.duration_ms)}">`,
  ];
  let judged = judgedProperty(report);
  for (const [area, checks] of suites) {
    const together = checks.reduce((sum, check) => sum + check.duration_ms, 0);
    lines.push(
      `  <testsuite name="${area}" ${totals(checks, holdUps)} time="${seconds(together)}" timestamp="${xml(report.started_at)}">`,
    );
    lines.push(...judged);
    judged = [];
    for (const check of checks) {
      lines.push(
        `    <testcase classname="${area}" name="${xml(`${check.id}: ${check.title}`)}" time="${seconds(check.duration_ms)}">`,
      );
      lines.push(
        ...outcome(check, report, holdUps.get(check.id), leads.get(check.id)).map((line) => `      ${line}`),
        "    </testcase>",
      );
    }
    lines.push("  </testsuite>");
  }
  return [...lines, "</testsuites>", ""].join("\n");
}

function judgedProperty({ checks, clauses, summary }: Shown): string[] {
  if (clauses === undefined || summary === undefined) return [];
  const value = xml(judgedLine({ checks, clauses, summary }));
  return [`    <properties><property name="judged" value="${value}"/></properties>`];
}

/** The area of the first clause; a scenario of a client may cite none. */
const areaOf = ({ clauses: [first] }: ReportedCheck): string => first?.split("-")[0] ?? "CLIENT";

/** The causes by the ids of some of their checks. */
const byCheck = (report: Shown, some: (cause: Cause) => readonly string[]): ReadonlyMap<string, Cause> =>
  new Map(causesIn(report).flatMap((cause) => some(cause).map((id) => [id, cause])));

function totals(checks: readonly ReportedCheck[], holdUps: ReadonlyMap<string, Cause>): string {
  const count = (...wanted: Verdict[]): number =>
    checks.filter(({ verdict }) => wanted.includes(verdict)).length;
  const waiting = checks.filter(({ id }) => holdUps.has(id)).length;
  return (
    `tests="${checks.length}" failures="${count("fail", "blocked") - waiting}" errors="${count("error")}"` +
    ` skipped="${count("unverified", "not_applicable", "known") + waiting}"`
  );
}

function outcome(check: ReportedCheck, report: Shown, holdUp?: Cause, shared?: Cause): string[] {
  if (holdUp !== undefined)
    return [`<skipped message="${xml(`waits for ${holdUp.lead}: ${holdUp.what}`)}"/>`];
  const culprit = check.culprit === null ? undefined : check.exchanges[check.culprit];
  const detail = [
    shared && `one cause with ${shared.lead}: ${shared.what}`,
    check.clauses.join(" "),
    check.expected === null ? check.reason : `expected ${check.expected}\nreceived ${check.received}`,
    check.note,
    repeatOf(culprit, report),
    explanation(check),
  ].filter((part) => part != null);
  const body = xml(detail.join("\n"));
  const message = xml(check.reason ?? "");
  switch (check.verdict) {
    case "fail":
    case "blocked":
      return [`<failure type="${check.verdict}" message="${message}">${body}</failure>`];
    case "error":
      return [`<error message="${message}">${body}</error>`];
    case "warn":
      return [`<system-out>${body}</system-out>`];
    case "unverified":
    case "not_applicable":
    case "known":
      return [`<skipped message="${message}"/>`];
    case "pass":
      return [];
  }
}
