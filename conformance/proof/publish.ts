import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { WrongUse } from "../../base/exit.ts";
import { dispositionOf, dispositionsOf, type Disposition, type DispositionKind } from "./dispositions.ts";
import { readHandResults, unproved, type HandResults, type Provable } from "./hand-results.ts";
import { withoutKill } from "./killers.ts";
import { readLawful, type Lawful } from "./lawful/results.ts";
import { readResults, type Results, type Source } from "./results.ts";

const [begin, end] = ["<!-- figure of the mutants -->", "<!-- end of the figure -->"];
const readmeFile = fileURLToPath(new URL("../../README.md", import.meta.url));

/** The totals of the stored results of the proof by hand. */
export interface Figure {
  day: string;
  mutants: number;
  killed: number;
  clauses: number;
  /** Checks and rules that have killed no mutant of any kind. */
  withoutKill: number;
  variations: number;
  quietVariations: number;
  impostors: number;
  praisedImpostors: number;
}

export function figureOf(results: HandResults): Figure {
  const { day, killed, survived, quiet, alarmed, seenThrough, praised } = results;
  return {
    day,
    mutants: killed.length + survived.length,
    killed: killed.length,
    clauses: new Set(killed.map((name) => name.split(" ")[0])).size,
    withoutKill: withoutKill().length,
    variations: quiet.length + alarmed.length,
    quietVariations: quiet.length,
    impostors: seenThrough.length + praised.length,
    praisedImpostors: praised.length,
  };
}

/** Everything to prove by hand. */
export async function provable(): Promise<Provable> {
  const [{ mutants }, { variations }, { impostors }] = await Promise.all([
    import("./mutants.ts"),
    import("./variations/index.ts"),
    import("./impostors/index.ts"),
  ]);
  return {
    mutants: mutants.map(({ clause, name }) => `${clause} ${name}`),
    variations: variations.map(({ name }) => name),
    impostors: impostors.map(({ name }) => name),
  };
}

export const handSentence = (figure: Figure): string =>
  `**${figure.killed} of ${figure.mutants} mutants** of ${figure.clauses} clauses killed, ` +
  `**${figure.quietVariations} of ${figure.variations} variations** without a false alarm, ` +
  `**${figure.praisedImpostors} of ${figure.impostors} impostors** praised (${figure.day}).`;

/** The totals of the stored run of the generated lawful variations. */
export const lawfulSentence = ({
  met,
  servers,
  judged,
  pairs_judged: share,
  alarms,
  ...run
}: Lawful): string =>
  `**${met} lawful variations** that follow from the spec, HTTP and JSON, each held alone against the rules; ` +
  `${Object.keys(judged).length} of ${servers} servers of many variations each quiet in all four ways, which together ` +
  `cover ${(100 * share).toFixed(1)} % of the pairs: **${alarms.length} false alarms** (${run.day}).`;

/** The results for the generated mutants of one source, as numbers. */
export interface Fates {
  mutants: number;
  killed: number;
  /** Survivors with a recorded reason that is not a hole. */
  excused: number;
  /** Those that no request of the suite reaches and no other reason explains. */
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

/** What the README shows: the generated mutants, which were not chosen, and then those written by hand. */
export function figureText(figure: Figure, generated: Record<Source, Fates>, lawful: Lawful): string {
  const row = (where: string, { mutants, killed, excused, unreached, holes, unrun }: Fates): string =>
    `| ${[where, mutants, `**${killed}**`, excused, unreached, `**${holes}**`, unrun].join(" | ")} |`;
  return [
    "| Generated mutants | all | killed | live for a recorded reason | never reached | holes | not run yet |",
    "| --- | --: | --: | --: | --: | --: | --: |",
    row("from the spec", generated.spec),
    row("from the server's sources", generated.code),
    "",
    `Written by hand, for meaning: ${handSentence(figure)}`,
    "",
    `**${figure.withoutKill} checks and rules** kill no mutant of any kind.`,
    "",
    `Generated: ${lawfulSentence(lawful)}`,
  ].join("\n");
}

/** The figure of the stored results. */
async function currentText(figure: Figure): Promise<string> {
  const fates = async (source: Source): Promise<Fates> => {
    const results = await readResults(source);
    return fatesOf(results.mutants, results, dispositionsOf(source));
  };
  const generated = { spec: await fates("spec"), code: await fates("code") };
  const text = figureText(figure, generated, await readLawful());
  const { format } = await import("prettier");
  return (await format(text, { parser: "markdown" })).trim();
}

/**
 * Writes the stored figures between their markers in the README.
 * @throws WrongUse when the markers are missing
 */
export async function publishFigure(): Promise<void> {
  const text = await readFile(readmeFile, "utf8");
  const place = placeIn(text);
  if (place === null) throw new WrongUse(`README.md has no place for the figure: ${begin} … ${end}`);
  const shown = await currentText(figureOf(await readHandResults()));
  await writeFile(readmeFile, `${text.slice(0, place.from)}\n\n${shown}\n\n${text.slice(place.to)}`);
}

/** Why the README's figures differ from the stored results, and what has no result. */
export async function staleFigure(): Promise<string[]> {
  const results = await readHandResults();
  const text = await currentText(figureOf(results));
  return staleIn(await readFile(readmeFile, "utf8"), text, unproved(results, await provable()));
}

export function staleIn(readme: string, text: string, unjudged: readonly string[]): string[] {
  const place = placeIn(readme);
  const shown = place === null ? "" : readme.slice(place.from, place.to).trim();
  return [
    ...(shown === text
      ? []
      : [
          "README.md shows other figures than the stored results: run npm run mutants -- --publish --only what is new",
        ]),
    ...unjudged.map(
      (name) =>
        `no stored result: ${name}. Run npm run mutants -- --publish --only "${/^[A-Z]+-\d+ /.test(name) ? name.split(" ")[0] : name}"`,
    ),
  ];
}

function placeIn(text: string): { from: number; to: number } | null {
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  return from < 0 || to < from ? null : { from: from + begin.length, to };
}
