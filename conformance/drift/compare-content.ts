import { compareTexts } from "./compare-keywords.ts";
import { compareSchemas } from "./compare-schemas.ts";
import { entriesOf, isObject, member, step, type Json } from "./document.ts";
import type { Findings, Spot } from "./findings.ts";
import type { Kind } from "./kinds.ts";

/** Compares the media types of a body, and the schema of each. */
export function compareContent(
  findings: Findings,
  spot: Spot & { side: "request" | "answer" },
  old: Json | undefined,
  now: Json | undefined,
  at: { oldPointer: string; newPointer: string },
): void {
  const before = new Map(entriesOf(old));
  const after = new Map(entriesOf(now));
  const pointers = (type: string) => ({
    oldPointer: `${at.oldPointer}/content/${step(type)}`,
    newPointer: `${at.newPointer}/content/${step(type)}`,
  });
  for (const [type, was] of before) {
    const is = after.get(type);
    if (is === undefined) {
      const kind: Kind = `${spot.side}_media_type_removed`;
      findings.add(kind, spot, { old: type, ...pointers(type) });
      continue;
    }
    if (isObject(was) && isObject(is)) compareTexts(findings, spot, was, is, pointers(type));
    compareSchemas(
      findings,
      { ...spot, where: `${spot.where}:` },
      member(was, "schema"),
      member(is, "schema"),
    );
  }
  for (const type of after.keys()) {
    if (before.has(type)) continue;
    const kind: Kind = `${spot.side}_media_type_added`;
    findings.add(kind, spot, { new: type, ...pointers(type) });
  }
}
