import type { Verdict } from "../judge/verdict.ts";
import { isUnexplained } from "./exit.ts";
import { asideWords, isKnownFailure, isNew } from "./known.ts";
import { inWords } from "./coverage.ts";
import type { Paint } from "../../base/paint.ts";
import { inLine, plain } from "../../base/plain.ts";
import { causesIn, cutTo, saysMore, type Cause } from "./causes.ts";
import { declaredOff, missingOperations } from "./declared.ts";
import { explained } from "./explained.ts";
import { judgedLine, judgedNothing } from "./judged.ts";
import { marks } from "./marks.ts";
import {
  repeatOf,
  replayOf,
  type AgainstBase,
  type Report,
  type ReportedCheck,
  type ReportedExchange,
} from "./report.ts";
import { tallyOf } from "./tally.ts";

const styles: Record<Verdict, Parameters<Paint>[0]> = {
  pass: "green",
  fail: "red",
  warn: "yellow",
  unverified: "magenta",
  blocked: "yellow",
  known: "gray",
  not_applicable: "gray",
  error: "red",
};

/** What a report for a terminal leaves out, and what it adds. */
interface TerminalOptions {
  /** Everything, everything but what could not be verified, or only the counts. */
  show: "all" | "causes" | "counts";
  remarks: readonly string[];
  unread: readonly string[];
}

/**
 * The report for people: what to fix, the biggest cause first, then what could not be verified, then the counts.
 * Server text is stripped of control characters, so that it cannot control the terminal.
 * @param remarks lines before the last one, about what was seen
 * @param unread sentences that end the last line, about what could not be read
 */
export function terminalReport(
  report: Report,
  paint: Paint,
  { show = "all", remarks = [], unread = [] }: Partial<TerminalOptions> = {},
): string {
  const notes = [report.version_note, report.causes_note].filter((note) => note !== undefined);
  const lines = [
    ...(judgedNothing(report) ? [paint("magenta", judgedLine(report))] : []),
    ...notes.map((note) => paint("yellow", plain(note))),
  ];
  if (report.gone !== undefined) {
    lines.push(
      paint("red", `The server went away in mid-run (${plain(report.gone)}); this is what was seen before.`),
    );
  }
  const checks = new Map(report.checks.map((check) => [check.id, check]));
  const causes = causesIn(report);
  if (show !== "counts")
    for (const some of paragraphsOf(causes)) {
      const [cause] = some as [Cause];
      const isDeclarable = cause.declare !== undefined;
      lines.push(
        "",
        ...(isDeclarable ? declarations(some, paint) : causeLines(cause, checks, report, paint)),
      );
    }
  if (show === "all")
    lines.push(...unverified(report, paint), ...lost(report, paint), ...setAside(report, paint));
  lines.push("", ...counts(report, paint));
  if (causes.length > 1 && causes[0]!.verdict !== "error")
    lines.push(paint("bold", `  Fix first: ${plain(causes[0]!.what)}${consequence(causes[0]!)}`));
  lines.push(...[...remarks, [judgedLine(report), ...unread].join(" ")].map((line) => `  ${plain(line)}`));
  return lines.join("\n");
}

/** How many checks a cause fails or blocks. */
export function consequence({ checks, blocks }: Pick<Cause, "checks" | "blocks">): string {
  const parts = [
    ...(checks.length > 1 ? [`${checks.length} failed`] : []),
    ...(blocks.length > 0 ? [`${blocks.length} blocked by it`] : []),
  ];
  return parts.length === 0 ? "" : ` (${parts.join(", ")})`;
}

/** Causes as they are shown: each by itself, but all operations that a profile can declare as off where the first is. */
function paragraphsOf(causes: readonly Cause[]): Cause[][] {
  const missing = missingOperations(causes);
  return causes.flatMap((cause) => {
    if (!missing.includes(cause)) return [[cause]];
    return cause === missing[0] ? [missing] : [];
  });
}

