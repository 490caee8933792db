import { paintFor } from "../report/terminal.ts";
import { dispositionOf, type Disposition } from "./dispositions.ts";

/** The result for a generated mutant, of the spec or of the code. */
export interface GeneratedKill {
  id: string;
  killed_by: string[];
  /** The number of checks that met it; if none, no request of the suite reaches what is broken. */
  met: number;
  /** Checks that could not be judged when none failed: a fault of the suite. */
  blocked: string[];
}

/** The survivors that some check met and no disposition explains. */
export const undisposed = (
  kills: readonly GeneratedKill[],
  dispositions: readonly Disposition[],
): readonly GeneratedKill[] =>
  kills.filter(
    ({ id, killed_by, met }) => killed_by.length === 0 && met > 0 && dispositionOf(id, dispositions) === null,
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
 * The share killed among the mutants that break the contract: a survivor counts when its reason is a gap, or it has
 * none.
 */
export function shareKilled(kills: readonly GeneratedKill[], dispositions: readonly Disposition[]): number {
  const { killed = 0, hole = 0, unexplained = 0 } = figuresOf(kills, dispositions);
  return killed / Math.max(1, killed + hole + unexplained);
}

/** Prints each unexplained survivor, and the figures. */
export function tellGenerated(kills: readonly GeneratedKill[], dispositions: readonly Disposition[]): void {
  const paint = paintFor(process.stdout);
  for (const { id, blocked } of undisposed(kills, dispositions)) {
    const because = blocked.length > 0 ? `  (not judged: ${blocked.slice(0, 3).join(", ")})` : "";
    console.log(`${paint("red", "✗ survived")}  ${id}${because}`);
  }
  const figures = Object.entries(figuresOf(kills, dispositions)).map(([what, count]) => `${count} ${what}`);
  console.log(`${kills.length} generated mutants: ${figures.join(", ")}`);
}
