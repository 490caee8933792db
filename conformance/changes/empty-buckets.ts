import type { Body } from "./mutant.ts";

const hourMs = 3_600_000;
const widths: Record<string, number> = { hour: hourMs, day: 24 * hourMs, week: 168 * hourMs };
/** The epoch is a Thursday, and weeks begin on Monday. */
const sinceMonday = 72 * hourMs;

/** A summary with a zero bucket for each empty period of its window, which the reference omits. */
export function withEmptyBuckets(summary: Body): Body {
  const buckets = summary["buckets"] as Body[];
  const [sample] = buckets;
  const width = widths[String(summary["bucket"])]!;
  const shift = summary["bucket"] === "week" ? sinceMonday : 0;
  const startOf = (time: unknown): number =>
    Math.floor((Date.parse(String(time)) + shift) / width) * width - shift;
  const [first, last] = [startOf(summary["start_date"]), startOf(summary["end_date"])];
  if (sample === undefined || last - first > 2_000 * width) return summary;
  const zeros = Object.fromEntries(Object.keys(sample).map((name) => [name, 0]));
  const held = new Map(buckets.map((bucket) => [Date.parse(String(bucket["bucket_start"])), bucket]));
  for (let start = first; start <= last; start += width) {
    if (!held.has(start)) held.set(start, { ...zeros, bucket_start: new Date(start).toISOString() });
  }
  return { ...summary, buckets: [...held].sort(([one], [other]) => one - other).map(([, bucket]) => bucket) };
}
