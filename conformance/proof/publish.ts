import { readFile, writeFile } from "node:fs/promises";
import { WrongUse } from "../../cli/exit.ts";
import type { Matrix } from "./hand.ts";

const [begin, end] = ["<!-- figure of the mutants -->", "<!-- end of the figure -->"];

/** The result of a complete run. Stored so that the README's sentence can be checked against it. */
export interface Figure {
  day: string;
  mutants: number;
  killed: number;
  clauses: number;
  /** Null where the run was not complete, so that not every check had its chance. */
  checksWithoutKill: number | null;
  variations: number;
  quietVariations: number;
  impostors: number;
  praisedImpostors: number;
  /** How many there were, where the run covered mutants and variations that were drawn from them. */
  of?: Proved;
}

/** What is proved, by number. */
export interface Proved {
  mutants: number;
  variations: number;
  impostors: number;
}

export const figureOf = (matrix: Matrix, day: string): Figure => ({
  day,
  mutants: matrix.mutants.length,
  killed: matrix.mutants.length - matrix.survivors.length,
  clauses: new Set(matrix.mutants.map((kill) => kill.clause)).size,
  checksWithoutKill: matrix.checks_without_kill.length,
  variations: matrix.variations.length,
  quietVariations: matrix.variations.filter((trial) => trial.false_alarms.length === 0).length,
  impostors: matrix.impostors.length,
  praisedImpostors: matrix.impostors.filter((trial) => trial.praised.length > 0).length,
});

/** The figure as a sentence of the README; of a run that was not complete it says what was drawn from. */
export function sentenceOf(figure: Figure): string {
  const { of } = figure;
  const drawn =
    of && ` in a run over a part drawn from ${of.mutants} mutants and ${of.variations} variations`;
  return (
    `**${figure.killed} of ${figure.mutants} mutants** of ${figure.clauses} clauses killed, ` +
    (of ? "" : `**${figure.checksWithoutKill} checks** that kill nothing, `) +
    `**${figure.quietVariations} of ${figure.variations} variations** without a false alarm, ` +
    `**${figure.praisedImpostors} of ${figure.impostors} impostors** praised` +
    `${drawn ?? ""} (${figure.day}, \`npm run mutants\`).`
  );
}

/**
 * Stores the figures of a complete run and writes them between their markers in the README.
 * @throws WrongUse when the markers are missing
 */
export async function publish(readme: string, stored: string, figure: Figure): Promise<void> {
  const text = await readFile(readme, "utf8");
  const place = placeIn(text);
  if (place === null) throw new WrongUse(`${readme} has no place for the figure: ${begin} … ${end}`);
  await writeFile(stored, `${JSON.stringify(figure, null, 2)}\n`);
  await writeFile(readme, `${text.slice(0, place.from)}\n\n${sentenceOf(figure)}\n\n${text.slice(place.to)}`);
}

/** Why the README's figures differ from the stored run, or the stored run from the current mutants. */
export function staleFigure(readme: string, figure: Figure, now: Proved): string[] {
  const place = placeIn(readme);
  const shown = place === null ? "" : readme.slice(place.from, place.to).trim();
  return [
    ...(shown === sentenceOf(figure)
      ? []
      : [
          "README.md shows another figure than conformance/proof/figure.json: run npm run mutants -- --publish",
        ]),
    ...(["mutants", "variations", "impostors"] as const)
      .filter((kind) => (figure.of ?? figure)[kind] !== now[kind])
      .map(
        (kind) =>
          `conformance/proof/figure.json counts ${(figure.of ?? figure)[kind]} ${kind} and there are ${now[kind]}: run npm run mutants -- --publish`,
      ),
  ];
}

function placeIn(text: string): { from: number; to: number } | null {
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  return from < 0 || to < from ? null : { from: from + begin.length, to };
}
