import { summaryWindowHours } from "../../generated/contract.ts";
import { InvalidQuery } from "./invalid-query.ts";

/** A UTC time to the microsecond, the precision of `start_date` and `end_date`. */
export interface Instant {
  /** Epoch milliseconds, rounded down. */
  ms: number;
  /** Microseconds beyond `ms`, 0 to 999. */
  micros: number;
}

/** A time window with both ends inclusive; null for an unbounded end. */
export interface Window {
  start: Instant | null;
  end: Instant | null;
}

/** A window with both ends known. */
export interface BoundedWindow {
  start: Instant;
  end: Instant;
}

export const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;

const dateForm =
  /^(\d{4}-\d{2}-\d{2})(?:T(\d{2})(?::(\d{2})(?::(\d{2})(?:[.,](\d+))?)?)?(Z|[+-]\d{2}(?::?\d{2})?)?)?$/i;

const isCalendarDay = (day: string): boolean => {
  const midnight = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(day);
};

/** Minutes east of UTC of a zone designator; undefined for an invalid one. */
function offsetMinutes(zone: string): number | undefined {
  if (zone === "" || zone.toUpperCase() === "Z") return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(3).replace(":", "") || 0);
  if (hours > 23 || minutes > 59) return undefined;
  return (zone.startsWith("-") ? -1 : 1) * (hours * 60 + minutes);
}

/** A Monday, so that no bucket begins before it. */
const earliest: Instant = { ms: Date.parse("0001-01-01T00:00:00Z"), micros: 0 };
const latest: Instant = { ms: Date.parse("9999-12-31T23:59:59.999Z"), micros: 999 };

/** The nearest time whose year has four digits, since an offset can lead beyond; it has no records. */
function writable(moment: Instant): Instant {
  if (moment.ms < earliest.ms) return earliest;
  return moment.ms > latest.ms ? latest : moment;
}

/** The time of a date or datetime; undefined if it is invalid. */
function readInstant(value: string, end: boolean): Instant | undefined {
  const [, day = "", hour, minute = "0", second = "0", fraction = "", zone = ""] = dateForm.exec(value) ?? [];
  if (!isCalendarDay(day)) return undefined;
  const midnight = Date.parse(`${day}T00:00:00Z`);
  if (hour === undefined)
    return end ? writable({ ms: midnight + dayMs - 1, micros: 999 }) : writable({ ms: midnight, micros: 0 });
  const offset = offsetMinutes(zone);
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59 || offset === undefined)
    return undefined;
  const micros = Number(fraction.padEnd(6, "0").slice(0, 6));
  const seconds = (Number(hour) * 60 + Number(minute) - offset) * 60 + Number(second);
  return writable({ ms: midnight + seconds * 1000 + Math.floor(micros / 1000), micros: micros % 1000 });
}

function parameterInstant(parameter: "start_date" | "end_date", value: string | undefined): Instant | null {
  if (value === undefined) return null;
  const instant = readInstant(value, parameter === "end_date");
  if (instant) return instant;
  const hint = value.includes(" ") ? " A + in a URL must be written %2B." : "";
  throw new InvalidQuery(
    parameter,
    `Invalid date format in ${parameter}: ${JSON.stringify(value.slice(0, 64))}. ` +
      `Use YYYY-MM-DD or an ISO 8601 datetime such as 2026-09-12T08:30:00Z.${hint}`,
  );
}

/**
 * Parses the window of `start_date` and `end_date`: YYYY-MM-DD or an ISO 8601 datetime each, UTC without a zone; a
 * plain date as the end means the end of that day (contract: Usage audit query parameters).
 * @throws InvalidQuery for any other form
 */
export const readWindow = (query: { start_date?: string; end_date?: string }): Window => ({
  start: parameterInstant("start_date", query.start_date),
  end: parameterInstant("end_date", query.end_date),
});

export const instant = (ms: number): Instant => ({ ms, micros: 0 });

/** The first whole millisecond at or after a time. */
export const ceilMs = (moment: Instant): number => (moment.micros > 0 ? moment.ms + 1 : moment.ms);

/** Epoch milliseconds as an ISO 8601 timestamp in UTC. */
export const timestamp = (ms: number): string => new Date(ms).toISOString();

/** A time as an ISO 8601 timestamp, with microseconds if there are any. */
export const instantText = (moment: Instant): string =>
  moment.micros === 0
    ? timestamp(moment.ms)
    : timestamp(moment.ms).replace("Z", `${String(moment.micros).padStart(3, "0")}Z`);

/** A time as an ISO 8601 timestamp, or null for an unbounded end. */
export const boundText = (moment: Instant | null): string | null => moment && instantText(moment);

/**
 * The window of a summary: the last 24 hours if both dates are omitted (contract: Limits); if one is missing, from the
 * account's first record, or up to now.
 * @param first epoch ms of the account's first record; null if there is none
 */
export function summaryWindow(window: Window, now: number, first: number | null): BoundedWindow {
  if (!window.start && !window.end)
    return { start: instant(now - summaryWindowHours * hourMs), end: instant(now) };
  const end = window.end ?? instant(now);
  return { start: window.start ?? instant(Math.min(first ?? end.ms, end.ms)), end };
}
