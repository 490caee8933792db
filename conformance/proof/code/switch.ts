import { registerHooks } from "node:module";
import { instrumentedAll, root, type Site } from "./sites.ts";

/*
 * Loads the server's sources with all their mutants, of which at most one is active. Import this before the server.
 */

const sources = instrumentedAll();

/** Every site, by number. */
export const sites: readonly Site[] = [...sources.values()].flatMap((one) => one.sites);

let active = -1;
let reached = new Set<number>();

const judging = (number: number): boolean => number === active;

const recording = (number: number): boolean => {
  reached.add(number);
  return number === active;
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

/** Activates one mutant and deactivates all others; -1 activates none. */
export function switchOn(number: number): void {
  active = number;
  Object.assign(globalThis, { mutated: judging });
}

/** The sites executed since the last call. */
export function takeReached(): number[] {
  const taken = [...reached];
  reached = new Set();
  return taken;
}
