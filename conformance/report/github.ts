import { causesIn, saysMore, type Cause } from "./causes.ts";
import { explanation } from "./explained.ts";
import { marks } from "./marks.ts";
import { repeatOf, type Report, type ReportedCheck } from "./report.ts";
import { judgedLine } from "./judged.ts";
import { asideWords, isKnownFailure, isNew } from "./known.ts";
import { inNumbers } from "./tally.ts";
import { againstBase, consequence, partLine } from "./terminal.ts";
import { markdown, workflowCommand } from "../../base/escaped.ts";

/** GitHub shows no more of a step. */
const maxAnnotations = 10;

/**
 * The report as GitHub Actions workflow commands, one per line: an error for each cause of what failed or could not
 * run, the biggest cause first; a warning for each that only warns; one notice for everything unverified.
 */
export function githubAnnotations(report: Report): string[] {
  const unverified = report.checks.filter(({ verdict }) => verdict === "unverified");
  const remedies = new Set(unverified.map(({ remedy }) => remedy).filter((remedy) => remedy !== null));
  const notice =
    unverified.length === 0
      ? []
      : [
          workflowCommand(
            "notice",
            { title: "Contract: unverified" },
            [judgedLine(report), ...remedies].join("\n"),
          ),
        ];
  const checks = new Map(report.checks.map((check) => [check.id, check]));
  const causes = causesIn(report).slice(0, maxAnnotations - notice.length);
  return [...causes.map((cause) => annotation(cause, checks.get(cause.lead)!, report)), ...notice];
}

function annotation(cause: Cause, check: ReportedCheck, report: Report): string {
  const culprit = check.culprit === null ? undefined : check.exchanges[check.culprit];
  const lines = [
    check.title + consequence(cause),
    ...(saysMore(cause, check) ? [cause.what] : []),
    cause.declare,
    check.note,
    ...(check.expected === null
      ? [check.reason]
      : [`expected ${check.expected}`, `received ${check.received}`]),
    repeatOf(culprit, report),
    explanation(check),
  ];
  const title = `${check.clauses.join(" ")} ${marks[check.verdict].word}`;
  const kind = cause.verdict === "warn" ? "warning" : "error";
  return workflowCommand(kind, { title }, lines.filter((line) => line != null).join("\n"));
}

/** The outputs of the action: the verdict in a word, the number of failures, and the clauses that they break. */
export function githubOutputs({ summary, clauses }: Report, status: number): string {
  const broken = clauses.filter(({ verdict }) => verdict === "fail").map(({ id }) => id);
  const verdict = status === 0 ? "passed" : status === 1 ? "failed" : "error";
  return `verdict=${verdict}\nfailed=${summary.fail}\nclauses=${broken.join(" ")}\n`;
}

/** Causes that the summary shows, and characters of a server's words; the report has all. */
const maxCauses = 10;
const maxCharacters = 300;

/** The report as the summary of a job, in Markdown: the counts, what to fix first, and what changed from the base. */
export function githubSummary(report: Report): string {
  const all = causesIn(report);
  const causes = all.filter(({ verdict }) => verdict !== "error");
  const errors = all.filter(({ verdict }) => verdict === "error");
  return [
    `## Contract ${report.contract_version}: ${inNumbers(report)}`,
    ...(report.part === undefined ? [] : [markdown(`Judged ${partLine(report)}.`)]),
    markdown(judgedLine(report)),
    ...(report.base === undefined ? [] : [againstBase(report.base)]),
    ...(report.causes_note === undefined ? [] : [markdown(report.causes_note)]),
    ...section(
      "Internal errors, for the authors of the suite to fix",
      errors.slice(0, maxCauses).map(causeLine),
    ),
    ...section("Fix first", causes.slice(0, maxCauses).map(causeLine)),
    ...(causes.length > maxCauses ? [`and ${causes.length - maxCauses} more in the report`] : []),
    ...section(
      "Introduced",
      (report.base?.introduced ?? []).map((id) => `- ${code(id)}`),
    ),
    ...section(
      "Fixed",
      (report.base?.mended ?? []).map((id) => `- ${code(id)}`),
    ),
    ...section(
      "No longer verified, which the base had verified",
      (report.base?.unverified ?? []).map((id) => `- ${code(id)}`),
    ),
    ...section("Known", report.checks.filter(isKnownFailure).map(asideLine)),
    ...section(`New since ${report.requirements}`, report.checks.filter(isNew).map(asideLine)),
    "",
  ].join("\n\n");
}

const section = (heading: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : [`### ${heading}`, lines.slice(0, 50).join("\n")];

const causeLine = (cause: Cause): string =>
  `- **${cause.clauses[0] ?? ""}** ${markdown(cause.what.slice(0, maxCharacters))}${consequence(cause)}`;

const asideLine = (check: ReportedCheck): string =>
  `- ${code(check.id)} ${markdown(asideWords(check).slice(0, maxCharacters))}`;

const code = (id: string): string => `\`${id}\``;
