import { dataOf, observe, type Observer } from "../../judge/observer.ts";
import { memberOf, type Seen } from "../../judge/seen.ts";

const lists = ["listUsage", "listLedger"] as const;

function bucketsOf(seen: Seen): { start: number; count: unknown }[] {
  const buckets = memberOf(memberOf(dataOf(seen), "summary"), "buckets");
  if (!Array.isArray(buckets)) return [];
  return buckets.map((bucket) => ({
    start: Date.parse(String(memberOf(bucket, "bucket_start"))),
    count: memberOf(bucket, "total_count") ?? memberOf(bucket, "entry_count"),
  }));
}

export const observers: readonly Observer[] = [
  observe("R-094", lists, (seen) => {
    const buckets = bucketsOf(seen);
    if (buckets.length === 0) return null;
    if (buckets.some(({ start }, index) => index > 0 && start < buckets[index - 1]!.start)) return "other";
    return buckets.some(({ count }) => count === 0) ? "all" : "held";
  }),
  observe("R-095", lists, (seen) => {
    const buckets = bucketsOf(seen);
    if (seen.query.get("bucket") !== "week" || buckets.length === 0) return null;
    const onMonday = ({ start }: { start: number }): boolean => new Date(start).getUTCDay() === 1;
    return buckets.every(onMonday) ? "monday_inclusive" : "other";
  }),
];
