import { availableParallelism, cpus } from "node:os";
import { reached, type Figure } from "./figure.ts";

const shown = (value: number, unit: Figure["unit"]): string =>
  unit === "ratio" ? value.toFixed(2) : `${value.toFixed(value >= 10 ? 0 : unit === "ms" ? 2 : 1)} ${unit}`;

const targetOf = ({ target, unit }: Figure): string =>
  target === null ? "" : `${target.kind === "least" ? "≥" : "≤"} ${shown(target.value, unit)}`;

/** The figures as a Markdown table that also reads well in a terminal. */
export function asTable(figures: readonly Figure[]): string {
  const rows = figures.map((figure) => [
    figure.name,
    shown(figure.value, figure.unit),
    figure.byCpuTime === undefined ? "" : shown(figure.byCpuTime, figure.unit),
    targetOf(figure),
    figure.target === null ? "" : reached(figure) ? "yes" : "NO",
    figure.says,
  ]);
  const table = [["figure", "value", "by CPU time", "target", "reached", "what it is"], ...rows];
  const widths = table[0]!.map((_, column) => Math.max(...table.map((row) => row[column]!.length)));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column]!)).join(" | ")} |`;
  const rule = `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`;
  return [line(table[0]!), rule, ...table.slice(1).map(line)].join("\n");
}

/** The figures with the measurements behind them and the machine they were taken on. */
export const asJson = (figures: readonly Figure[], startedAt: Date, rounds: number): string =>
  `${JSON.stringify(
    {
      started_at: startedAt.toISOString(),
      node: process.version,
      cpu: cpus()[0]?.model ?? null,
      cores: availableParallelism(),
      rounds,
      figures: figures.map((figure) => ({ ...figure, reached: reached(figure) })),
    },
    null,
    2,
  )}\n`;
