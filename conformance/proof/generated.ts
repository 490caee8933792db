import { written } from "../../base/write.ts";
import { WrongUse } from "../../base/exit.ts";
import { paintFor, progress } from "../report/terminal.ts";
import { dispositionOf, type Disposition } from "./dispositions.ts";
import { addKills } from "./killers.ts";
import type { First } from "./kill.ts";
import { drawn, isPart, shardOf } from "./part.ts";
import { publishFigure } from "./publish.ts";
import { knownOf, lostSince, readResults, storing, type Source } from "./results.ts";

/** The result for a generated mutant, of the spec or of the code. */
export interface GeneratedKill {
  id: string;
  /** Checks and rules that fail, and pass on the unaltered server. */
  killed_by: string[];
  /** Of a survivor: checks and rules that fail on the unaltered server too, or do not pass there: they prove nothing. */
  unsound?: readonly string[];
  /** The number of checks that met it; if none, no request of the suite reaches what is broken. */
  met: number;
  /** Checks that could not be judged when none failed: a fault of the suite. */
  blocked: string[];
  /** Checks that killed it and pass where its counter-example is missing, each with the stage: a fault of the check. */
  blind?: readonly string[];
  /** What the first cause cites, where every check that meets the mutant ran. */
  first?: First;
}

/** How much each mutant meets. */
interface Manner {
  /** Also on stages where the fault may not show. */
  barren?: boolean;
  /** Every check that meets the mutant, and not only those before the first that fails. */
  whole?: boolean;
  /** The results are stored: each meets more than the check that is known to kill it. */
  publish?: boolean;
}

/** Mutants that were generated, and how they are judged. */
export interface Generated {
  source: Source;
  mutants: readonly { id: string; names: readonly string[] }[];
  dispositions: readonly Disposition[];
  /**
   * Judges mutants, by id.
   * @param manner whether each that is killed meets its killers on barren stages too, and whether each meets all checks
   */
  prove: (ids: readonly string[], onKill: (kill: GeneratedKill) => void, manner: Manner) => Promise<void>;
}

/** Which mutants run, and where their results go. */
export interface Choice extends Manner {
  /** Names of mutants, beginnings of their ids, or several words of them; empty means all. */
  only: readonly string[];
  shard: { index: number; of: number };
  sample?: number | undefined;
  seed: string;
  /** Skips mutants that have a stored result. */
  unrun: boolean;
  publish: boolean;
  /** The file for the results of this run. */
  json: string;
}

/** The required kill rate among mutants that break the contract. */
const minKilled = 0.95;

/**
 * Runs generated mutants, and prints and stores their results.
 * @returns the exit status: 1 when a mutant survives that an earlier run killed, when one of the spec survives for no
 * recorded reason, or when too few sites of the code are noticed
 * @throws WrongUse when the choice names no mutant
 */
export async function generatedMatrix(generated: Generated, choice: Choice): Promise<number> {
  const { source, dispositions, mutants } = generated;
  const before = await readResults(source);
  // A survivor has no first finding.
  const except = choice.unrun ? knownOf(before) : new Set(choice.whole ? before.survived : []);
  const ids = chosen(generated, choice, except);
  const store = choice.publish
    ? storing(
        source,
        mutants.map(({ id }) => id),
      )
    : null;
  const line = progress(process.stderr);
  const kills: GeneratedKill[] = [];
  const onKill = (kill: GeneratedKill): void => {
    kills.push(kill);
    store?.add(kill);
    line.show(`${kills.length} of ${ids.length}  ${kill.id}`);
  };
  await generated.prove(ids, onKill, choice);
  line.clear();
  await store?.end();
  await written(choice.json, `${JSON.stringify(kills, null, 2)}\n`);
  if (choice.sample !== undefined)
    console.log(`a sample of ${kills.length}, drawn with --seed ${choice.seed}`);
  // A mutant of the spec needs a reason even if no request meets it; much of the code serves no request.
  const open = undisposed(
    kills.filter(({ met }) => met > 0 || source === "spec"),
    dispositions,
  );
  printGenerated(kills, open, dispositions);
  const lost = lostSince(kills, before);
  for (const id of lost) console.log(`${paintFor(process.stdout)("red", "✗ was killed before")}  ${id}`);
  if (choice.publish) {
    addKills(kills.map((one) => ({ ...one, mutant: one.id })));
    await (await import("./page.ts")).writePage();
    await publishFigure();
  }
  const isTooFew =
    source === "spec"
      ? open.length > 0
      : // The rate of a sample is not meaningful.
        choice.sample === undefined && shareKilled(kills, dispositions) < minKilled;
  const isBlind = kills.some(({ blind = [] }) => blind.length > 0);
  return lost.length > 0 || isTooFew || isBlind ? 1 : 0;
}

