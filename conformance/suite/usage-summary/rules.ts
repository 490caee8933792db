import type { ClauseId } from "../../../generated/clauses.ts";
import type { Kind } from "../../judge/expect.ts";
import { bucketStart, microsOf } from "../../judge/instant.ts";
import { fields, holds, about, rule, type FieldRow, type Judgement, type Rule } from "../../judge/rule.ts";
import { isFields, valuesAt, type Seen } from "../../judge/seen.ts";

type Fields = Record<string, unknown>;

/** Milliseconds after which the summary of a window is no longer behind its list. */
const settling = 60_000;

const outcomes = ["charged", "included", "failed_not_charged", "failed_charged_review"];

/** The summary is there: `summary=true` was asked. Whether it is an object is another clause's affair. */
const summaryOf = (seen: Seen): Fields | null => {
  if (seen.operation !== "listUsage" || seen.status !== 200) return null;
  const summary = valuesAt(seen.body, "data.summary")[0]?.value;
  return isFields(summary) ? summary : null;
};
const summed = { when: (seen: Seen) => summaryOf(seen) !== null };
const notNegative = { ...summed, meaning: "at least 0", is: (value: unknown) => Number(value) >= 0 };
const timestamp = {
  ...summed,
  meaning: "an ISO 8601 timestamp",
  is: (value: unknown) => microsOf(value) !== undefined,
};

const rows = (clause: ClauseId, at: string, names: readonly string[], kinds: readonly Kind[]): FieldRow[] =>
  names.map((name) => [clause, `${at}.${name}`, kinds, notNegative]);

const bucketsOf = (seen: Seen): Fields[] | null => {
  const buckets = summaryOf(seen)?.["buckets"];
  return Array.isArray(buckets) ? buckets.filter(isFields) : null;
};

/** A date or a timestamp of a query in microseconds; NaN when it is neither. */
const momentOf = (value: string | null): number => microsOf(value) ?? Date.parse(value ?? "") * 1000;

/** The sum of a field of the buckets is that of the summary, for each pair of names. */
const addsUp = (
  seen: Seen,
  names: readonly (readonly [inBucket: string, inSummary: string])[],
): Judgement => {
  const buckets = bucketsOf(seen);
  if (buckets === null) return null;
  for (const [inBucket, inSummary] of names) {
    const whole = valuesAt(summaryOf(seen), inSummary)[0]?.value;
    if (typeof whole !== "number") return null;
    const sum = buckets.reduce((before, bucket) => before + Number(bucket[inBucket]), 0);
    if (!(Math.abs(sum - whole) < 1e-6))
      return { expected: `${inBucket} of the buckets to add up to ${whole}`, received: String(sum) };
  }
  return true;
};

/** What a bucket's credits are when some of its counts are all zero: credits come from the events that it counts. */
const creditless: readonly (readonly [counts: readonly string[], credits: string])[] = [
  [["total_count"], "pre_settlement_credits"],
  [["charged_count", "failed_charged_review_count"], "settled_credits"],
];

