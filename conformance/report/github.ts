import { marks } from "./marks.ts";
import type { Report, ReportedCheck } from "./report.ts";
import { plain } from "../judge/plain.ts";

/**
 * The report as workflow commands of GitHub Actions, a line each: an error for each check that failed or could not be
 * run, a warning for each that warned, and one notice for all that is unverified.
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
  return [...report.checks.flatMap(annotation), ...notice];
}

function annotation(check: ReportedCheck): string[] {
  const kind = { fail: "error", blocked: "error", error: "error", warn: "warning" }[check.verdict as string];
  if (kind === undefined) return [];
  const culprit = check.culprit === null ? undefined : check.exchanges[check.culprit];
  const lines = [
    check.title,
    ...(check.expected === null
      ? [check.reason]
      : [`expected ${check.expected}`, `received ${check.received}`]),
    culprit?.curl,
  ];
  const title = `${check.clauses.join(" ")} ${marks[check.verdict].word}`;
  return [command(kind, title, lines.filter((line) => line != null).join("\n"))];
}

/** A value of a command may hold neither line ends nor the characters that part one value from the next. */
function command(kind: string, title: string, message: string): string {
  const escaped = (text: string): string =>
    plain(text).replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
  return `::${kind} title=${escaped(title).replaceAll(":", "%3A").replaceAll(",", "%2C")}::${escaped(message)}`;
}
