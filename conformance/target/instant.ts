const form =
  /^(\d{4}-\d{2}-\d{2})[Tt](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?([Zz]|[+-]\d{2}(?::?\d{2})?)?$/;

/**
 * An ISO 8601 timestamp as microseconds since the epoch; one without a zone counts as UTC. Undefined for any other
 * value.
 */
export function instantOf(value: unknown): number | undefined {
  const parts = typeof value === "string" ? form.exec(value) : null;
  if (!parts) return undefined;
  const [, day, hour, minute, second = "00", fraction = "", zone = "Z"] = parts;
  const wall = Date.parse(`${day}T${hour}:${minute}:${second}Z`);
  if (Number.isNaN(wall)) return undefined;
  return wall * 1000 + Number(fraction.padEnd(6, "0").slice(0, 6)) - 60_000_000 * offsetOf(zone);
}

/** As `instantOf`; where a bucket names its day alone, that day's beginning, in UTC. */
export const bucketStart = (value: unknown): number | undefined =>
  typeof value === "string" && /^\d{4}-\d{2}-\d{2}$/.test(value)
    ? instantOf(`${value}T00:00Z`)
    : instantOf(value);

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
