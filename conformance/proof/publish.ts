import { readFile, writeFile } from "node:fs/promises";
import { WrongUse } from "../judge/verdict.ts";
import type { Matrix } from "./main.ts";

const [begin, end] = ["<!-- figure of the mutants -->", "<!-- end of the figure -->"];

/** The figure as a sentence of the README. */
export function figureOf(matrix: Matrix, day: string): string {
  const killed = matrix.mutants.length - matrix.survivors.length;
  const clauses = new Set(matrix.mutants.map((kill) => kill.clause)).size;
  const quiet = matrix.variations.filter((trial) => trial.false_alarms.length === 0).length;
  const praised = matrix.impostors.filter((trial) => trial.praised.length > 0).length;
  return (
    `**${killed} of ${matrix.mutants.length} mutants** of ${clauses} clauses killed, ` +
    `**${matrix.checks_without_kill.length} checks** that kill nothing, ` +
    `**${quiet} of ${matrix.variations.length} variations** without a false alarm, ` +
    `**${praised} of ${matrix.impostors.length} impostors** praised (${day}, \`npm run mutants\`).`
  );
}

/**
 * Writes the figure of a complete run between its two marks in a file.
 * @throws WrongUse when the marks are not there
 */
export async function publish(file: string, matrix: Matrix, day: string): Promise<void> {
  const text = await readFile(file, "utf8");
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new WrongUse(`${file} has no place for the figure: ${begin} … ${end}`);
  await writeFile(
    file,
    `${text.slice(0, from + begin.length)}\n\n${figureOf(matrix, day)}\n\n${text.slice(to)}`,
  );
}
