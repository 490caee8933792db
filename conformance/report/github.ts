import { explanation } from "./explained.ts";
import { marks } from "./marks.ts";
import type { Report, ReportedCheck } from "./report.ts";
import { plain } from "../judge/plain.ts";

/**
 * The report as GitHub Actions workflow commands, one per line: an error for each check that failed or could not run, a
 * warning for each that warned, and one notice for everything unverified.
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
    explanation(check),
  ];
  const title = `${check.clauses.join(" ")} ${marks[check.verdict].word}`;
  return [command(kind, title, lines.filter((line) => line != null).join("\n"))];
}

/** A command's value must not contain line breaks or the characters that separate values. */
function command(kind: string, title: string, message: string): string {
  const escaped = (text: string): string =>
    plain(text).replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
  return `::${kind} title=${escaped(title).replaceAll(":", "%3A").replaceAll(",", "%2C")}::${escaped(message)}`;
}
