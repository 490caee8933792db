import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { WrongUse } from "../../base/exit.ts";
import { reasonOf, reasonsOf, type DispositionKind, type Generated, type Reasons } from "./dispositions.ts";
import { withoutKill } from "./killers.ts";
import { readLawful, type Lawful } from "./lawful/results.ts";
import { readResults, unproved, type Results } from "./results.ts";

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

export function figureOf(results: Results): Figure {
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
  reasons: Reasons,
): Fates {
  const kinds = [
    ...survived.map((id) => reasonOf(id, reasons)?.is ?? "hole"),
    ...unmet.map((id) => reasonOf(id, reasons)?.is ?? "unreached"),
  ];
  const count = (kind: DispositionKind): number => kinds.filter((is) => is === kind).length;
  const [unreached, holes] = [count("unreached"), count("hole")];
  return {
    mutants,
    killed: killed.length,
    excused: kinds.length - unreached - holes,
    unreached,
    holes,
    unrun: mutants - killed.length - survived.length - unmet.length,
  };
}

/** The share killed of all mutants, and of those that are judged: killed or holes. */
export const sharesOf = ({ mutants, killed, holes }: Fates): { ofAll: string; ofJudged: string } => ({
  ofAll: percent(killed, mutants),
  ofJudged: percent(killed, killed + holes),
});

const percent = (part: number, whole: number): string =>
  whole === 0 ? "" : `${((100 * part) / whole).toFixed(1)} %`;

/** What the README shows: the generated mutants, which were not chosen, and then those written by hand. */
export function figureText(figure: Figure, generated: Record<Generated, Fates>, lawful: Lawful): string {
  const row = (where: string, fates: Fates): string => {
    const { mutants, killed, excused, unreached, holes, unrun } = fates;
    const { ofAll, ofJudged } = sharesOf(fates);
    return `| ${[where, mutants, `**${killed}**`, ofAll, ofJudged, excused, unreached, `**${holes}**`, unrun].join(" | ")} |`;
  };
  return [
    "| Generated mutants | all | killed | of all | of judged | live for a recorded reason | never reached | holes | not run yet |",
    "| --- | --: | --: | --: | --: | --: | --: | --: | --: |",
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
  const fates = (source: Generated): Fates => {
    const results = readResults(source);
    return fatesOf(results.subjects, results, reasonsOf(source));
  };
  const generated = { spec: fates("spec"), code: fates("code") };
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
  const shown = await currentText(figureOf(readResults("hand")));
  await writeFile(readmeFile, `${text.slice(0, place.from)}\n\n${shown}\n\n${text.slice(place.to)}`);
}

/** Why the README's figures differ from the stored results, and what has no result or no reason. */
export async function staleFigure(): Promise<string[]> {
  const [{ byHand }, { specMutants }] = await Promise.all([import("./hand.ts"), import("./spec/index.ts")]);
  const [hand, spec] = [readResults("hand"), readResults("spec")];
  const unjudged = [
    ...unproved(
      hand,
      byHand.subjects.map(({ id }) => id),
    ),
    ...unproved(
      spec,
      specMutants.map(({ id }) => id),
    ),
  ];
  const reasons = reasonsOf("spec");
  const unexplained = [...spec.survived, ...spec.unmet].filter((id) => reasonOf(id, reasons) === null);
  const text = await currentText(figureOf(hand));
  return staleIn(await readFile(readmeFile, "utf8"), text, unjudged, unexplained);
}

/**
 * @param unjudged what has no stored result
 * @param unexplained the mutants of the spec that live for no recorded reason
 */
export function staleIn(
  readme: string,
  text: string,
  unjudged: readonly string[],
  unexplained: readonly string[],
): string[] {
  const place = placeIn(readme);
  const shown = place === null ? "" : readme.slice(place.from, place.to).trim();
  const publish = (id: string): string => `npm run mutants -- --publish --only ${shellWord(id)}`;
  return [
    ...(shown === text
      ? []
      : [
          "README.md shows other figures than the stored results: run npm run mutants -- --publish --only what is new",
        ]),
    ...unjudged.map((id) => `no stored result: ${id}. Run ${publish(id)}`),
    ...unexplained.map(
      (id) =>
        `survives for no recorded reason: ${id}. Let a check see it, or give the reason in ` +
        `conformance/proof/spec/dispositions.yaml and run ${publish(id)} --excuse`,
    ),
  ];
}

/** The clause of a mutant by hand; any other name in quotes. */
const shellWord = (id: string): string =>
  /^[A-Z]+-\d+ /.test(id) ? id.split(" ")[0]! : `'${id.replaceAll("'", "'\\''")}'`;

function placeIn(text: string): { from: number; to: number } | null {
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  return from < 0 || to < from ? null : { from: from + begin.length, to };
}
