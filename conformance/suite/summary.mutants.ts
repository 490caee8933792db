import { asking, onData } from "../changes/audit-query.ts";
import { withEmptyBuckets } from "../changes/empty-buckets.ts";
import { mutant, mutantsOf, onBody, type Body, type Change, type Mutant } from "../changes/mutant.ts";
import type { Summary } from "../books/summary.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const widthsMs: Readonly<Record<string, number>> = { hour: hourMs, day: dayMs, week: 7 * dayMs };

type List = Summary["list"];
/** Changes the summary of an answer; `data` contains the list. */
export const onSummary = (
  list: List,
  change: (summary: Body, data: Body, query: URLSearchParams) => Body,
): Change =>
  onBody(list, (body, { query }) => {
    const data = body["data"] as Body;
    const summary = data["summary"] as Body | null;
    return summary === null
      ? body
      : { ...body, data: { ...data, summary: { ...summary, ...change(summary, data, query) } } };
  });

/** Changes the buckets of a summary. */
export const onBuckets = (list: List, change: (bucket: Body, index: number, summary: Body) => Body): Change =>
  onSummary(list, (summary) => ({
    buckets: (summary["buckets"] as Body[]).map((bucket, index) => ({
      ...bucket,
      ...change(bucket, index, summary),
    })),
  }));

/** Takes the summary, or a part of it, from the answer to another query. */
export const summing = (
  list: List,
  change: (query: Body) => Body,
  choose: (other: Body, own: Body, query: Body) => Body = (other) => other,
): Change =>
  onData(list, async (data, { query, ask }) => {
    if (query["summary"] !== true) return;
    const { summary } = await ask(change({ ...query }));
    data["summary"] = choose(summary as Body, data["summary"] as Body, query);
  });

const ago = (ms: number): string => new Date(Date.now() - ms).toISOString();

/** The length of the query's window in milliseconds; NaN unless it names both dates. */
const spanOf = (query: Body): number =>
  Date.parse(String(query["end_date"])) - Date.parse(String(query["start_date"]));

const windowed = ["start_date", "end_date", "summary", "bucket", "limit", "page", "page_size"];
const isFilter = (name: string): boolean => !windowed.includes(name);

const bucketMutants = ({ list, spans, figures, bucket: named }: Summary): Mutant[] => [
  ...mutantsOf({
    [spans]: {
      "returns the end of a bucket as bucket_start": onBuckets(
        list,
        ({ bucket_start: start }, _, { bucket }) => ({
          bucket_start: new Date(Date.parse(String(start)) + widthsMs[String(bucket)]!).toISOString(),
        }),
      ),
    },
    [named]: {
      "sums long windows by day when hourly buckets are requested": asking(list, (query) =>
        spanOf(query) > 3 * dayMs && query["bucket"] === "hour" ? { ...query, bucket: "day" } : query,
      ),
    },
  }),
  ...figures
    .filter(({ from }) => from)
    .map(({ path, inBucket }) =>
      mutant(
        spans,
        `puts all ${inBucket} into the window's first bucket`,
        onSummary(list, (summary) => ({
          buckets: (withEmptyBuckets(summary)["buckets"] as Body[]).map((bucket, index) => ({
            ...bucket,
            [inBucket]: index === 0 ? summary[path] : 0,
          })),
        })),
      ),
    ),
  ...Object.entries({ week: "day", day: "hour" }).map(([asked, summed]) =>
    mutant(
      named,
      `returns ${summed} buckets labelled as ${asked}s`,
      summing(
        list,
        (query) => (query["bucket"] === asked ? { ...query, bucket: summed } : query),
        (other, own, query) =>
          query["bucket"] === asked ? { ...withEmptyBuckets(other), bucket: asked } : own,
      ),
    ),
  ),
  mutant(
    spans,
    "starts a week on each day that has rows",
    summing(
      list,
      (query) => (query["bucket"] === "week" ? { ...query, bucket: "day" } : query),
      (other, own, query) => (query["bucket"] === "week" ? { ...other, bucket: "week" } : own),
    ),
  ),
];

const windowMutants = ({ list, defaultWindow, defaultBucket }: Summary): Mutant[] => {
  const hasDates = (query: Body): boolean => "start_date" in query || "end_date" in query;
  const otherWindow = (dates: () => Body): Change =>
    summing(list, (query) => (hasDates(query) ? query : { ...query, ...dates() }));
  const bucketing = (rule: (span: number) => string | undefined): Change =>
    asking(list, (query) => {
      const bucket = query["bucket"] ?? rule(spanOf(query));
      return bucket === undefined ? query : { ...query, bucket };
    });
  return mutantsOf({
    [defaultWindow]: {
      "sums the whole history when no date is given, but labels it the last 24 hours": summing(
        list,
        (query) => (hasDates(query) ? query : { ...query, start_date: ago(90 * dayMs), bucket: "hour" }),
        (other, own, query) =>
          hasDates(query) ? other : { ...other, start_date: own["start_date"], end_date: own["end_date"] },
      ),
      "uses the last 7 days for a filter without a date": summing(list, (query) =>
        hasDates(query) || !Object.keys(query).some(isFilter)
          ? query
          : { ...query, start_date: ago(7 * dayMs) },
      ),
      "uses the last 7 days when no date is given": otherWindow(() => ({ start_date: ago(7 * dayMs) })),
      "ends the default window an hour ago": otherWindow(() => ({
        start_date: ago(25 * hourMs),
        end_date: ago(hourMs),
      })),
    },
    [defaultBucket]: {
      "sums by day unless a bucket is given": bucketing(() => "day"),
      "sums a window of exactly 3 days by day": bucketing((span) => (span === 3 * dayMs ? "day" : undefined)),
      "sums windows of up to four days by hour": bucketing((span) => (span < 4 * dayMs ? "hour" : undefined)),
      "sums windows of more than 30 days by week": bucketing((span) =>
        span > 30 * dayMs ? "week" : undefined,
      ),
      "sums an open-ended window by hour": bucketing((span) => (Number.isNaN(span) ? "hour" : undefined)),
    },
  });
};

/** Mutants of the windows and buckets of a summary, derived from its description. */
export const summaryMutants = (summary: Summary): Mutant[] => [
  ...bucketMutants(summary),
  ...windowMutants(summary),
];
