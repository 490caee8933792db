import type { Report, ReportedCheck } from "./report.ts";

/**
 * The report as JUnit XML, as CI systems read it. A clause's area is a suite. `blocked` reads as a failure and `error`
 * as an error; `unverified` and `not_applicable` read as skipped, with their reason, and never as passed.
 */
export function junitReport(report: Report): string {
  const suites = Map.groupBy(report.checks, (check) => check.clauses[0]!.split("-")[0]!);
  const count = (checks: ReportedCheck[], ...wanted: string[]): number =>
    checks.filter((check) => wanted.includes(check.verdict)).length;
  const seconds = (ms: number): string => (ms / 1000).toFixed(3);
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="${xml(report.target)}" time="${seconds(report.duration_ms)}">`,
  ];
  for (const [area, checks] of suites) {
    lines.push(
      `  <testsuite name="${area}" tests="${checks.length}" failures="${count(checks, "fail", "blocked")}"` +
        ` errors="${count(checks, "error")}" skipped="${count(checks, "unverified", "not_applicable")}"` +
        ` timestamp="${report.started_at}">`,
    );
    for (const check of checks) {
      lines.push(
        `    <testcase classname="${area}" name="${xml(`${check.id}: ${check.title}`)}" time="${seconds(check.duration_ms)}">`,
      );
      lines.push(...outcome(check).map((line) => `      ${line}`), "    </testcase>");
    }
    lines.push("  </testsuite>");
  }
  return [...lines, "</testsuites>", ""].join("\n");
}

function outcome(check: ReportedCheck): string[] {
  const culprit = check.culprit === null ? undefined : check.exchanges[check.culprit];
  const detail = [
    check.clauses.join(" "),
    check.expected === null ? check.reason : `expected ${check.expected}\nreceived ${check.received}`,
    culprit?.curl,
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

const entities: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};

/** Escapes text for XML 1.0, which has no way at all to write most control characters. */
const xml = (text: string): string =>
  text
    // eslint-disable-next-line no-control-regex -- these are the characters that XML forbids
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "\ufffd")
    .replace(/[&<>"']/g, (character) => entities[character]!);
