import { generalOf, mediaTypesOf, takingIn } from "./api.ts";
import type { Spot } from "./finding.ts";
import type { Findings } from "./findings.ts";
import { isObject, member, step, type Json } from "./json.ts";

/** Compares the media types of a body, and the schema of each. */
export function compareContent(
  findings: Findings,
  spot: Spot & { side: "request" | "answer" },
  old: Json | undefined,
  now: Json | undefined,
  at: { oldPointer: string; newPointer: string },
): void {
  const isRequest = spot.side === "request";
  /** The types that must be included, those that clients send or servers answer with; and those that are known. */
  const [sent, known] = isRequest
    ? [mediaTypesOf(old), mediaTypesOf(now)]
    : [mediaTypesOf(now), mediaTypesOf(old)];
  /** What is sent and what is known, as old and new. */
  const inOrder = <T>(one: T, other: T): { old: T; new: T } =>
    isRequest ? { old: one, new: other } : { old: other, new: one };
  const tell = (kind: Parameters<Findings["add"]>[0], type: string, one?: string, other?: string): void => {
    const pointers = {
      oldPointer: `${at.oldPointer}/content/${step(type)}`,
      newPointer: `${at.newPointer}/content/${step(type)}`,
    };
    findings.add(kind, spot, { ...inOrder(one, other), ...pointers });
  };
  const used = new Set<string>();
  const compare = (one: string, other: string): void => {
    used.add(other);
    const { old: was, new: is } = inOrder(sent.get(one)!.media, known.get(other)!.media);
    if (isObject(was) && isObject(is)) findings.addOthers(spot, was, is, ["schema"]);
    const inside = { ...spot, where: `${spot.where}:` };
    findings.compareSchemas(inside, member(was, "schema"), member(is, "schema"));
  };
  for (const [key, { type }] of sent) {
    const general = generalOf(known.keys(), key);
    const other = takingIn(known.keys(), key) ?? general;
    if (other !== undefined) compare(key, other);
    if (other === undefined)
      tell(isRequest ? "request_media_type_removed" : "answer_media_type_added", type, type);
    else if (other === general) {
      const kind = isRequest ? "request_media_type_generalised" : "answer_media_type_specialised";
      tell(kind, type, type, known.get(other)!.type);
    }
  }
  for (const [key, { type }] of known) {
    if (used.has(key)) continue;
    const other = takingIn(sent.keys(), key);
    if (other !== undefined) compare(other, key);
    else tell(isRequest ? "request_media_type_added" : "answer_media_type_removed", type, undefined, type);
  }
}
