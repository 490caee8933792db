import { member } from "./json.ts";

/** The date of `x-sunset`, as YYYY-MM-DD; undefined when there is none, null when it is not a date. */
export function sunsetOf(value: unknown): string | null | undefined {
  const written = member(value, "x-sunset");
  if (written === undefined) return undefined;
  const day = /^\d{4}-\d{2}-\d{2}/.exec(String(written))?.[0];
  return day !== undefined && !Number.isNaN(Date.parse(String(written))) ? day : null;
}

/** The meaning of an announced removal from the contract; undefined when it was not announced. */
export function announcedRemoval(
  value: unknown,
  today: string,
): "removed_after_sunset" | "deprecated_removed" | undefined {
  if (member(value, "deprecated") !== true) return undefined;
  const day = sunsetOf(value);
  if (typeof day === "string") return day <= today ? "removed_after_sunset" : undefined;
  return day === undefined ? "deprecated_removed" : undefined;
}
