import { causesIn, type Cause } from "./causes.ts";
import { explanation } from "./explained.ts";
import { marks } from "./marks.ts";
import type { Report, ReportedCheck } from "./report.ts";
import { consequence } from "./terminal.ts";
import { plain } from "../judge/plain.ts";

/**
 * The report as GitHub Actions workflow commands, one per line: an error for each cause of what failed or could not run,
 * the cause of most first, since GitHub shows ten; a warning for each that only warns; one notice for everything
 * unverified.
 */
export function githubAnnotations(report: Report): string[] {
  const unverified = report.checks.filter(({ verdict }) => verdict === "unverified");
  const remedies = new Set(unverified.map(({ remedy }) => remedy).filter((remedy) => remedy !== null));
  const notice =
    unverified.length === 0
      ? []
      : [
          command(
            "notice",
            "Contract: unverified",
            [`${unverified.length} checks lack something, and say nothing.`, ...remedies].join("\n"),
          ),
        ];
  const checks = new Map(report.checks.map((check) => [check.id, check]));
  return [...causesIn(report).map((cause) => annotation(cause, checks.get(cause.lead)!)), ...notice];
}

function annotation(cause: Cause, check: ReportedCheck): string {
  const culprit = check.culprit === null ? undefined : check.exchanges[check.culprit];
  const lines = [
    check.title + consequence(cause),
    ...(cause.declare === undefined ? [] : [cause.what, cause.declare]),
    ...(check.expected === null
      ? [check.reason]
      : [`expected ${check.expected}`, `received ${check.received}`]),
    culprit?.curl,
    explanation(check),
  ];
  const title = `${check.clauses.join(" ")} ${marks[check.verdict].word}`;
  const kind = cause.verdict === "warn" ? "warning" : "error";
  return command(kind, title, lines.filter((line) => line != null).join("\n"));
}

/** A command's value must not contain line breaks or the characters that separate values. */
function command(kind: string, title: string, message: string): string {
  const escaped = (text: string): string =>
    plain(text).replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
  return `::${kind} title=${escaped(title).replaceAll(":", "%3A").replaceAll(",", "%2C")}::${escaped(message)}`;
}
