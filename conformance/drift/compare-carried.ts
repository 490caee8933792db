import { mediaTypesOf } from "./api.ts";
import { compareContent } from "./compare-content.ts";
import type { Found, Spot } from "./finding.ts";
import type { Findings } from "./findings.ts";
import { canonical, member, type JsonObject } from "./json.ts";
import type { Mode } from "./comparison.ts";

/** A value that is transmitted as text: a parameter of a request, or a header of an answer. */
export interface Carried {
  name: string;
  raw: JsonObject;
  pointer: string;
  required: boolean;
}

type SidedSpot = Spot & { side: Mode["side"] };

/** Where two parts stand. */
export const placesOf = (old: { pointer: string }, now: { pointer: string }) => ({
  oldPointer: old.pointer,
  newPointer: now.pointer,
});

/** Compares whether a parameter or a header binds and is required. @returns false when nothing else is to be compared */
export function comparePromise(findings: Findings, spot: SidedSpot, old: Carried, now: Carried): boolean {
  const at = placesOf(old, now);
  if (compareOpen(findings, spot, old.raw, now.raw, at)) return false;
  if (old.required !== now.required) {
    const what = spot.side === "request" ? "request_parameter" : "answer_header";
    const found = { old: old.required, new: now.required, ...at, newPointer: `${now.pointer}/required` };
    findings.add(`${what}_now_${now.required ? "required" : "optional"}`, spot, found);
  }
  return true;
}

/** Compares the values of a parameter or a header, described by a schema or by one media type. */
export function compareCarriedValue(findings: Findings, spot: SidedSpot, old: Carried, now: Carried): void {
  const [content, others] = [old.raw["content"], now.raw["content"]];
  if (content !== undefined && others !== undefined) {
    const where = spot.side === "request" ? `${spot.where}:` : spot.where;
    compareContent(findings, { ...spot, where }, content, others, placesOf(old, now));
    return;
  }
  const isText = Object.keys(content ?? others ?? {}).every((type) => type.startsWith("text/plain"));
  if (!isText && spot.side === "request") {
    findings.add("request_parameter_form_changed", spot, {
      old: old.raw,
      new: now.raw,
      ...placesOf(old, now),
    });
    return;
  }
  const [was, is] = [old, now].map(
    ({ raw }) => raw["schema"] ?? member([...mediaTypesOf(raw["content"]).values()][0]?.media, "schema"),
  );
  findings.compareSchemas(spot, was, is, { text: true, required: old.required && now.required });
}

/**
 * Compares an answer, a header or a parameter of which at least one side is marked `x-open`, and so promises nothing.
 * @returns false when both sides bind, so that the rest has to be compared
 */
export function compareOpen(
  findings: Findings,
  spot: Spot,
  old: JsonObject,
  now: JsonObject,
  at: Found,
): boolean {
  const [wasOpen, isOpen] = [old["x-open"] === true, now["x-open"] === true];
  if (!wasOpen && !isOpen) return false;
  if (!wasOpen) findings.add("obligation_dropped", spot, { old, new: "open", ...at });
  else if (!isOpen) {
    const kind = spot.side === "request" ? "request_obligation_added" : "obligation_added";
    findings.add(kind, spot, { old: "open", new: now, ...at });
  } else if (canonical(old) !== canonical(now)) findings.add("open_changed", spot, { old, new: now, ...at });
  return true;
}