/** What a server may not have yet, with what its profile can say: of several operations, as one part to copy. */
function declarations(causes: readonly Cause[], paint: Paint): string[] {
  const [{ verdict, declare }] = causes as [Cause];
  const style = styles[verdict];
  const { sign } = marks[verdict];
  const words = (cause: Cause): string => `${plain(cause.what)}${consequence(cause)}`;
  if (causes.length === 1)
    return [
      `${paint(style, `${sign} ${words(causes[0]!)}`)}; if that is intended for now: ${paint("cyan", declare!)}`,
    ];
  return [
    `${paint(style, `${sign} ${causes.length} operations are not served`)}; if that is intended for now, the profile says so:`,
    ...declaredOff(causes, words).map((line) => `    ${paint("cyan", line)}`),
  ];
}

/** Findings of one cause that get a line each, in addition to the one that is shown in full. */
const maxAlso = 5;

/** One cause: the finding that shows it best in full, the others in a line each, and the checks that it blocks. */
function causeLines(
  cause: Cause,
  checks: ReadonlyMap<string, ReportedCheck>,
  report: Report,
  paint: Paint,
): string[] {
  const lead = checks.get(cause.lead)!;
  const { sign } = marks[cause.verdict];
  const others = cause.checks.filter((id) => id !== cause.lead).map((id) => checks.get(id)!);
  const lines = [
    ...(saysMore(cause, lead) ? [paint(styles[cause.verdict], `${sign} ${plain(cause.what)}`)] : []),
    ...clauseLines(lead.clauses[0] ?? "", report, paint),
    ...disappointment(lead, report, paint),
    ...others.slice(0, maxAlso).flatMap((check) => field("also", `${check.id}: ${briefly(check)}`)),
  ];
  if (others.length > maxAlso) lines.push(...field("", `and ${others.length - maxAlso} more`));
  const places = cause.places.length > 1 ? field("at", some(cause.places)) : [];
  const waiting = cause.blocks.filter((id) => id !== cause.lead);
  const wait = `${waiting.length} ${waiting.length === 1 ? "check" : "checks"}, which hides what they would find: `;
  return [
    ...lines,
    ...places,
    ...(waiting.length === 0 ? [] : field("blocks", wait + some(clausesOfChecks(waiting, checks)))),
  ];
}

const briefly = ({ expected, received, reason }: ReportedCheck): string =>
  cutTo(expected === null ? (reason ?? "") : `expected ${expected}, received ${received}`, 140);

const clausesOfChecks = (ids: readonly string[], checks: ReadonlyMap<string, ReportedCheck>): string[] => [
  ...new Set(ids.flatMap((id) => checks.get(id)?.clauses ?? [])),
];

/** The first of a list, and how many more there are. */
const some = (list: readonly string[]): string =>
  list.slice(0, 8).join(" ") + (list.length > 8 ? ` and ${list.length - 8} more` : "");

function clauseLines(id: string, report: Report, paint: Paint): string[] {
  const clause = report.clauses.find((clause) => clause.id === id);
  if (clause === undefined) return [paint("bold", id)];
  const { command, address } = explained(id);
  return [
    `${paint("bold", id)} ${clause.level}: ${clause.text}`,
    paint(
      "gray",
      `  ${clause.source}; explained by ${command}${address === null ? "" : `, or at ${address}`}`,
    ),
  ];
}

function disappointment(check: ReportedCheck, report: Report, paint: Paint): string[] {
  const lines = [`  ${paint(styles[check.verdict], `${marks[check.verdict].sign} ${check.title}`)}`];
  const others = check.clauses.slice(1);
  if (others.length > 0) lines.push(...field("cites too", others.join(" ")));
  if (check.expected !== null) {
    lines.push(...field("expected", check.expected), ...field("received", check.received ?? "nothing"));
  } else if (check.reason !== null) {
    lines.push(...field("because", check.reason));
  }
  if (check.note !== undefined) lines.push(...field("note", check.note));
  const culprit = check.culprit === null ? undefined : check.exchanges[check.culprit];
  if (culprit) {
    lines.push(...field("answered", String(culprit.status ?? "nothing")));
    const call = callBefore(check, check.culprit!);
    if (call && repeatOf(call, report))
      lines.push(...field("after", call.curl, (text) => paint("cyan", text)));
    const repeat = repeatOf(culprit, report);
    if (repeat !== undefined) lines.push(...field("repeat", repeat, (text) => paint("cyan", text)));
    if (repeat?.includes("«")) lines.push(...field("", "«…» stands for a secret: put in your own"));
  }
  if (report.recorded !== undefined) return lines;
  const replay = replayOf(report, check);
  return replay === null ? lines : [...lines, ...field("replay", replay)];
}

