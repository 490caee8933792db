import type { Verdict } from "../judge/verdict.ts";
import { explanation } from "./explained.ts";
import { repeatOf, type Report, type ReportedCheck } from "./report.ts";
import { xml } from "./xml.ts";

/**
 * The report as JUnit XML, for CI systems. Each area is a test suite. `blocked` becomes a failure and `error` an error;
 * `unverified` and `not_applicable` become skipped, with their reason, and never passed.
 */
export function junitReport(
  report: Pick<Report, "target" | "started_at" | "duration_ms" | "checks" | "party">,
): string {
  const suites = Map.groupBy(report.checks, (check) => areaOf(check));
  const seconds = (ms: number): string => (ms / 1000).toFixed(3);
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="${xml(report.target)}" ${totals(report.checks)} time="${seconds(report.duration_ms)}">`,
  ];
  for (const [area, checks] of suites) {
    const together = checks.reduce((sum, check) => sum + check.duration_ms, 0);
    lines.push(
      `  <testsuite name="${area}" ${totals(checks)} time="${seconds(together)}" timestamp="${xml(report.started_at)}">`,
    );
    for (const check of checks) {
      lines.push(
        `    <testcase classname="${area}" name="${xml(`${check.id}: ${check.title}`)}" time="${seconds(check.duration_ms)}">`,
      );
      lines.push(...outcome(check, report).map((line) => `      ${line}`), "    </testcase>");
    }
    lines.push("  </testsuite>");
  }
  return [...lines, "</testsuites>", ""].join("\n");
}

/** The area of the first clause; a scenario may rest on none. */
const areaOf = ({ clauses: [first] }: ReportedCheck): string => first?.split("-")[0] ?? "CLIENT";

function totals(checks: readonly ReportedCheck[]): string {
  const count = (...wanted: Verdict[]): number =>
    checks.filter(({ verdict }) => wanted.includes(verdict)).length;
  return (
    `tests="${checks.length}" failures="${count("fail", "blocked")}" errors="${count("error")}"` +
    ` skipped="${count("unverified", "not_applicable")}"`
  );
}

function outcome(check: ReportedCheck, report: Pick<Report, "party">): string[] {
  const culprit = check.culprit === null ? undefined : check.exchanges[check.culprit];
  const detail = [
    check.clauses.join(" "),
    check.expected === null ? check.reason : `expected ${check.expected}\nreceived ${check.received}`,
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
      return [`<skipped message="${message}"/>`];
    case "pass":
      return [];
  }
}
