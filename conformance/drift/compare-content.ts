import { generalOf, mediaTypesOf, takingIn } from "./api.ts";
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
  const isRequest = spot.side === "request";
  /** The types that must be included: those that clients send, or those that servers answer with, as far as known. */
  const [sent, known] = isRequest ? [before, after] : [after, before];
  const compare = (one: string, other: string): void => {
    const [was, is] = isRequest
      ? [sent.get(one)!.media, known.get(other)!.media]
      : [known.get(other)!.media, sent.get(one)!.media];
    used.add(other);
    if (isObject(was) && isObject(is)) findings.addOthers(spot, was, is, ["schema"]);
    findings.compareSchemas(
      { ...spot, where: `${spot.where}:` },
      member(was, "schema"),
      member(is, "schema"),
    );
  };
  const used = new Set<string>();
  for (const [key, { type }] of sent) {
    const general = generalOf(known.keys(), key);
    const other = takingIn(known.keys(), key) ?? general;
    if (other !== undefined) compare(key, other);
    if (other === undefined) {
      const found = isRequest ? { old: type } : { new: type };
      findings.add(isRequest ? "request_media_type_removed" : "answer_media_type_added", spot, {
        ...found,
        ...pointers(type),
      });
    } else if (other === general) {
      const kind = isRequest ? "request_media_type_generalised" : "answer_media_type_specialised";
      const [one, two] = [type, known.get(other)!.type];
      findings.add(kind, spot, { old: isRequest ? one : two, new: isRequest ? two : one, ...pointers(type) });
    }
  }
  for (const [key, { type }] of known) {
    if (used.has(key)) continue;
    const other = takingIn(sent.keys(), key);
    if (other !== undefined) compare(other, key);
    else {
      const found = isRequest ? { new: type } : { old: type };
      findings.add(isRequest ? "request_media_type_added" : "answer_media_type_removed", spot, {
        ...found,
        ...pointers(type),
      });
    }
  }
}
