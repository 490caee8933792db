import { plain } from "../../cli/plain.ts";
import { changeClasses, type ChangeClass } from "./kinds.ts";
import { countsOf, type Change, type DriftReport, type Place } from "./change.ts";

const styles = { breaking: "red", risky: "yellow", safe: "green" } as const satisfies Record<
  ChangeClass,
  string
>;

/** Adds colour on a terminal, and nothing elsewhere. */
export type Paint = (style: "red" | "yellow" | "green" | "bold", text: string) => string;

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

/** Operations with method and path. */
export const namedOperations = (names: readonly string[], titles: DriftReport["titles"] = {}): string[] =>
  names.map((name) => (titles[name] === undefined ? name : `${titles[name]} (${name})`));

/** The evidence for a change in recorded traffic; empty without a recording. */
export function trafficText({ traffic }: Change): string {
  if (traffic === null) return "";
  return traffic.length === 0
    ? "no recorded exchange is affected"
    : `affects ${traffic.length} recorded: ${listText(traffic, 3)}`;
}

/** What a report lists by name alone: the changes that a policy ignores, and those that are mended. */
export function listsOf({
  changes,
  mended = [],
}: DriftReport): [title: string, lines: { kind: string; rest: string }[]][] {
  const ignored = changes.flatMap(({ kind, where, ignored: entry }) =>
    entry === null ? [] : { kind, rest: `${where}: ${entry.reason} (until ${entry.expires})` },
  );
  const lists: ReturnType<typeof listsOf> = [
    ["ignored", ignored],
    ["mended", mended.map(({ kind, where }) => ({ kind, rest: where }))],
  ];
  return lists.filter(([, lines]) => lines.length > 0);
}

/** The changes of a class that count. */
export const counting = (report: DriftReport, one: ChangeClass): Change[] =>
  report.changes.filter((change) => change.class === one && change.ignored === null);

/** The report for people: changes by kind, the worst first. Only counts safe changes, unless `all`. */
export function textReport(report: DriftReport, paint: Paint, all: boolean): string {
  const lines: string[] = [];
  for (const one of changeClasses) {
    const changes = counting(report, one);
    if (changes.length === 0) continue;
    lines.push(paint("bold", paint(styles[one], `${one} (${changes.length})`)));
    if (one === "safe" && !all) lines.push("  --all shows them");
    for (const [kind, ofKind] of one === "safe" && !all
      ? []
      : Map.groupBy(changes, (change) => change.kind)) {
      const shown = all ? ofKind : ofKind.slice(0, maxOfKind);
      lines.push(`  ${paint(styles[one], kind)}: ${ofKind[0]!.why}`);
      lines.push(...shown.flatMap((change) => changeLines(change, report.titles)));
      const left = ofKind.length - shown.length;
      if (left > 0) lines.push(`    and ${left} more; --all lists them`);
    }
    lines.push("");
  }
  for (const [title, list] of listsOf(report)) {
    const named = list.map(({ kind, rest }) => `  ${kind}, ${plain(rest)}`);
    lines.push(paint("bold", `${title} (${list.length})`), ...named, "");
  }
  for (const note of report.notes) lines.push(`note: ${plain(note)}`);
  lines.push(summaryOf(report));
  return lines.join("\n");
}

function changeLines(change: Change, titles: DriftReport["titles"] = {}): string[] {
  const place = change.at ?? change.was_at;
  const more = change.also.map(({ where }) => where);
  const details = [
    [change.since ?? "", listText(namedOperations(change.operations, titles))].filter(Boolean).join(": "),
    more.length > 0 ? `also ${listText(more)}` : "",
    place === null ? "" : placeText(place),
    trafficText(change),
  ].filter((text) => text !== "");
  const line = (text: string): string => plain(text).replaceAll("\n", " ");
  return [
    `    ${line(change.where + valuesText(change))}`,
    ...(details.length > 0 ? [`      ${line(details.join("; "))}`] : []),
  ];
}

/** One line: what was compared, and the counts. */
export function summaryOf(report: DriftReport): string {
  const counts = countsOf(report.changes);
  const named = (name: string, version: string | null): string =>
    version === null ? name : `${name} (${version})`;
  const compared = `${named(report.old, report.old_version)} → ${named(report.new, report.new_version)}`;
  const ignored = counts.ignored > 0 ? `, ${counts.ignored} ignored` : "";
  return plain(
    `${compared}: ${counts.breaking} breaking, ${counts.risky} risky, ${counts.safe} safe${ignored}`,
  );
}
