import { plain } from "../../cli/plain.ts";
import { countsOf, type Change, type DriftReport, type Place } from "./change.ts";
import { changeClasses, type ChangeClass } from "./kinds.ts";

const styles = { breaking: "red", risky: "yellow", safe: "green" } as const;

/** Adds colour on a terminal, and nothing elsewhere. */
export type Paint = (style: (typeof styles)[ChangeClass] | "bold", text: string) => string;

/** Maximum number of changes of one kind, and of names in a row, listed by default. */
const maxOfKind = 8;
const maxNames = 4;

/** A location in the format of compilers. */
export const placeText = ({ file, line }: Place): string => `${file}:${line}`;

/** The change of values: `: old → new`. */
export function valuesText({ old, new: now }: Change): string {
  if (old !== null && now !== null) return `: ${old} → ${now}`;
  return old !== null ? `: ${old} is gone` : now !== null ? `: ${now}` : "";
}

/** Names in a row, up to the maximum. */
export const listText = (names: readonly string[], max = maxNames): string =>
  names.length <= max ? names.join(", ") : `${names.slice(0, max).join(", ")} and ${names.length - max} more`;

/** The operations of a change, with method and path. */
export const operationsText = ({ operations }: Change, { titles = {} }: DriftReport): string =>
  listText(operations.map((name) => (titles[name] === undefined ? name : `${titles[name]} (${name})`)));

/** The evidence for a change in recorded traffic; empty without a recording. */
export function trafficText({ traffic }: Change): string {
  if (traffic === null) return "";
  return traffic.length === 0
    ? "no recorded exchange is affected"
    : `affects ${traffic.length} recorded: ${listText(traffic, 3)}`;
}

/** What a report lists by name alone: the changes that a policy ignores, and those that are mended. */
export function listsOf({ changes, mended = [] }: DriftReport) {
  const ignored = changes.flatMap(({ kind, where, ignored: entry }) =>
    entry === null ? [] : { kind, rest: `${where}: ${entry.reason} (until ${entry.expires})` },
  );
  const lists = [
    { title: "ignored", list: ignored },
    { title: "mended", list: mended.map(({ kind, where }) => ({ kind, rest: where })) },
  ];
  return lists.filter(({ list }) => list.length > 0);
}

/** The changes that count, by class, the worst first. */
export const byClass = ({ changes }: DriftReport): [ChangeClass, Change[]][] =>
  changeClasses.flatMap((one): [ChangeClass, Change[]][] => {
    const counting = changes.filter((change) => change.class === one && change.ignored === null);
    return counting.length === 0 ? [] : [[one, counting]];
  });

/** The report for people: changes by kind, the worst first. Only counts safe changes, unless `all`. */
export function textReport(report: DriftReport, paint: Paint, all: boolean): string {
  const lines: string[] = [];
  for (const [one, changes] of byClass(report)) {
    const isHidden = one === "safe" && !all;
    lines.push(paint("bold", paint(styles[one], `${one} (${countsOf(changes)[one]})`)));
    if (isHidden) lines.push("  --all shows them");
    for (const [kind, ofKind] of Map.groupBy(isHidden ? [] : changes, (change) => change.kind)) {
      const shown = all ? ofKind : ofKind.slice(0, maxOfKind);
      lines.push(`  ${paint(styles[one], kind)}: ${ofKind[0]!.why}`);
      lines.push(...shown.flatMap((change) => changeLines(change, report)));
      const left = ofKind.length - shown.length;
      if (left > 0) lines.push(`    and ${left} more; --all lists them`);
    }
    lines.push("");
  }
  for (const { title, list } of listsOf(report)) {
    const named = list.map(({ kind, rest }) => `  ${kind}, ${plain(rest)}`);
    lines.push(paint("bold", `${title} (${list.length})`), ...named, "");
  }
  return [...lines, ...report.notes.map((note) => `note: ${plain(note)}`), summaryOf(report)].join("\n");
}

function changeLines(change: Change, report: DriftReport): string[] {
  const place = change.at ?? change.was_at;
  const details = [
    [change.since, operationsText(change, report)].filter(Boolean).join(": "),
    change.also.length > 0 && `also ${listText(change.also.map(({ where }) => where))}`,
    place && placeText(place),
    trafficText(change),
  ];
  const lines = [`    ${change.where}${valuesText(change)}`, `      ${details.filter(Boolean).join("; ")}`];
  return lines.map((line) => plain(line).replaceAll("\n", " ")).filter((line) => line.trim() !== "");
}

/** One line: what was compared, and the counts. */
export function summaryOf(report: DriftReport): string {
  const { breaking, risky, safe, ignored } = countsOf(report.changes);
  const named = (name: string, version: string | null): string =>
    version === null ? name : `${name} (${version})`;
  const compared = `${named(report.old, report.old_version)} → ${named(report.new, report.new_version)}`;
  const counts = `${breaking} breaking, ${risky} risky, ${safe} safe`;
  return plain(`${compared}: ${counts}${ignored > 0 ? `, ${ignored} ignored` : ""}`);
}
