import { member } from "./json.ts";

/** The day of `x-sunset`, as YYYY-MM-DD; undefined when there is none, null when it is no day. */
export function sunsetOf(value: unknown): string | null | undefined {
  const written = member(value, "x-sunset");
  if (written === undefined) return undefined;
  const day = /^\d{4}-\d{2}-\d{2}/.exec(String(written))?.[0];
  return day !== undefined && !Number.isNaN(Date.parse(String(written))) ? day : null;
}

/** Whether a part of the contract was announced to go, by a day that has come. */
export function isSunset(value: unknown, today: string): boolean {
  const day = sunsetOf(value);
  return member(value, "deprecated") === true && typeof day === "string" && day <= today;
}
