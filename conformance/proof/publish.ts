import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { WrongUse } from "../../cli/exit.ts";
import { dispositionOf, dispositionsOf, type Disposition, type DispositionKind } from "./dispositions.ts";
import type { Matrix } from "./hand.ts";
import { readLawful, type Lawful } from "./lawful/results.ts";
import { readResults, type Results, type Source } from "./results.ts";

const [begin, end] = ["<!-- figure of the mutants -->", "<!-- end of the figure -->"];
const stored = fileURLToPath(new URL("figure.json", import.meta.url));
const readmeFile = fileURLToPath(new URL("../../README.md", import.meta.url));

/** The result of a complete run by hand, and by number what is proved. */
export interface Figure extends Proved {
  day: string;
  killed: number;
  clauses: number;
  checksWithoutKill: number;
  quietVariations: number;
  praisedImpostors: number;
}

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

/** The stored figure of the last complete run by hand. */
export const readFigure = async (): Promise<Figure> => JSON.parse(await readFile(stored, "utf8")) as Figure;

export const handSentence = (figure: Figure): string =>
  `**${figure.killed} of ${figure.mutants} mutants** of ${figure.clauses} clauses killed, ` +
  `**${figure.checksWithoutKill} checks** that kill nothing, ` +
  `**${figure.quietVariations} of ${figure.variations} variations** without a false alarm, ` +
  `**${figure.praisedImpostors} of ${figure.impostors} impostors** praised (${figure.day}).`;

export const lawfulSentence = ({
  met,
  servers,
  judged,
  pairs_covered: share,
  alarms,
  ...run
}: Lawful): string =>
  `**${met} lawful variations** that follow from the spec, HTTP and JSON, each held alone against the rules; ` +
  `${judged} of ${servers} servers judged in all four ways, of many variations each, which together cover ` +
  `${(100 * share).toFixed(1)} % of the pairs: **${alarms.length} false alarms** (${run.day}).`;

/** What became of the generated mutants of one source, by number. */
export interface Fates {
  mutants: number;
  killed: number;
  /** Survivors with a recorded reason that is no hole. */
  excused: number;
  /** Those that no request of the suite reaches, and that no other reason explains. */
  unreached: number;
  holes: number;
  unrun: number;
}

/** @param mutants how many there are, run or not */
export function fatesOf(
  mutants: number,
  { killed, survived, unmet }: Pick<Results, "killed" | "survived" | "unmet">,
  dispositions: readonly Disposition[],
): Fates {
  const reasons = [
    ...survived.map((id) => dispositionOf(id, dispositions)?.is ?? "hole"),
    ...unmet.map((id) => dispositionOf(id, dispositions)?.is ?? "unreached"),
  ];
  const count = (kind: DispositionKind): number => reasons.filter((is) => is === kind).length;
  const [unreached, holes] = [count("unreached"), count("hole")];
  return {
    mutants,
    killed: killed.length,
    excused: reasons.length - unreached - holes,
    unreached,
    holes,
    unrun: mutants - killed.length - survived.length - unmet.length,
  };
}

/** What the README shows: the generated mutants, which nobody chose, and then those written by hand. */
export function figureText(figure: Figure, generated: Record<Source, Fates>, lawful: Lawful): string {
  const row = (where: string, { mutants, killed, excused, unreached, holes, unrun }: Fates): string =>
    `| ${[where, mutants, `**${killed}**`, excused, unreached, `**${holes}**`, unrun].join(" | ")} |`;
  return [
    "| Generated mutants | all | killed | live for a recorded reason | never reached | holes | not run yet |",
    "| --- | --: | --: | --: | --: | --: | --: |",
    row("from the spec", generated.spec),
    row("from the server's sources", generated.code),
    "",
    `By hand: ${handSentence(figure)}`,
    "",
    `Generated: ${lawfulSentence(lawful)}`,
  ].join("\n");
}

/** The figure of what is stored. */
async function currentText(figure: Figure): Promise<string> {
  const fates = async (source: Source): Promise<Fates> => {
    const results = await readResults(source);
    return fatesOf(results.mutants, results, dispositionsOf(source));
  };
  const text = figureText(
    figure,
    { spec: await fates("spec"), code: await fates("code") },
    await readLawful(),
  );
  const { format } = await import("prettier");
  return (await format(text, { parser: "markdown" })).trim();
}

/** Stores the figure of a complete run by hand. */
export const storeFigure = (figure: Figure): Promise<void> =>
  writeFile(stored, `${JSON.stringify(figure, null, 2)}\n`);

/**
 * Writes the stored figures between their markers in the README.
 * @throws WrongUse when the markers are missing
 */
export async function publishFigure(): Promise<void> {
  const text = await readFile(readmeFile, "utf8");
  const place = placeIn(text);
  if (place === null) throw new WrongUse(`README.md has no place for the figure: ${begin} … ${end}`);
  const shown = await currentText(await readFigure());
  await writeFile(readmeFile, `${text.slice(0, place.from)}\n\n${shown}\n\n${text.slice(place.to)}`);
}

/** Why the README's figures differ from the stored runs, or the stored run by hand from the current mutants. */
export async function staleFigure(now: Proved): Promise<string[]> {
  const figure = await readFigure();
  return staleIn(await readFile(readmeFile, "utf8"), await currentText(figure), figure, now);
}

export function staleIn(readme: string, text: string, figure: Proved, now: Proved): string[] {
  const place = placeIn(readme);
  const shown = place === null ? "" : readme.slice(place.from, place.to).trim();
  return [
    ...(shown === text
      ? []
      : ["README.md shows other figures than the stored runs: run npm run mutants -- --publish"]),
    ...(["mutants", "variations", "impostors"] as const)
      .filter((kind) => figure[kind] !== now[kind])
      .map(
        (kind) =>
          `conformance/proof/figure.json counts ${figure[kind]} ${kind} and there are ${now[kind]}: run npm run mutants -- --publish`,
      ),
  ];
}

function placeIn(text: string): { from: number; to: number } | null {
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  return from < 0 || to < from ? null : { from: from + begin.length, to };
}
