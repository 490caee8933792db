import { defaultSample, largestSample } from "../../generated/contract.ts";
import { sameCredits, sumOf } from "../judge/credits.ts";
import { microsOf, momentOf } from "../judge/instant.ts";
import { listData, type Row } from "../judge/rows.ts";
import { about, holds, rule, type Judgement, type Rule } from "../judge/rule.ts";
import { isFields, valueAt, type Seen } from "../judge/seen.ts";
import type { Figure, Summary } from "../books/summary.ts";

/** Maximum delay of a window's summary behind its list, in milliseconds. */
const settling = 60_000;

/** The rules for each answer that contains a summary. */
export function summaryRules(summary: Summary): readonly Rule[] {
  const { list, figures, parts, samples, window, buckets, spans } = summary;
  /** The summary of an answer; null when there is none, or another clause reports what is wrong with it. */
  const summaryOf = (seen: Seen): Row | null => {
    const found = listData(seen, list)?.["summary"];
    return isFields(found) ? found : null;
  };
  const bucketsOf = (seen: Seen): Row[] | null => {
    const found = summaryOf(seen)?.["buckets"];
    return Array.isArray(found) ? found.filter(isFields) : null;
  };
  const whole = (seen: Seen, path: string): unknown => valueAt(summaryOf(seen), path);

  return about(
    [list],
    [
      ...(list === "listUsage" ? [isoWindow(window, summaryOf)] : []),
      rule(
        window,
        "the summary's window does not end before it starts",
        (seen) => {
          const [start, end] = ["start_date", "end_date"].map((name) => momentOf(summaryOf(seen)?.[name]));
          const asked = ["start_date", "end_date"].map((name) => momentOf(seen.query.get(name)));
          if (start === undefined || end === undefined) return null;
          // A client may request a window that ends before it starts.
          if (asked[0] !== undefined && asked[1] !== undefined && asked[0] > asked[1]) return null;
          // The contract does not say which end a window without rows has where the client named none.
          if (asked.includes(undefined) && whole(seen, figures[0]!.path) === 0) return null;
          return holds(start <= end, "start_date at or before end_date", whole(seen, "end_date"));
        },
        "order",
      ),
      ...parts.map(({ clause, paths }) =>
        rule(clause, `${paths.join(", ")} add up to no more than ${figures[0]!.path}`, (seen) => {
          const total = whole(seen, figures[0]!.path);
          const counts = paths.map((path) => whole(seen, path));
          if (typeof total !== "number" || !counts.every((count) => typeof count === "number")) return null;
          return holds(sumOf(counts) <= total, `counts that add up to at most ${total}`, counts);
        }),
      ),
      rule(
        figures[0]!.follows!,
        `${figures[0]!.path} is the list's total when both dates are given`,
        (seen) => {
          // The list may show recent events before the summary does; the checks wait for both.
          const end = momentOf(seen.query.get("end_date"));
          const isPast = end !== undefined && end / 1000 < seen.exchange.started_at - settling;
          const total = listData(seen, list)?.["total"];
          if (summaryOf(seen) === null || !isPast || !seen.query.has("start_date")) return null;
          return holds(
            whole(seen, figures[0]!.path) === total,
            `${String(total)}, as total`,
            whole(seen, figures[0]!.path),
          );
        },
      ),
      rule(
        samples.count,
        `${samples.path} are at most limit, ${defaultSample} without it, never more than ${largestSample}`,
        (seen) => {
          const items = summaryOf(seen)?.[samples.path];
          if (!Array.isArray(items)) return null;
          const most = Math.min(largestSample, Number(seen.query.get("limit") ?? defaultSample));
          const total = whole(seen, figures[0]!.path);
          // Fewer rows than the cap show nothing of it.
          if (items.length <= most && !(typeof total === "number" && total > most)) return null;
          return holds(items.length <= most, `at most ${most} items`, items.length);
        },
      ),
      rule(buckets, "no two buckets start together", (seen) => {
        const starts = bucketsOf(seen)?.map((bucket) => momentOf(bucket["bucket_start"]));
        if (starts === undefined || starts.length === 0) return null;
        const twice = starts.find((start, index) => starts.indexOf(start) !== index);
        return holds(twice === undefined, "each bucket_start once", twice);
      }),
      rule(spans, "a bucket that counts no row of a kind has no credits of it", (seen) =>
        creditsOfNothing(bucketsOf(seen) ?? [], figures),
      ),
      ...[...new Set(figures.map(({ adds }) => adds))].map((clause) => {
        const added = figures.filter(({ adds }) => adds === clause);
        const names = added.map(({ inBucket }) => inBucket).join(", ");
        return rule(clause, `${names} of the buckets add up to the summary's`, (seen) => {
          const found = bucketsOf(seen);
          return found === null ? null : addUp(found, added, (path) => whole(seen, path));
        });
      }),
    ],
  );
}

/** The contract specifies the format of the window only for the usage summary. */
const isoWindow = (window: Summary["window"], summaryOf: (seen: Seen) => Row | null): Rule =>
  rule(window, "the dates of the summary are ISO 8601 timestamps", (seen) => {
    const summary = summaryOf(seen);
    if (summary === null) return null;
    const dates = [summary["start_date"], summary["end_date"]];
    return holds(!dates.map(microsOf).includes(undefined), "two ISO 8601 timestamps", dates);
  });

/** Compares the buckets' sums with the summary's figures. */
function addUp(
  buckets: readonly Row[],
  figures: readonly Figure[],
  whole: (path: string) => unknown,
): Judgement {
  for (const { path, inBucket } of figures) {
    const total = whole(path);
    if (typeof total !== "number") return null;
    const sum = sumOf(buckets.map((bucket) => Number(bucket[inBucket])));
    if (!sameCredits(sum, total)) {
      return { expected: `${inBucket} of the buckets to add up to ${total}`, received: String(sum) };
    }
  }
  return true;
}

/** A bucket with credits from rows that it does not count. */
function creditsOfNothing(buckets: readonly Row[], figures: readonly Figure[]): Judgement {
  const empty = buckets.flatMap((bucket) =>
    figures
      .filter(({ from }) => from?.every((name) => bucket[name] === 0))
      .map(({ inBucket }) => ({ bucket, inBucket })),
  );
  if (empty.length === 0) return null;
  const wrong = empty.find(({ bucket, inBucket }) => !sameCredits(Number(bucket[inBucket]), 0));
  return holds(
    wrong === undefined,
    `${wrong?.inBucket} 0 in a bucket that counts no such row`,
    wrong?.bucket,
  );
}