/** The newest Call or capability query before a read at fault: usually the subject of the read. */
function callBefore({ exchanges }: ReportedCheck, culprit: number): ReportedExchange | undefined {
  if (exchanges[culprit]!.method !== "GET") return undefined;
  return exchanges
    .slice(0, culprit)
    .findLast(
      ({ method, url }) => method === "POST" && /\/(tools\/execute|capabilities\/query)(\?|$)/.test(url),
    );
}

/** A labelled text; further lines are aligned below the first. */
function field(label: string, text: string, painted: (text: string) => string = (same) => same): string[] {
  return plain(text)
    .split("\n")
    .map((line, index) => `    ${(index === 0 ? label : "").padEnd(10)}${painted(line)}`);
}

/** Where the clauses of a reason that is not longer begin, in characters. */
const clausesFrom = 56;

function unverified(report: Report, paint: Paint): string[] {
  const groups = new Map<string, ReportedCheck[]>();
  for (const check of report.checks) {
    if (check.verdict !== "unverified") continue;
    const key = check.remedy ?? check.reason ?? "";
    groups.set(key, [...(groups.get(key) ?? []), check]);
  }
  if (groups.size === 0) return [];
  const lines = ["", paint("magenta", "? unverified: neither right nor wrong, since something was missing")];
  for (const [key, checks] of groups) {
    const ids = [...new Set(checks.flatMap((check) => check.clauses))];
    const [label, text] = checks[0]!.remedy
      ? ["profile", paint("cyan", plain(key))]
      : ["because", plain(key)];
    const gap = " ".repeat(Math.max(2, clausesFrom - plain(key).length));
    lines.push(`  ${label}   ${text}${gap}${some(ids)}`);
  }
  return lines;
}

/** Checks that fail as a list says or as they did at the base, and those that are newer than the requirements. */
const setAside = ({ checks, requirements }: Report, paint: Paint): string[] => [
  ...aside(checks.filter(isKnownFailure), "known failures", paint),
  ...aside(checks.filter(isNew), `new since ${requirements}, which fail nothing`, paint),
];

function aside(checks: readonly ReportedCheck[], words: string, paint: Paint): string[] {
  if (checks.length === 0) return [];
  return [
    "",
    paint("gray", `${marks[checks[0]!.verdict].sign} ${checks.length} ${words}`),
    ...checks.map((check) => `  ${check.id}: ${plain(asideWords(check).slice(0, 200))}`),
  ];
}

/** A hint for a report in which no failure explains what is blocked. */
const unexplained =
  "No failure in this run explains these blocked checks. A tool that failed may, or a clause that was left out. If neither does, the suite is at fault: please report it.";

