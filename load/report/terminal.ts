import { clauseOf } from "../../conformance/judge/clauses.ts";
import { curlOf } from "../../conformance/judge/exchange.ts";
import { explained } from "../../conformance/report/explained.ts";
import { marks } from "../../conformance/report/marks.ts";
import { plain } from "../../base/plain.ts";
import { barsAsText } from "../../conformance/books/history/picture.ts";
import type { Paint } from "../../base/paint.ts";
import {
  isTrusted,
  percentiles,
  unansweredStatus,
  unfinishedStatus,
  type Latency,
  type StatusFigures,
  type StepFigures,
} from "../engine/figures.ts";
import type { Finding } from "../judgement.ts";
import { kindNotes, limitTable } from "./limit-facts.ts";
import {
  counted,
  countsOf,
  judgedLine,
  loadStatus,
  measuredWords,
  shown,
  verdictOf,
  type LoadReport,
} from "./load-report.ts";

const colour = { fail: "red", warn: "yellow" } as const;

/** The report for the terminal: limits and faults, then figures, then notes. */
export function terminalReport(report: LoadReport, paint: Paint): string {
  const { version_note, findings, limits = [], thresholds, notes, warnings = [] } = report;
  const lines = [
    ...(version_note === null ? [] : [paint("yellow", plain(version_note))]),
    ...(limits.length === 0
      ? []
      : [
          "",
          ...aligned(limitTable(limits).head, limitTable(limits).rows, paint),
          ...kindNotes(limits).map(({ operations, words }) => `  ${operations}: ${words}`),
        ]),
    ...findings.flatMap((finding) => findingLines(finding, paint)),
  ];
  lines.push("", ...table(report, paint));
  if (thresholds.length > 0) lines.push("");
  for (const held of thresholds) {
    const { text, kept } = held;
    const sign = kept ? marks.pass.sign : marks.fail.sign;
    lines.push(paint(kept ? "green" : "red", `  ${sign} ${text}, ${measuredWords(held)}`));
  }
  if (notes.length > 0) lines.push("", ...notes.map((note) => `  ${plain(note)}`));
  lines.push(...warnings.map((warning) => paint("yellow", `  ${marks.warn.sign} ${plain(warning)}`)));
  return [...lines, "", summary(report, paint), `  ${judgedLine(report)}`].join("\n");
}

function findingLines(finding: Finding, paint: Paint): string[] {
  const { name, clauses, verdict, title, expected, received, count, exchanges, history } = finding;
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
  if (history)
    lines.push(
      ...barsAsText(history.bars).map((bar) => `      ${plain(bar)}`),
      field("lawful", history.lawful),
    );
  const [first] = exchanges;
  if (first)
    lines.push(
      field("answered", String(first.response?.status ?? "nothing")),
      field("repeat", curlOf(first)),
    );
  return lines;
}

export const latencyHead = [
  "requests",
  "mean",
  ...percentiles.map((percentile) => (percentile === 100 ? "max" : `p${percentile}`)),
];

/** A row of the table of latencies. What rests on too few answers to be trusted has a question mark. */
export const latencyRow = (name: string, latency: Latency): string[] => [
  name,
  String(latency.count),
  shown(latency.mean_ms),
  ...percentiles.map(
    (percentile) =>
      `${shown(latency[`p${percentile}_ms`]!)}${isTrusted(percentile, latency.count) ? "" : "?"}`,
  ),
];

/**
 * The rows of a step: its expected answers, then one for each status, so that what came in their place is listed apart. A
 * step whose every request ended in the same expected status needs no second row.
 */
export function stepRows({ step, expected, by_status }: StepFigures): { cells: string[]; isPart: boolean }[] {
  const rows = [{ cells: latencyRow(step, expected), isPart: false }];
  if (by_status.length === 1 && by_status[0]!.expected) return rows;
  return [
    ...rows,
    ...by_status.map((figures) => ({ cells: latencyRow(statusWords(figures), figures), isPart: true })),
  ];
}

function statusWords({ status, expected }: StatusFigures): string {
  if (status === unfinishedStatus) return "unfinished";
  if (status === unansweredStatus) return "no answer";
  return expected || status >= 300 ? String(status) : `${status}, says failure`;
}

function table({ steps }: LoadReport, paint: Paint): string[] {
  if (steps.length === 0) return ["  no request was sent"];
  const rows = steps
    .flatMap(stepRows)
    .map(({ cells: [name, ...others], isPart }) => [`${isPart ? "  " : ""}${name}`, ...others]);
  return aligned(["latency of expected answers, ms", ...latencyHead], rows, paint);
}

/** The first column to the left, the others to the right. */
function aligned(head: readonly string[], rows: readonly (readonly string[])[], paint: Paint): string[] {
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((cells) => cells[column]!.length)));
  const line = (cells: readonly string[]): string =>
    `  ${cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!))).join("  ")}`;
  return [paint("gray", line(head)), ...rows.map(line)];
}

function summary(report: LoadReport, paint: Paint): string {
  const { scenario, target, judged, failed, duration_ms } = report;
  const words = verdictOf(report);
  const verdict =
    loadStatus(report) === 0
      ? paint("green", `${marks.pass.sign} ${words}`)
      : paint("red", `${marks.fail.sign} ${words}`);
  const { warnings } = countsOf(report.findings);
  const more =
    (warnings > 0 ? `, ${counted(warnings, "warning")}` : "") +
    (failed > 0 ? `, ${counted(failed, "request")} without an expected answer` : "");
  return `${verdict}: ${scenario} against ${target}, ${judged} exchanges judged${more}, ${(duration_ms / 1000).toFixed(1)} s`;
}
