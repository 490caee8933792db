import { paintFor } from "../report/terminal.ts";
import { dispositionOf, type Disposition } from "./dispositions.ts";

/** What became of a generated mutant, from the spec or from the code. */
export interface GeneratedKill {
  id: string;
  killed_by: string[];
  /** How many checks met it; none: no request of the suite reaches what is broken. */
  met: number;
  /** Nothing was red, and these could not be judged: a fault of the suite. */
  blocked: string[];
}

/** The survivors that some check met, and of which no disposition says why. */
export const undisposed = (
  kills: readonly GeneratedKill[],
  dispositions: readonly Disposition[],
): readonly GeneratedKill[] =>
  kills.filter(
    ({ id, killed_by, met }) => killed_by.length === 0 && met > 0 && dispositionOf(id, dispositions) === null,
  );

/** How many were killed, and how many survived for what reason. */
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

/** The killed among the mutants that break the contract: those of which a hole, or nothing, is the reason to survive too. */
export function shareKilled(kills: readonly GeneratedKill[], dispositions: readonly Disposition[]): number {
  const { killed = 0, hole = 0, unexplained = 0 } = figuresOf(kills, dispositions);
  return killed / Math.max(1, killed + hole + unexplained);
}

/** Prints each survivor that nothing explains, and the figures. */
export function tellGenerated(kills: readonly GeneratedKill[], dispositions: readonly Disposition[]): void {
  const paint = paintFor(process.stdout);
  for (const { id, blocked } of undisposed(kills, dispositions)) {
    const because = blocked.length > 0 ? `  (not judged: ${blocked.slice(0, 3).join(", ")})` : "";
    console.log(`${paint("red", "✗ survived")}  ${id}${because}`);
  }
  const figures = Object.entries(figuresOf(kills, dispositions)).map(([what, count]) => `${count} ${what}`);
  console.log(`${kills.length} generated mutants: ${figures.join(", ")}`);
}
