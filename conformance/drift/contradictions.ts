import type { Document } from "./document.ts";
import { boundTypes } from "./schema.ts";

/** Maximum number of contradictions that are listed of a document. */
const maxListed = 10;

const bounds = Object.keys(boundTypes).map((about) => [`min${about}`, `max${about}`] as const);

/** What no value fits in the schemas of a document, a minimum above its maximum, each in a sentence with its line. */
export function contradictionsIn(
  document: Document,
  lineOf: (pointer: string) => { file: string; line: number },
): string[] {
  const all = new Set<string>();
  for (const [object, pointer] of document.objects) {
    const contradicting = bounds.find(([min, max]) => isAbove(object[min], object[max]));
    if (contradicting === undefined) continue;
    const [min, max] = contradicting;
    const { file, line } = lineOf(pointer);
    all.add(`${file}:${line}: ${min} ${object[min]} is above ${max} ${object[max]}, so no value fits.`);
  }
  const more = all.size > maxListed ? [`… and ${all.size - maxListed} more of ${document.name}.`] : [];
  return [...[...all].slice(0, maxListed), ...more];
}

const isAbove = (least: unknown, most: unknown): boolean =>
  typeof least === "number" && typeof most === "number" && least > most;
