const form =
  /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?)\s?(Z|[+-]\d{2}(?::?\d{2})?)?)?$/i;

/** Epoch milliseconds of an ISO 8601 timestamp, taken as UTC where it names no zone; NaN for anything else. */
export function instantOf(value: unknown): number {
  const [, day, time, zone = "Z"] = (typeof value === "string" && form.exec(value)) || [];
  if (day === undefined || time === undefined) return NaN;
  return Date.parse(`${day}T${time.replace(",", ".")}${wholeZone(zone)}`);
}

/** As `instantOf`, and a date alone is its midnight, UTC. */
export const dayOrInstantOf = (value: unknown): number =>
  typeof value === "string" && /^\d{4}-\d{2}-\d{2}$/.test(value)
    ? Date.parse(`${value}T00:00:00Z`)
    : instantOf(value);

export const isTimestamp = (value: unknown): boolean => !Number.isNaN(instantOf(value));

/** `+02` and `+0200` as JavaScript reads them. */
const wholeZone = (zone: string): string =>
  /^z$/i.test(zone) ? "Z" : `${zone.slice(0, 3)}:${zone.slice(3).replace(":", "") || "00"}`;
