import { mediaTypesOf } from "./api.ts";
import { compareContent } from "./compare-content.ts";
import { isObject, member, type Json } from "./json.ts";
import { compareOpen, inside, type Part } from "./part.ts";

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