/** The summary of the usage list. */
export const rules: readonly Rule[] = about(
  ["listUsage"],
  [
    ...fields("listUsage", 200, [
      ["USUM-01", "data.summary.start_date", ["string"], timestamp],
      ["USUM-01", "data.summary.end_date", ["string"], timestamp],
      [
        "USUM-01",
        "data.summary.bucket",
        ["string"],
        {
          ...summed,
          meaning: "hour, day or week",
          is: (value) => ["hour", "day", "week"].includes(value as string),
        },
      ],
      ...rows("USUM-03", "data.summary", ["total_count", "success_count", "failure_count"], ["integer"]),
      ...rows("USUM-04", "data.summary.charge_outcome_counts", outcomes, ["integer"]),
      ["USUM-08", "data.summary.pre_settlement_credits", ["number"], notNegative],
      ["USUM-09", "data.summary.settled_credits", ["number"], notNegative],
      ["USUM-10", "data.summary.max_charge_items", ["array"], summed],
      ["USUM-12", "data.summary.buckets", ["array"], summed],
      [
        "USUM-12",
        "data.summary.buckets.*.bucket_start",
        ["string"],
        { ...summed, meaning: "a timestamp or a date", is: (value) => bucketStart(value) !== undefined },
      ],
      ...rows(
        "USUM-13",
        "data.summary.buckets.*",
        ["total_count", "success_count", "failure_count", ...outcomes.map((outcome) => `${outcome}_count`)],
        ["integer"],
      ),
      ...rows("USUM-13", "data.summary.buckets.*", ["pre_settlement_credits", "settled_credits"], ["number"]),
    ]),
    rule(
      "USUM-01",
      "the summary's window does not end before it starts",
      (seen) => {
        const [start, end] = ["start_date", "end_date"].map((name) => microsOf(summaryOf(seen)?.[name]));
        const asked = ["start_date", "end_date"].map((name) => momentOf(seen.query.get(name)));
        if (start === undefined || end === undefined) return null;
        // A client may ask for a window that ends before it starts.
        if (asked[0]! > asked[1]!) return null;
        return holds(start <= end, "start_date at or before end_date", summaryOf(seen)?.["end_date"]);
      },
      "order",
    ),
    rule("USUM-03", "success_count and failure_count add up to total_count", (seen) => {
      const summary = summaryOf(seen);
      if (summary === null) return null;
      const { total_count: total, success_count: good, failure_count: bad } = summary;
      return holds(Number(good) + Number(bad) === total, "two counts that add up to total_count", {
        total_count: total,
        success_count: good,
        failure_count: bad,
      });
    }),
    rule("USUM-04", "charge_outcome_counts add up to total_count", (seen) => {
      const summary = summaryOf(seen);
      const counts = summary?.["charge_outcome_counts"];
      if (summary === null || !isFields(counts)) return null;
      const sum = outcomes.reduce((before, outcome) => before + Number(counts[outcome]), 0);
      return holds(
        sum === summary["total_count"],
        `counts that add up to ${String(summary["total_count"])}`,
        counts,
      );
    }),
    rule("USUM-06", "total_count is the list's total when both dates are given", (seen) => {
      const summary = summaryOf(seen);
      if (summary === null || !seen.query.has("start_date") || !seen.query.has("end_date")) return null;
      // Of what has just happened the list may know before the summary does; the check of this clause waits for both.
      const end = microsOf(summary["end_date"]);
      if (end === undefined || end / 1000 > seen.exchange.started_at - settling) return null;
      const total = valuesAt(seen.body, "data.total")[0]?.value;
      return holds(
        summary["total_count"] === total,
        `total_count ${String(total)}, as total`,
        summary["total_count"],
      );
    }),
    rule("USUM-10", "max_charge_items are at most limit, 10 without it, never more than 50", (seen) => {
      const items = summaryOf(seen)?.["max_charge_items"];
      if (!Array.isArray(items)) return null;
      const most = Math.min(50, Number(seen.query.get("limit") ?? 10));
      return holds(items.length <= most, `at most ${most} items`, items.length);
    }),
    rule("USUM-12", "no two buckets start together", (seen) => {
      const starts = bucketsOf(seen)?.map((bucket) => bucketStart(bucket["bucket_start"]));
      if (starts === undefined || starts.length === 0) return null;
      const twice = starts.find((start, index) => starts.indexOf(start) !== index);
      return holds(twice === undefined, "each bucket_start once", twice);
    }),
    rule(
      "USUM-17",
      "a bucket that counts no event has no credits, and without a charge none settled",
      (seen) => {
        const empty = (bucketsOf(seen) ?? []).flatMap((bucket) =>
          creditless
            .filter(([counts]) => counts.every((name) => bucket[name] === 0))
            .map((one) => [bucket, one[1]] as const),
        );
        if (empty.length === 0) return null;
        const [bucket, credits] = empty.find(([one, name]) => Math.abs(Number(one[name])) > 1e-6) ?? [];
        return holds(bucket === undefined, `${credits} 0 in a bucket that counts none of them`, bucket);
      },
    ),
    rule("USUM-14", "the counts of the buckets add up to the summary's", (seen) =>
      addsUp(
        seen,
        ["total_count", "success_count", "failure_count"].map((name) => [name, name] as const),
      ),
    ),
    rule("USUM-15", "the charge outcomes of the buckets add up to the summary's", (seen) =>
      addsUp(
        seen,
        outcomes.map((outcome) => [`${outcome}_count`, `charge_outcome_counts.${outcome}`] as const),
      ),
    ),
    rule("USUM-16", "the credits of the buckets add up to the summary's", (seen) =>
      addsUp(
        seen,
        ["pre_settlement_credits", "settled_credits"].map((name) => [name, name] as const),
      ),
    ),
  ],
);
