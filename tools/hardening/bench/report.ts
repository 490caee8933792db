import { reached, type Figure } from "./figure.ts";

const shown = (value: number, unit: Figure["unit"]): string =>
  unit === "ratio" ? value.toFixed(2) : `${value.toFixed(value >= 10 ? 0 : 1)} ${unit}`;

const targetOf = ({ target, unit }: Figure): string =>
  target === null ? "" : `${target.kind === "least" ? "≥" : "≤"} ${shown(target.value, unit)}`;

/** The figures as a Markdown table that also reads well in a terminal. */
export function asTable(figures: readonly Figure[]): string {
  const rows = figures.map((figure) => [
    figure.name,
    shown(figure.value, figure.unit),
    figure.spread === undefined ? "" : figure.spread.map((each) => shown(each, figure.unit)).join(" to "),
    figure.byCpuTime === undefined ? "" : shown(figure.byCpuTime, figure.unit),
    targetOf(figure),
    figure.target === null ? "" : reached(figure) ? "yes" : "NO",
    figure.says,
  ]);
  const table = [["figure", "value", "spread", "by CPU time", "target", "reached", "what it is"], ...rows];
  const widths = table[0]!.map((_, column) => Math.max(...table.map((row) => row[column]!.length)));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column]!)).join(" | ")} |`;
  const rule = `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`;
  return [line(table[0]!), rule, ...table.slice(1).map(line)].join("\n");
}
