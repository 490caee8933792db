import { plain } from "../judge/plain.ts";
import { type Paint } from "../report/terminal.ts";
import {
  changeClasses,
  countsOf,
  type Change,
  type ChangeClass,
  type DriftReport,
  type Place,
} from "./change.ts";

const styles = { breaking: "red", risky: "yellow", safe: "green" } as const satisfies Record<
  ChangeClass,
  string
>;

/** A place as compilers write it. */
export const placeText = ({ file, line }: Place): string => `${file}:${line}`;

/** The report for people. Safe changes are only counted, unless `all`. */
export function textReport(report: DriftReport, paint: Paint, all: boolean): string {
  const lines: string[] = [];
  for (const one of changeClasses) {
    const changes = report.changes.filter((change) => change.class === one && change.ignored === null);
    if (changes.length === 0) continue;
    lines.push(paint("bold", paint(styles[one], `${one} (${changes.length})`)));
    if (one === "safe" && !all) lines.push("  --all shows them");
    else lines.push(...changes.flatMap((change) => changeLines(change, paint)));
    lines.push("");
  }
  const ignored = report.changes.filter((change) => change.ignored !== null);
  if (ignored.length > 0) {
    lines.push(paint("bold", `ignored (${ignored.length})`));
    for (const { kind, where, ignored: entry } of ignored) {
      lines.push(`  ${kind}, ${plain(where)}: ${plain(entry!.reason)} (until ${entry!.expires})`);
    }
    lines.push("");
  }
  for (const note of report.notes) lines.push(`note: ${plain(note)}`);
  lines.push(summaryOf(report));
  return lines.join("\n");
}

function changeLines(change: Change, paint: Paint): string[] {
  const field = (name: string, text: string): string =>
    `    ${name.padEnd(6)} ${plain(text).replaceAll("\n", " ")}`;
  const place = change.at ?? change.was_at;
  return [
    `  ${paint(styles[change.class], change.kind)}  ${plain(change.where)}`,
    ...(change.operations.length > 0 ? [field("of", change.operations.join(", "))] : []),
    ...(change.old === null ? [] : [field("old", change.old)]),
    ...(change.new === null ? [] : [field("new", change.new)]),
    field("why", change.why),
    ...(place === null ? [] : [field("at", placeText(place))]),
  ];
}

/** One line: what was compared with what, and the counts. */
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
