import { paintFor } from "../report/terminal.ts";
import { dispositionOf, type Disposition } from "./dispositions.ts";

/** What became of a generated mutant, from the spec or from the code. */
export interface GeneratedKill {
  id: string;
  killed_by: string[];
  /** Nothing was red, and these could not be judged: a fault of the suite. */
  blocked: string[];
}

/** The survivors of which no disposition says why. */
export const undisposed = (
  kills: readonly GeneratedKill[],
  dispositions: readonly Disposition[],
): readonly GeneratedKill[] =>
  kills.filter(({ id, killed_by }) => killed_by.length === 0 && dispositionOf(id, dispositions) === null);

/** How many were killed, and how many survived for what reason. */
export function figuresOf(
  kills: readonly GeneratedKill[],
  dispositions: readonly Disposition[],
): Record<string, number> {
  const figures: Record<string, number> = {};
  for (const { id, killed_by: killers } of kills) {
    const became = killers.length > 0 ? "killed" : (dispositionOf(id, dispositions)?.is ?? "unexplained");
    figures[became] = (figures[became] ?? 0) + 1;
  }
  return figures;
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
