import { reasonOf, reasonsOf, type DispositionKind, type Generated, type Reasons } from "./dispositions.ts";
import type { Lawful } from "./lawful/results.ts";
import { readResults, type Results } from "./store.ts";

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

/** The fates that are stored for a source. */
export function storedFates(source: Generated): Fates {
  const results = readResults(source);
  return fatesOf(results.subjects, results, reasonsOf(source));
}

/** The share killed of all mutants, and of those that are judged: killed or holes. */
export const sharesOf = ({ mutants, killed, holes }: Fates): { ofAll: string; ofJudged: string } => ({
  ofAll: percent(killed, mutants),
  ofJudged: percent(killed, killed + holes),
});

const percent = (part: number, whole: number): string =>
  whole === 0 ? "" : `${((100 * part) / whole).toFixed(1)} %`;

/** The totals of the stored results of the proof by hand. */
export function handSentence({
  day,
  killed,
  survived,
  quiet,
  alarmed,
  seenThrough,
  praised,
}: Results): string {
  const clauses = new Set(killed.map((name) => name.split(" ")[0])).size;
  return (
    `**${killed.length} of ${killed.length + survived.length} mutants** of ${clauses} clauses killed, ` +
    `**${quiet.length} of ${quiet.length + alarmed.length} variations** without a false alarm, ` +
    `**${praised.length} of ${seenThrough.length + praised.length} impostors** praised (${day}).`
  );
}

/** The totals of the stored run of the generated lawful variations. */
export const lawfulSentence = ({ day, met, servers, judged, pairs_judged: share, alarms }: Lawful): string =>
  `**${met} lawful variations** that follow from the spec, HTTP and JSON, each held alone against the rules; ` +
  `${Object.keys(judged).length} of ${servers} servers of many variations each tried in all four ways, which together ` +
  `cover ${(100 * share).toFixed(1)} % of the pairs: **${alarms.length} false alarms** (${day}).`;

/**
 * What the README shows: the generated mutants, which were not chosen, and then those written by hand.
 * @param idle how many checks and rules have killed no mutant of any kind
 */
export function figureText(
  hand: Results,
  generated: Record<Generated, Fates>,
  lawful: Lawful,
  idle: number,
): string {
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
    `Written by hand, for meaning: ${handSentence(hand)}`,
    "",
    `**${idle} checks and rules** kill no mutant of any kind.`,
    "",
    `Generated: ${lawfulSentence(lawful)}`,
  ].join("\n");
}
