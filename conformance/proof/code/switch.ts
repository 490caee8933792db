import { registerHooks } from "node:module";
import { instrumentedAll, root, type Site } from "./sites.ts";

/*
 * Loads the server's sources with all their mutants in them; one at a time is switched on. It has to be imported before
 * the server is.
 */

const sources = instrumentedAll();

/** Every site, by its number. */
export const sites: readonly Site[] = [...sources.values()].flatMap((one) => one.sites);

let active = -1;
let reached = new Set<number>();

Object.assign(globalThis, {
  mutated: (number: number): boolean => {
    reached.add(number);
    return number === active;
  },
});

registerHooks({
  load(url, context, next) {
    const source = url.startsWith(root.href) ? sources.get(url.slice(root.href.length)) : undefined;
    return source === undefined
      ? next(url, context)
      : { format: "module-typescript", source: source.code, shortCircuit: true };
  },
});

/** Switches one mutant on, and all others off; none for -1. */
export const switchOn = (number: number): void => void (active = number);

/** The sites that have run since this was asked for last. */
export function takeReached(): number[] {
  const taken = [...reached];
  reached = new Set();
  return taken;
}
