import { markdown, workflowCommand } from "../../base/escaped.ts";
import { element, junit } from "../../base/junit.ts";
import { lastLine } from "../../base/judged.ts";
import { plain } from "../../base/plain.ts";
import { countsOf, type Change, type ChangeClass, type DriftReport } from "./change.ts";

const styles = { breaking: "red", risky: "yellow", safe: "green" } as const;

/** Adds colour on a terminal, and nothing elsewhere. */
type Paint = (style: (typeof styles)[ChangeClass] | "bold", text: string) => string;

/** Maximum number of changes of one kind that are listed by default. */
const maxOfKind = 8;

/** The nearest location, in the format of compilers; empty when unknown. */
function placeOf({ at, was_at }: Change): string {
  const place = at ?? was_at;
  return place === null ? "" : `${place.file}:${place.line}`;
}

/** The change of values: `: old → new`. */
function valuesOf({ old, new: now }: Change): string {
  if (old !== null && now !== null) return `: ${old} → ${now}`;
  return old !== null ? `: ${old} is gone` : now !== null ? `: ${now}` : "";
}

/** Names in a row, up to a maximum. */
function listOf(names: readonly string[], max = 4, separator = ", "): string {
  const more = names.length > max ? ` and ${names.length - max} more` : "";
  return names.slice(0, max).join(separator) + more;
}

/** The operations of a change, with their operationIds. */
const operationsOf = ({ operations }: Change, { operation_ids: ids = {} }: DriftReport): string =>
  listOf(operations.map((title) => (ids[title] === undefined ? title : `${title} (${ids[title][0]})`)));

/** The evidence for a change in recorded traffic; empty without a recording. */
function trafficOf({ traffic }: Change): string {
  if (traffic === null) return "";
  if (traffic.length === 0) return "no recorded exchange is affected";
  return `affects ${traffic.length} recorded: ${listOf(traffic, 3)}`;
}

/** What a report lists only by name: the changes that a policy ignores, and the fixed ones. */
function listsOf({ changes, mended = [] }: DriftReport) {
  const ignored = changes.flatMap(({ kind, where, ignored: entry }) => {
    const until = entry?.expires ? ` (until ${entry.expires})` : "";
    return entry === null ? [] : { kind, rest: `${where}: ${entry.reason}${until}` };
  });
  const lists = { ignored, fixed: mended.map(({ kind, where }) => ({ kind, rest: where })) };
  return Object.entries(lists).filter(([, list]) => list.length > 0);
}

/** The changes that count, by class, in the order of the report: the worst first. */
const byClass = ({ changes }: DriftReport) =>
  Map.groupBy(
    changes.filter(({ ignored }) => ignored === null),
    (change) => change.class,
  );

/** The report for people: changes by kind, the worst first. Only counts safe changes, unless `all`. */
export function textReport(report: DriftReport, paint: Paint, all: boolean): string {
  const lines: string[] = [];
  for (const [changeClass, changes] of byClass(report)) {
    const isHidden = changeClass === "safe" && !all;
    lines.push(
      paint("bold", paint(styles[changeClass], `${changeClass} (${countsOf(changes)[changeClass]})`)),
    );
    if (isHidden) lines.push("  --all shows them");
    for (const [kind, ofKind] of Map.groupBy(isHidden ? [] : changes, (change) => change.kind)) {
      const shown = all ? ofKind : ofKind.slice(0, maxOfKind);
      lines.push(`  ${paint(styles[changeClass], kind)}: ${ofKind[0]!.why}`);
      lines.push(...shown.flatMap((change) => linesOf(change, report)));
      const left = ofKind.length - shown.length;
      if (left > 0) lines.push(`    and ${left} more; --all lists them`);
    }
    lines.push("");
  }
  for (const [title, list] of listsOf(report)) {
    const named = list.map(({ kind, rest }) => `  ${kind}, ${plain(rest)}`);
    lines.push(paint("bold", `${title} (${list.length})`), ...named, "");
  }
  return [...lines, ...report.notes.map((note) => `note: ${plain(note)}`), ...summaryOf(report)].join("\n");
}

function linesOf(change: Change, report: DriftReport): string[] {
  const details = [
    [change.since, operationsOf(change, report)].filter(Boolean).join(": "),
    change.also.length > 0 && `also ${listOf(change.also.map(({ where }) => where))}`,
    placeOf(change),
    trafficOf(change),
    change.class !== "safe" && `fingerprint ${change.fingerprint}`,
  ];
  const lines = [`    ${change.where}${valuesOf(change)}`, `      ${details.filter(Boolean).join("; ")}`];
  return lines.map((line) => plain(line).replaceAll("\n", " ")).filter((line) => line.trim() !== "");
}

