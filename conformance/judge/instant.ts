/** In the extended format or the basic one, such as 20261120T103000Z. */
const form =
  /^(\d{4}-\d{2}-\d{2}|\d{8})T(\d{2}):?(\d{2})(?::?(\d{2})(?:[.,](\d{1,9}))?)?(Z|[+-]\d{2}(?::?\d{2})?)?$/i;

/** As most servers write it: parsed in a fraction of the time. */
const usual = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** An ISO 8601 timestamp as microseconds since the epoch, in UTC when it names no zone; undefined for anything else. */
export function microsOf(value: unknown): number | undefined {
  if (typeof value !== "string") return undefined;
  if (usual.test(value)) return inMicros(Date.parse(value));
  const parts = form.exec(value);
  if (!parts) return undefined;
  const [, day, hour, minute, second = "00", fraction = "", zone = "Z"] = parts;
  const date = day!.replace(/^(\d{4})(\d{2})(\d{2})$/, "$1-$2-$3");
  const wall = Date.parse(`${date}T${hour}:${minute}:${second}Z`);
  if (Number.isNaN(wall)) return undefined;
  return wall * 1000 + Number(fraction.padEnd(6, "0").slice(0, 6)) - 60_000_000 * offsetOf(zone);
}

const inMicros = (ms: number): number | undefined => (Number.isNaN(ms) ? undefined : ms * 1000);

/** A space in place of the T or before the zone, as databases write it. */
const spaced = (value: unknown): unknown =>
  typeof value === "string"
    ? value.replace(/^([\d-]{10}) /, "$1T").replace(/\s(?=(Z|[+-][\d:]+)$)/i, "")
    : value;

/** Microseconds in each unit of time. */
export const microsIn = {
  second: 1_000_000,
  minute: 60_000_000,
  hour: 3_600_000_000,
  day: 86_400_000_000,
  week: 604_800_000_000,
} as const;

/**
 * A point in time whose format the contract does not specify, as microseconds since the epoch: an ISO 8601 timestamp, a
 * date (its start in UTC), or a number of seconds, milliseconds or microseconds since 1970. Undefined for anything
 * else.
 */
export const momentOf = (value: unknown): number | undefined =>
  isEpoch(value) ? value * unitOf(value) : (microsOf(value) ?? microsOf(orMidnight(spaced(value))));

const orMidnight = (value: unknown): unknown => (isDay(value) ? `${value}T00:00Z` : value);

/** Whether a value is a date without a time, such as 2026-11-20. */
export const isDay = (value: unknown): value is string =>
  typeof value === "string" && /^\d{4}-\d{2}-\d{2}$/.test(value);

const isEpoch = (value: unknown): value is number => typeof value === "number" && value > 1e8;

/** Microseconds in one unit of an epoch number, judged by its magnitude. */
const unitOf = (epoch: number): number => (epoch < 1e11 ? microsIn.second : epoch < 1e14 ? 1000 : 1);

/** Minutes east of UTC. */
function offsetOf(zone: string): number {
  if (zone.toUpperCase() === "Z") return 0;
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(3).replace(":", "") || 0);
  return zone.startsWith("-") ? -minutes : minutes;
}

/** The number of decimals in the seconds of a timestamp. */
const digitsOf = (like: unknown): number =>
  isEpoch(like) && Number.isInteger(like)
    ? 6 - Math.log10(unitOf(like))
    : Math.min(6, form.exec(String(spaced(like)))?.[5]?.length ?? 0);

/** The resolution of a timestamp's format, in microseconds. */
export const stepOf = (like: unknown): number => 10 ** (6 - digitsOf(like));

/**
 * Microseconds since the epoch as a timestamp with as many decimals as `like`.
 * @param offset minutes east of UTC; by default UTC, with a Z unless `like` names no zone
 */
export function timestampLike(like: unknown, micros: number, offset?: number): string {
  const text = String(spaced(like));
  const wall = micros + 60_000_000 * (offset ?? 0);
  const seconds = new Date(Math.floor(wall / 1_000_000) * 1000).toISOString().slice(0, 19);
  const fraction = String(wall % 1_000_000)
    .padStart(6, "0")
    .slice(0, digitsOf(like));
  const pad = (value: number): string => String(Math.floor(value)).padStart(2, "0");
  const east = Math.abs(offset ?? 0);
  const zone =
    offset === undefined
      ? isZoneless(text)
        ? ""
        : "Z"
      : `${offset < 0 ? "-" : "+"}${pad(east / 60)}:${pad(east % 60)}`;
  return `${seconds}${fraction === "" ? "" : `.${fraction}`}${zone}`;
}

/** How far the instant that a timestamp without a zone, or a date, means may lie before and after its text in UTC. */
export function zonesApart(like: unknown): { before: number; after: number } {
  if (!isZoneless(like)) return { before: 0, after: 0 };
  return { before: 14 * microsIn.hour, after: 12 * microsIn.hour + (isDay(like) ? microsIn.day : 0) };
}

/** Whether a timestamp or date names no zone, so that only the server knows which one is meant. */
export const isZoneless = (like: unknown): boolean => {
  const parts = form.exec(String(orMidnight(spaced(like))));
  return isDay(like) || (parts !== null && parts[6] === undefined);
};
