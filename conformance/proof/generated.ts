import { paintFor } from "../report/terminal.ts";
import { excuseFor, reasonOf, reasonsOf, type Generated, type Reasons } from "./dispositions.ts";
import type { First } from "./kill.ts";
import type { Became, Scope } from "./source.ts";

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

/** The required kill rate among mutants that break the contract. */
const minKilled = 0.95;

export const becameOf = ({ id, killed_by: killedBy, met }: GeneratedKill): Became => ({
  id,
  fate: killedBy.length > 0 ? "killed" : met > 0 ? "survived" : "unmet",
  killedBy,
});

/**
 * Prints the results for generated mutants.
 * @returns whether a mutant survives that an earlier run killed, one of the spec survives for no recorded reason, too
 * few sites of the code are noticed, or a check is at fault
 */
export const reportOf =
  (source: Generated) =>
  (kills: readonly GeneratedKill[], { complete, unfinished, lost }: Scope): boolean => {
    const paint = paintFor(process.stdout);
    const reasons = reasonsOf(source);
    // A mutant of the spec needs a reason even if no request meets it; much of the code serves no request.
    const open = unexplained(
      kills.filter(({ met }) => met > 0 || source === "spec"),
      reasons,
    );
    for (const what of unfinished) console.log(`${paint("red", "✗ not judged")}  ${what}`);
    print(kills, open, reasons);
    for (const id of lost) console.log(`${paint("red", "✗ was killed before")}  ${id}`);
    // The rate of a part is not meaningful.
    const isTooFew =
      source === "spec" ? open.length > 0 : complete && shareKilled(kills, reasons) < minKilled;
    const isBlind = kills.some(({ blind = [], unsound = [] }) => blind.length + unsound.length > 0);
    return unfinished.length > 0 || lost.length > 0 || isTooFew || isBlind;
  };

/** The survivors without a recorded reason. */
const unexplained = (kills: readonly GeneratedKill[], reasons: Reasons): readonly GeneratedKill[] =>
  kills.filter(({ id, killed_by: killers }) => killers.length === 0 && reasonOf(id, reasons) === null);

/** The number killed, and the number that survived, by reason. */
function figuresOf(kills: readonly GeneratedKill[], reasons: Reasons): Record<string, number> {
  const figures: Record<string, number> = {};
  for (const { id, killed_by: killers, met } of kills) {
    const reason = reasonOf(id, reasons)?.is ?? (met > 0 ? "unexplained" : "unreached");
    const became = killers.length > 0 ? "killed" : reason;
    figures[became] = (figures[became] ?? 0) + 1;
  }
  return figures;
}

/**
 * The share killed among the mutants that break the contract: a survivor counts when its reason is a gap, or when it
 * has none.
 */
function shareKilled(kills: readonly GeneratedKill[], reasons: Reasons): number {
  const { killed = 0, hole = 0, unexplained = 0 } = figuresOf(kills, reasons);
  return killed / Math.max(1, killed + hole + unexplained);
}

/** Prints each unexplained survivor, and the figures. */
function print(kills: readonly GeneratedKill[], open: readonly GeneratedKill[], reasons: Reasons): void {
  const paint = paintFor(process.stdout);
  for (const { id, blocked } of open) {
    const because = blocked.length > 0 ? `  (not judged: ${blocked.slice(0, 3).join(", ")})` : "";
    console.log(`${paint("red", "✗ survived")}  ${id}${because}`);
    const excuse = excuseFor(id, reasons.dispositions);
    if (excuse !== null)
      console.log(`    if it is so that ${excuse.because}, add --publish --excuse to record it`);
  }
  if (open.some(({ id }) => excuseFor(id, reasons.dispositions) === null))
    console.log(
      "    a survivor needs a check that fails on it, or a reason in dispositions.yaml, which --publish --excuse records",
    );
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
  const figures = Object.entries(figuresOf(kills, reasons)).map(([what, count]) => `${count} ${what}`);
  console.log(`generated mutants: ${figures.join(", ") || "none to run"}`);
}
