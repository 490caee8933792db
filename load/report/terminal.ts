import { clauseOf } from "../../conformance/judge/clauses.ts";
import { curlOf } from "../../conformance/judge/exchange.ts";
import { explained } from "../../conformance/report/explained.ts";
import { marks } from "../../conformance/report/marks.ts";
import { plain } from "../../conformance/judge/plain.ts";
import { type Paint } from "../../conformance/report/terminal.ts";
import { percentiles, type Latency } from "../figures.ts";
import type { Finding } from "../judgement.ts";
import { loadStatus, verdictOf, type LoadReport } from "./load-report.ts";

const colour = { fail: "red", warn: "yellow" } as const;

/** The report for the terminal: faults, then figures, then notes. */
export function terminalReport(report: LoadReport, paint: Paint): string {
  const lines = [
    ...(report.version_note === null ? [] : [paint("yellow", plain(report.version_note))]),
    ...report.findings.flatMap((finding) => findingLines(finding, paint)),
  ];
  lines.push("", ...table(report, paint));
  if (report.thresholds.length > 0) lines.push("");
  for (const { text, kept, measured } of report.thresholds) {
    const said = measured === null ? "not measured" : `measured ${shown(measured)}`;
    lines.push(
      paint(kept ? "green" : "red", `  ${kept ? marks.pass.sign : marks.fail.sign} ${text}, ${said}`),
    );
  }
  lines.push("", ...report.notes.map((note) => `  ${plain(note)}`), "", summary(report, paint));
  return lines.join("\n");
}

function findingLines(finding: Finding, paint: Paint): string[] {
  const { name, clauses, verdict, title, expected, received, count, exchanges } = finding;
  const field = (label: string, text: string): string => `    ${label.padEnd(10)}${plain(text)}`;
  const lines = [
    "",
    `${paint(colour[verdict], `${marks[verdict].sign} ${plain(title)}`)} ${paint("gray", `(${name})`)}`,
  ];
  for (const id of clauses) {
    const { command, published } = explained(id);
    lines.push(field(id, clauseOf(id).text), field("explained", published ?? command));
  }
  lines.push(
    field("expected", expected),
    field("received", `${received}${count > 1 ? `; ${count} times` : ""}`),
  );
  const [first] = exchanges;
  if (first)
    lines.push(
      field("answered", String(first.response?.status ?? "nothing")),
      field("repeat", curlOf(first)),
    );
  return lines;
}

/** Formats milliseconds, or any other number, to a sensible precision. */
export const shown = (value: number): string =>
  value >= 100 || Number.isInteger(value) ? String(Math.round(value)) : value.toFixed(value < 10 ? 2 : 1);

function table({ steps }: LoadReport, paint: Paint): string[] {
  if (steps.length === 0) return ["  no request was answered"];
  const head = [
    "latency, ms",
    "answers",
    "mean",
    ...percentiles.map((one) => (one === 100 ? "most" : `p${one}`)),
  ];
  const row = (name: string, latency: Latency): string[] => [
    name,
    String(latency.count),
    shown(latency.mean_ms),
    ...percentiles.map((one) => shown(latency[`p${one}_ms`]!)),
  ];
  const rows = steps.flatMap(({ step, all, by_status }) => [
    row(step, all),
    ...(Object.keys(by_status).length > 1
      ? Object.entries(by_status).map(([status, latency]) => row(`  ${status}`, latency))
      : []),
  ]);
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((cells) => cells[column]!.length)));
  const line = (cells: readonly string[]): string =>
    `  ${cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!))).join("  ")}`;
  return [paint("gray", line(head)), ...rows.map(line)];
}

function summary(report: LoadReport, paint: Paint): string {
  const { scenario, target, judged, errors, duration_ms } = report;
  const words = verdictOf(report);
  const verdict =
    loadStatus(report) === 0
      ? paint("green", `${marks.pass.sign} ${words}`)
      : paint("red", `${marks.fail.sign} ${words}`);
  const more = errors > 0 ? `, ${errors} request${errors === 1 ? "" : "s"} without an answer` : "";
  return `${verdict}: ${scenario} against ${target}, ${judged} exchanges judged${more}, ${(duration_ms / 1000).toFixed(1)} s`;
}
