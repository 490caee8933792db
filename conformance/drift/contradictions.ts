import type { Document } from "./document.ts";
import { boundTypes } from "./schema.ts";
import type { JsonObject } from "../../base/data.ts";

/** Maximum number of contradictions that are listed of a document. */
const maxListed = 10;

/** What no value fits in the schemas of a document, each in a sentence with its line. */
export function contradictionsIn(
  document: Document,
  lineOf: (pointer: string) => { file: string; line: number },
): string[] {
  const contradictions = new Set<string>();
  for (const [object, pointer] of document.objects) {
    const contradiction = contradictionOf(object);
    if (contradiction === undefined) continue;
    const { file, line } = lineOf(pointer);
    contradictions.add(`${file}:${line}: ${contradiction}, so no value fits.`);
  }
  const more =
    contradictions.size > maxListed
      ? [`… and ${contradictions.size - maxListed} more of ${document.name}.`]
      : [];
  return [...[...contradictions].slice(0, maxListed), ...more];
}

const bounds = Object.keys(boundTypes).map((about) => [`min${about}`, `max${about}`] as const);

/** A minimum above its maximum. */
function contradictionOf(object: JsonObject): string | undefined {
  for (const [min, max] of bounds) {
    const most = object[max];
    if (typeof most !== "number") continue;
    const least = object[min];
    if (typeof least === "number" && least > most) return `${min} ${least} is above ${max} ${most}`;
  }
  return undefined;
}
