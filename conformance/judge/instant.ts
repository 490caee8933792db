const form =
  /^(\d{4}-\d{2}-\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(Z|[+-]\d{2}(?::?\d{2})?)?$/i;

/**
 * An ISO 8601 timestamp as microseconds since the epoch, taken as UTC where it names no zone; undefined for anything
 * else.
 */
export function microsOf(value: unknown): number | undefined {
  const parts = typeof value === "string" ? form.exec(value) : null;
  if (!parts) return undefined;
  const [, date, hour, minute, second = "00", fraction = "", zone = "Z"] = parts;
  const wall = Date.parse(`${date}T${hour}:${minute}:${second}Z`);
  if (Number.isNaN(wall)) return undefined;
  return wall * 1000 + Number(fraction.padEnd(6, "0").slice(0, 6)) - 60_000_000 * offsetOf(zone);
}

/** A space for the T, or before the zone, as databases write it. */
const spaced = (value: unknown): unknown =>
  typeof value === "string"
    ? value.replace(/^([\d-]{10}) /, "$1T").replace(/\s(?=(Z|[+-][\d:]+)$)/i, "")
    : value;

/** As `microsOf`, in whole milliseconds, also with spaces where databases put them; NaN for anything else. */
export const instantOf = (value: unknown): number => Math.floor((microsOf(spaced(value)) ?? NaN) / 1000);

export const isTimestamp = (value: unknown): boolean => !Number.isNaN(instantOf(value));

const orMidnight = (value: unknown): unknown =>
  typeof value === "string" && /^\d{4}-\d{2}-\d{2}$/.test(value) ? `${value}T00:00Z` : value;

/** As `instantOf`, and a date alone is its midnight, UTC. */
export const dayOrInstantOf = (value: unknown): number => instantOf(orMidnight(value));

/** As `microsOf`; where a bucket names its day alone, that day's beginning, in UTC. */
export const bucketStart = (value: unknown): number | undefined => microsOf(orMidnight(value));

/** Minutes east of UTC. */
function offsetOf(zone: string): number {
  if (zone.toUpperCase() === "Z") return 0;
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(3).replace(":", "") || 0);
  return zone.startsWith("-") ? -minutes : minutes;
}

const digitsOf = (text: string): number => Math.min(6, form.exec(text)?.[5]?.length ?? 0);

/** The smallest step between two timestamps written like this one, in microseconds. */
export const stepOf = (text: string): number => 10 ** (6 - digitsOf(text));

/**
 * Microseconds since the epoch as a timestamp with as many decimals as `like` has.
 * @param offset minutes east of UTC; without it the timestamp is written in UTC with a Z
 */
export function timestampLike(like: string, micros: number, offset?: number): string {
  const wall = micros + 60_000_000 * (offset ?? 0);
  const seconds = new Date(Math.floor(wall / 1_000_000) * 1000).toISOString().slice(0, 19);
  const fraction = String(wall % 1_000_000)
    .padStart(6, "0")
    .slice(0, digitsOf(like));
  const pad = (value: number): string => String(Math.floor(value)).padStart(2, "0");
  const east = Math.abs(offset ?? 0);
  const zone = offset === undefined ? "Z" : `${offset < 0 ? "-" : "+"}${pad(east / 60)}:${pad(east % 60)}`;
  return `${seconds}${fraction === "" ? "" : `.${fraction}`}${zone}`;
}
