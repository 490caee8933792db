import { generalOf, mediaTypesOf, takingIn } from "./api.ts";
import type { Kind } from "./kinds.ts";
import { compareOthers, inside, type Part, compareOpen } from "./part.ts";
import { isObject, member, type Json } from "./json.ts";

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

/** Compares whether a parameter or a header binds and is required. @returns false when nothing else is to be compared */
export function comparePromise(part: Part, needed: boolean, needs: boolean): boolean {
  if (compareOpen(part)) return false;
  if (needed !== needs) {
    const what = part.side === "request" ? "request_parameter" : "answer_header";
    const found = { ...inside(part, "required"), old: needed, new: needs };
    part.findings.add(`${what}_now_${needs ? "required" : "optional"}`, found);
  }
  return true;
}

/** Compares a value that is transmitted as text, described by a schema or by one media type. */
export function compareCarriedValue(part: Part, required: boolean): void {
  const { findings, side } = part;
  const [before, after] = [member(part.old, "content"), member(part.new, "content")];
  if (before !== undefined && after !== undefined) return compareContent(part);
  const isText = Object.keys(before ?? after ?? {}).every((type) => type.startsWith("text/plain"));
  if (!isText && side === "request") findings.add("request_parameter_form_changed", part);
  else {
    const described = (raw: Json | undefined): Json | undefined =>
      isObject(raw) && raw["schema"] === undefined
        ? [...mediaTypesOf(raw["content"]).values()][0]?.media
        : raw;
    const holders = { old: described(part.old), new: described(part.new) };
    findings.compareSchemas({ ...part, ...holders }, { text: true, required });
  }
}
