import { generalOf, mediaTypesOf, takingIn } from "./api.ts";
import type { Kind } from "./kinds.ts";
import { compareOthers, inside, type Part } from "./part.ts";

/** Compares the media types of a body, and the schema of each. */
export function compareContent(part: Part): void {
  const content = inside(part, "content");
  const isRequest = part.side === "request";
  const [before, after] = [mediaTypesOf(content.old), mediaTypesOf(content.new)];
  /** The types that must be included, those that clients send or servers answer with; and those that are known. */
  const [sent, known] = isRequest ? [before, after] : [after, before];
  const inOrder = <T>(one: T, other: T) => (isRequest ? { old: one, new: other } : { old: other, new: one });
  const tell = (kind: Kind, type: string, one?: string, other?: string): unknown =>
    part.findings.add(kind, { ...inside(content, type), ...inOrder(one, other) });
  const used = new Set<string>();
  const compare = (one: string, other: string): void => {
    used.add(other);
    const media = { ...part, ...inOrder(sent.get(one)!.media, known.get(other)!.media) };
    compareOthers(media, ["schema"]);
    part.findings.compareSchemas({ ...media, where: `${part.where}:` });
  };
  for (const [key, { type }] of sent) {
    const general = generalOf(known.keys(), key);
    const other = takingIn(known.keys(), key) ?? general;
    if (other === undefined)
      tell(isRequest ? "request_media_type_removed" : "answer_media_type_added", type, type);
    else {
      compare(key, other);
      const kind = isRequest ? "request_media_type_generalised" : "answer_media_type_specialised";
      if (other === general) tell(kind, type, type, known.get(other)!.type);
    }
  }
  for (const [key, { type }] of known) {
    if (used.has(key)) continue;
    const other = takingIn(sent.keys(), key);
    if (other !== undefined) compare(other, key);
    else tell(isRequest ? "request_media_type_added" : "answer_media_type_removed", type, undefined, type);
  }
}
