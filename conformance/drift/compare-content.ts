import { mediaTypesOf, takingIn } from "./api.ts";
import type { Findings, Spot } from "./findings.ts";
import { isObject, member, step, type Json } from "./json.ts";

/** Compares the media types of a body, and the schema of each. */
export function compareContent(
  findings: Findings,
  spot: Spot & { side: "request" | "answer" },
  old: Json | undefined,
  now: Json | undefined,
  at: { oldPointer: string; newPointer: string },
): void {
  const [before, after] = [mediaTypesOf(old), mediaTypesOf(now)];
  const pointers = (type: string) => ({
    oldPointer: `${at.oldPointer}/content/${step(type)}`,
    newPointer: `${at.newPointer}/content/${step(type)}`,
  });
  const compared = new Set<string>();
  const compare = (one: string, other: string): void => {
    const [was, is] = [before.get(one)!.media, after.get(other)!.media];
    compared.add(one).add(other);
    if (isObject(was) && isObject(is)) findings.addOthers(spot, was, is, ["schema"]);
    findings.compareSchemas(
      { ...spot, where: `${spot.where}:` },
      member(was, "schema"),
      member(is, "schema"),
    );
  };
  for (const [key, { type }] of before) {
    const other = takingIn(after.keys(), key);
    if (other !== undefined) compare(key, other);
    // A range of which only a part is left is narrower: no type of it that comes is new.
    else if (
      spot.side === "request" ||
      ![...after.keys()].some((one) => takingIn(before.keys(), one) === key)
    ) {
      findings.add(`${spot.side}_media_type_removed`, spot, { old: type, ...pointers(type) });
    }
  }
  for (const [key, { type }] of after) {
    if (before.has(key)) continue;
    const other = takingIn(before.keys(), key);
    if (spot.side === "answer" && other !== undefined) {
      if (!compared.has(key)) compare(other, key);
    } else if (other === undefined)
      findings.add(`${spot.side}_media_type_added`, spot, { new: type, ...pointers(type) });
  }
}