/** What was compared, and the last line with the counts. */
function summaryOf({ old, new: now, old_version, new_version, changes, judged }: DriftReport): string[] {
  const { breaking, risky, safe, ignored } = countsOf(changes);
  const named = (name: string, version: string | null): string =>
    version === null ? name : `${name} (${version})`;
  const counts = `${breaking} breaking, ${risky} risky, ${safe} safe${ignored > 0 ? `, ${ignored} ignored` : ""}`;
  return [
    plain(`${named(old, old_version)} → ${named(now, new_version)}: ${counts}`),
    lastLine(judged, judged.judged === 0 ? null : counts),
  ];
}

/** Maximum number of table rows, and of characters in all rows: a pull request's comment has a size limit. */
const maxRows = 100;
const maxCharacters = 40_000;

const capitalised = (word: string): string => word[0]!.toUpperCase() + word.slice(1);

/** The report as Markdown, for a pull request comment. */
export function markdownReport(report: DriftReport): string {
  const lines = ["## Contract drift", "", ...summaryOf(report).map(markdown), ""];
  let left = maxCharacters;
  for (const [changeClass, changes] of byClass(report)) {
    const rows = changes.slice(0, maxRows).map((change) => row(change, report));
    const fitting = rows.filter((cells) => {
      left -= cells.length;
      return left >= 0;
    });
    const more = changes.length - fitting.length;
    const title = `${capitalised(changeClass)} (${countsOf(changes)[changeClass]})`;
    // Safe changes are collapsed: a reviewer looks at the others first.
    lines.push(
      ...(changeClass === "safe" ? ["<details>", `<summary>${title}</summary>`] : [`### ${title}`]),
      "",
    );
    lines.push(
      "| Change | Operations | Where | Old | New | Why | At |",
      "| --- | --- | --- | --- | --- | --- | --- |",
      ...fitting,
      ...(more > 0 ? ["", `and ${more} more`] : []),
      "",
    );
    if (changeClass === "safe") lines.push("</details>", "");
  }
  for (const [title, list] of listsOf(report)) {
    const named = list.slice(0, maxRows).map(({ kind, rest }) => `- \`${kind}\`, ${markdown(rest)}`);
    lines.push(`### ${capitalised(title)} (${list.length})`, "", ...named, "");
  }
  for (const note of report.notes) lines.push(`> ${markdown(note)}`, "");
  return `${lines.join("\n").trimEnd()}\n`;
}

function row(change: Change, report: DriftReport): string {
  const { kind, where, also, why, since, fingerprint } = change;
  const cells = [
    operationsOf(change, report),
    listOf([where, ...also.map((place) => place.where)], 5, "; "),
    change.old ?? "",
    change.new ?? "",
    [why, trafficOf(change)].filter(Boolean).join("; "),
    placeOf(change),
  ];
  return `| \`${kind}\` ${since === undefined ? "" : `(${since}) `}${fingerprint} | ${cells.map(markdown).join(" | ")} |`;
}

/** A change in one or two sentences. */
function messageOf(change: Change): string {
  const { operations, where, also, why } = change;
  const of = operations.length > 0 ? ` of ${listOf(operations)}` : "";
  const places = also.length > 0 ? ` The same at ${listOf(also.map((place) => place.where))}.` : "";
  const traffic = trafficOf(change);
  return `${where}${of}${valuesOf(change)}. Why: ${why}.${places}${traffic && ` Traffic: ${traffic}.`}`;
}

/** The report as workflow commands, which GitHub shows next to the lines of a pull request. Omits safe changes. */
export const githubReport = ({ changes }: DriftReport, fileOf = (file: string) => file): string =>
  changes
    .filter((change) => change.class !== "safe" && change.ignored === null)
    .map((change) => {
      const level = change.class === "breaking" ? "error" : "warning";
      const command = change.since === "inherited" ? "notice" : level;
      const place = change.at && { file: fileOf(change.at.file), line: change.at.line };
      const title = `${change.class}: ${change.kind}`;
      return `${workflowCommand(command, { ...place, title }, messageOf(change))}\n`;
    })
    .join("");

/** The report as JUnit: a test for each change, failed where it fails the build. */
export function junitReport(report: DriftReport, fails: (change: Change) => boolean): string {
  const cases = report.changes.map((change) => {
    const { kind, where, fingerprint, ignored } = change;
    const message = `${messageOf(change)} ${placeOf(change)}`.trimEnd();
    const unfailed =
      ignored === null
        ? element("system-out", {}, `${change.class}: ${message}`)
        : element("skipped", { message: ignored.reason });
    const outcome = [fails(change) ? element("failure", { type: change.class, message }) : unfailed];
    const name = `${kind}: ${where} (${fingerprint})`;
    return { attributes: { classname: `drift.${change.class}`, name }, outcome };
  });
  if (cases.length === 0) cases.push({ attributes: { classname: "drift", name: "no change" }, outcome: [] });
  const counts = { tests: cases.length, failures: report.changes.filter(fails).length };
  return junit(counts, [{ attributes: { name: "contract drift", ...counts }, cases }]);
}