/** The ids of the mutants to run; those that must be killed come first. */
function chosen(
  { mutants, dispositions }: Generated,
  { only, shard, ...lot }: Choice,
  except: ReadonlySet<string>,
): string[] {
  const isNamed = ({ id, names }: Generated["mutants"][number]): boolean =>
    only.length === 0 || only.some((name) => names.includes(name) || id.startsWith(name) || isPart(name, id));
  const named = mutants.filter(isNamed).map(({ id }) => id);
  if (named.length === 0) throw new WrongUse(`no mutant matches ${only.join(", ")}`);
  const mayLive = (id: string): number => Number(dispositionOf(id, dispositions) !== null);
  return shardOf(
    drawn(
      named.filter((id) => !except.has(id)),
      (id) => id,
      lot,
    ),
    shard,
  ).sort((one, other) => mayLive(one) - mayLive(other));
}

/** The survivors that no disposition explains. */
const undisposed = (
  kills: readonly GeneratedKill[],
  dispositions: readonly Disposition[],
): readonly GeneratedKill[] =>
  kills.filter(
    ({ id, killed_by: killers }) => killers.length === 0 && dispositionOf(id, dispositions) === null,
  );

/** The number killed, and the number that survived, by reason. */
function figuresOf(
  kills: readonly GeneratedKill[],
  dispositions: readonly Disposition[],
): Record<string, number> {
  const figures: Record<string, number> = {};
  for (const { id, killed_by: killers, met } of kills) {
    const reason = dispositionOf(id, dispositions)?.is ?? (met > 0 ? "unexplained" : "unreached");
    const became = killers.length > 0 ? "killed" : reason;
    figures[became] = (figures[became] ?? 0) + 1;
  }
  return figures;
}

/**
 * The share killed among the mutants that break the contract: a survivor counts when its reason is a gap, or when it
 * has none.
 */
function shareKilled(kills: readonly GeneratedKill[], dispositions: readonly Disposition[]): number {
  const { killed = 0, hole = 0, unexplained = 0 } = figuresOf(kills, dispositions);
  return killed / Math.max(1, killed + hole + unexplained);
}

/** Prints each unexplained survivor, and the figures. */
function printGenerated(
  kills: readonly GeneratedKill[],
  open: readonly GeneratedKill[],
  dispositions: readonly Disposition[],
): void {
  const paint = paintFor(process.stdout);
  for (const { id, blocked } of open) {
    const because = blocked.length > 0 ? `  (not judged: ${blocked.slice(0, 3).join(", ")})` : "";
    console.log(`${paint("red", "✗ survived")}  ${id}${because}`);
  }
  for (const { id, unsound = [] } of kills) {
    if (unsound.length > 0)
      console.log(`${paint("red", "✗ does not pass on the unaltered server")}  ${id}: ${unsound.join(", ")}`);
  }
  for (const { id, blind = [] } of kills) {
    if (blind.length > 0) console.log(`${paint("red", "✗ passes blindly")}  ${id}: ${blind.join(", ")}`);
  }
  const firsts = Map.groupBy(kills, ({ first }) => first);
  for (const { id } of firsts.get("neither") ?? [])
    console.log(`${paint("yellow", "! reported elsewhere")}  ${id}`);
  const countOf = (first: First): number => firsts.get(first)?.length ?? 0;
  if (kills.some(({ first }) => first !== undefined))
    console.log(
      `the first finding cites the operation of ${countOf("operation")} killed mutants, another of ${countOf("neither")}`,
    );
  const figures = Object.entries(figuresOf(kills, dispositions)).map(([what, count]) => `${count} ${what}`);
  console.log(`generated mutants: ${figures.join(", ") || "none to run"}`);
}