function counts(report: Report, paint: Paint): string[] {
  const seconds = (report.duration_ms / 1000).toFixed(1);
  const kept = report.clauses.filter((clause) => clause.verdict === "pass").length;
  return [
    `${plain(report.target)}, contract ${report.contract_version}, ${seconds} s`,
    ...(report.part === undefined ? [] : [paint("yellow", `  ${partLine(report)}`)]),
    ...(report.sent === undefined ? [] : [sentLine(report.sent)]),
    ...(report.audit_lag === undefined || isNone(report.audit_lag) ? [] : [lagLine(report.audit_lag)]),
    ...(report.base === undefined ? [] : [`  ${againstBase(report.base)}`]),
    ...(report.requirements === undefined ? [] : [`  judged by the requirements of ${report.requirements}`]),
    ...tallyOf(report).map(
      ({ verdict, count, words }) =>
        `  ${paint(styles[verdict], marks[verdict].sign)} ${String(count).padStart(4)} ${words}`,
    ),
    ...(isUnexplained(report) && causesIn(report).some(({ declare }) => declare === undefined)
      ? [paint("red", `  ${unexplained}`)]
      : []),
    `  ${String(kept).padStart(6)} of ${report.clauses.length} clauses shown to be kept`,
    `         ${inWords(report.coverage)} seen`,
    `  ${String(report.readings.length).padStart(6)} open questions of the contract answered, listed in the reports`,
    paint("gray", `  ${hashLine(report)} (SHA-256)`),
  ];
}

/** What a run of a part was asked for: it says nothing of the rest. */
export const partLine = ({ part, checks }: Pick<Report, "part" | "checks">): string =>
  `a part of the suite (${plain(part ?? "")}): ${checks.length} ${checks.length === 1 ? "check or rule" : "checks and rules"}`;

/** What changed from the base branch's report, in a line. */
export const againstBase = ({
  started_at,
  other_suite,
  introduced,
  inherited,
  mended,
  unverified = [],
  other_profile,
}: AgainstBase): string =>
  `against the base of ${started_at.slice(0, 10)}: ${introduced.length} introduced, ${inherited.length} inherited, ${mended.length} fixed` +
  (unverified.length > 0 ? `, ${unverified.length} no longer verified` : "") +
  (other_suite ? "; another suite judged it, so what differs may be the suite's doing" : "") +
  (other_profile ? "; it had another profile" : "");

/** What the base had verified and this run did not, which fails it. */
function lost({ base, checks }: Report, paint: Paint): string[] {
  const ids = new Set(base?.unverified);
  if (ids.size === 0) return [];
  return [
    "",
    paint("red", `? ${ids.size} no longer verified, which the base had verified: this fails the run`),
    ...checks
      .filter(({ id }) => ids.has(id))
      .map(({ id, reason, remedy }) => `  ${id}: ${plain(remedy ?? reason ?? "")}`),
  ];
}

const sentLine = ({ requests, credits, waited_ms }: NonNullable<Report["sent"]>): string =>
  `  ${requests} requests, Calls for at most ${credits} credits, ${(waited_ms / 1000).toFixed(1)} s of waiting`;

/** Whether the books are up to date at once, as the profile says. */
const isNone = ({ seconds, measured }: NonNullable<Report["audit_lag"]>): boolean =>
  seconds === 0 && measured === undefined;

const lagLine = ({ seconds, measured }: NonNullable<Report["audit_lag"]>): string => {
  const allowed = `what is younger than ${seconds.toFixed(1)} s is not final`;
  if (measured === undefined) return `  ${allowed}`;
  return `  ${allowed}: rows were seen within ${measured.rows.toFixed(1)} s, sums within ${measured.sums.toFixed(1)} s`;
};

/** Enough of each hash to tell two apart: two reports are comparable when all three match. */
export const hashLine = ({ hashes }: Report): string =>
  (["suite", "contract", "profile"] as const).map((of) => `${of} ${hashes[of].slice(0, 12)}`).join(", ");

/** How often a stream other than a terminal gets a line of progress. */
const lineEveryMs = 10_000;

/** A progress line during the run; without a terminal, a line now and then. */
export function progress(stream: NodeJS.WriteStream): { show: (text: string) => void; clear: () => void } {
  if (!stream.isTTY) {
    let next = performance.now() + lineEveryMs;
    const show = (text: string): void => {
      if (performance.now() < next) return;
      next = performance.now() + lineEveryMs;
      stream.write(`${inLine(text)}\n`);
    };
    return { show, clear: () => undefined };
  }
  return {
    show: (text) => stream.write(`\r\x1b[2K${inLine(text).slice(0, (stream.columns || 80) - 1)}`),
    clear: () => stream.write("\r\x1b[2K"),
  };
}
