import { InvalidQuery } from "./invalid-query.ts";
import { ceilMs, dayMs, hourMs, type BoundedWindow } from "./window.ts";

export type Bucket = "hour" | "day" | "week";

const widths: Record<Bucket, number> = { hour: hourMs, day: dayMs, week: 7 * dayMs };

/** From Monday 1969-12-29 to the epoch: a week begins this much before a multiple of a week. */
const sinceMonday = 3 * dayMs;

/** The windows beyond this many buckets are narrowed to where there are records; see `bucketStarts`. */
export const mostEmptyBuckets = 10_000;

const isBucket = (value: string): value is Bucket => Object.hasOwn(widths, value);

/**
 * The `bucket` parameter; undefined when it is left to the window.
 * @throws InvalidQuery for anything but hour, day, week
 */
export function readBucket(value: string | undefined): Bucket | undefined {
  if (value === undefined || isBucket(value)) return value;
  throw new InvalidQuery(
    "bucket",
    `Invalid bucket: ${JSON.stringify(value.slice(0, 64))}. Use hour, day or week.`,
  );
}

/** The automatic bucket: day for windows over 3 days, else hour (contract: Limits). */
export function automaticBucket({ start, end }: BoundedWindow): Bucket {
  const micros = (end.ms - start.ms) * 1000 + (end.micros - start.micros);
  return micros > 3 * dayMs * 1000 ? "day" : "hour";
}

/** Epoch ms at which the bucket of a moment begins: the UTC hour, the UTC day, or Monday 00:00 UTC. */
export function bucketStart(bucket: Bucket, ms: number): number {
  const shift = bucket === "week" ? sinceMonday : 0;
  return Math.floor((ms + shift) / widths[bucket]) * widths[bucket] - shift;
}

/**
 * The starts of all buckets that the window touches, ascending, empty ones too; none when the start is after the end.
 * A window of more than `mostEmptyBuckets` is first narrowed to the span of its records, since a client can name
 * windows of millions of hours.
 * @param records epoch ms of the first and last record in the window; null when there is none
 */
export function bucketStarts(
  bucket: Bucket,
  window: BoundedWindow,
  records: { first: number; last: number } | null,
): number[] {
  let from = bucketStart(bucket, window.start.ms);
  let to = bucketStart(bucket, window.end.ms);
  if (ceilMs(window.start) > window.end.ms) return [];
  if ((to - from) / widths[bucket] >= mostEmptyBuckets) {
    if (!records) return [];
    from = bucketStart(bucket, records.first);
    to = bucketStart(bucket, records.last);
  }
  return Array.from(
    { length: (to - from) / widths[bucket] + 1 },
    (_, index) => from + index * widths[bucket],
  );
}

/**
 * SQL of `bucketStart` for a column of epoch milliseconds, not negative; 0 for all of time when there is no bucket.
 */
export function bucketSql(bucket: Bucket | null, column: "created_at" | "hour"): string {
  if (!bucket) return "0";
  return `${column} - (${column} + ${bucket === "week" ? sinceMonday : 0}) % ${widths[bucket]}`;
}
