import { hourBucketDays, type Bucket } from "../../generated/contract.ts";
import { choices, InvalidQuery } from "./invalid-query.ts";
import { dayMs, hourMs, type BoundedWindow } from "./window.ts";

const widths: Record<Bucket, number> = { hour: hourMs, day: dayMs, week: 7 * dayMs };

/** The epoch is a Thursday: a week begins this long before a multiple of a week. */
const sinceMonday = 3 * dayMs;

const isBucket = (value: string): value is Bucket => Object.hasOwn(widths, value);

/**
 * Reads the `bucket` parameter; undefined if the window decides.
 * @throws InvalidQuery for anything but hour, day, week
 */
export function readBucket(value: string | undefined): Bucket | undefined {
  if (value === undefined || isBucket(value)) return value;
  throw new InvalidQuery(
    "bucket",
    `Invalid bucket: ${JSON.stringify(value.slice(0, 64))}. Use ${choices(Object.keys(widths))}.`,
  );
}

/** The automatic bucket: hour for windows up to some days, else day (contract: Limits). */
export function automaticBucket({ start, end }: BoundedWindow): Bucket {
  const micros = (end.ms - start.ms) * 1000 + (end.micros - start.micros);
  return micros > hourBucketDays * dayMs * 1000 ? "day" : "hour";
}

/**
 * SQL for the start of a time's bucket in epoch ms: the UTC hour, the UTC day, or Monday 00:00 UTC; 0 without a bucket.
 * The time must not be negative.
 */
export function bucketSql(bucket: Bucket | null, column: "created_at" | "hour"): string {
  if (!bucket) return "0";
  return `${column} - (${column} + ${bucket === "week" ? sinceMonday : 0}) % ${widths[bucket]}`;
}
