import type { Findings, Spot } from "./findings.ts";
import { canonical, type JsonObject } from "./json.ts";

/**
 * Compares an answer, a header or a parameter of which at least one side is marked `x-open`, and so promises nothing.
 * @returns false when both sides bind, so that the rest has to be compared
 */
export function compareOpen(
  findings: Findings,
  spot: Spot,
  old: JsonObject,
  now: JsonObject,
  at: { oldPointer: string; newPointer: string },
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
