import { registerHooks } from "node:module";
import { instrumentedAll, root, type Site } from "./sites.ts";

/*
 * Loads the server's sources with all their mutants, each of which can be active. Import this before the server.
 */

const sources = instrumentedAll();

/** Every site, by number. */
export const sites: readonly Site[] = [...sources.values()].flatMap((source) => source.sites);

const active = new Uint8Array(sites.length);
let reached = new Set<number>();

const judging = (number: number): boolean => active[number] === 1;

const recording = (number: number): boolean => {
  reached.add(number);
  return judging(number);
};

Object.assign(globalThis, { mutated: recording });

registerHooks({
  load(url, context, next) {
    const source = url.startsWith(root.href) ? sources.get(url.slice(root.href.length)) : undefined;
    return source === undefined
      ? next(url, context)
      : { format: "module-typescript", source: source.code, shortCircuit: true };
  },
});

/** Activates some mutants and deactivates all others. */
export function switchOn(numbers: readonly number[]): void {
  active.fill(0);
  for (const number of numbers) active[number] = 1;
  Object.assign(globalThis, { mutated: judging });
}

/** The sites executed since the last call. */
export function takeReached(): number[] {
  const taken = [...reached];
  reached = new Set();
  return taken;
}
