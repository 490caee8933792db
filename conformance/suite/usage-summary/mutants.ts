import {
  asAccount,
  asking,
  ignoring,
  misread,
  onAny,
  otherAccounts,
  taking,
} from "../../proof/audit-query.ts";
import { withEmptyBuckets } from "../../proof/empty-buckets.ts";
import { mutant, onBody, onPath, type Body, type Change, type Mutant } from "../../proof/mutant.ts";

const id = "listUsage";
const dayMs = 86_400_000;

/** Changes a field of the summary, where there is a summary. */
const onSummary = (path: string, change: (value: unknown) => unknown): Change =>
  onPath(id, `data.summary.${path}`, change);

/** Changes the summary as a whole. */
const onWhole = (change: (summary: Body, data: Body) => Body): Change =>
  onBody(id, (body) => {
    const data = body["data"] as Body;
    const summary = data["summary"] as Body | null;
    return summary === null ? body : { ...body, data: { ...data, summary: change(summary, data) } };
  });

/** Takes the summary from the answer to another query, and everything else from the answer to this one. */
const summaryOf = (
  change: (query: Body) => Body,
  choose: (summary: Body, query: Body) => Body = (one) => one,
): Change =>
  onAny(id, (operation) => async (request, context) => {
    const answer = await operation(request, context);
    const query = request.query as Body;
    if (query["summary"] !== true || !("body" in answer) || answer.status !== 200) return answer;
    const other = await operation({ ...request, query: change({ ...query }) }, context);
    if (!("body" in other)) return answer;
    const dataOf = (body: unknown): Body => (body as { data: Body }).data;
    dataOf(answer.body)["summary"] = choose(dataOf(other.body)["summary"] as Body, query);
    return answer;
  });

const windowed = ["start_date", "end_date", "summary", "bucket", "limit", "page", "page_size"];

/** The query's window in milliseconds; not a number when it does not give both dates. */
const spanOf = (query: Body): number =>
  Date.parse(String(query["end_date"])) - Date.parse(String(query["start_date"]));

const firstBucket = (summary: Body, change: (bucket: Record<string, number>) => Body): Body => {
  const buckets = summary["buckets"] as Record<string, number>[];
  const first = buckets.findIndex((bucket) => bucket["total_count"]! > 0);
  return {
    ...summary,
    buckets: buckets.map((bucket, index) => (index === first ? { ...bucket, ...change(bucket) } : bucket)),
  };
};

/** All of an amount stands in the window's first bucket, whichever holds its events. */
const inFirstBucket = (name: string): Change =>
  onWhole((summary) => ({
    ...summary,
    buckets: (withEmptyBuckets(summary)["buckets"] as Body[]).map((bucket, index) => ({
      ...bucket,
      [name]: index === 0 ? summary[name] : 0,
    })),
  }));

/** Samples of another query of the same account, or of another account. */
const samplesOf = (change: (query: Body) => Body): Change =>
  onAny(id, (operation) => async (request, context) => {
    const answer = await operation(request, context);
    const query = request.query as Body;
    if (query["summary"] !== true || !("body" in answer) || answer.status !== 200) return answer;
    const other = await operation({ ...request, query: change({ ...query }) }, context);
    const summaryIn = (one: unknown): Body =>
      (one as { body: { data: { summary: Body } } }).body.data.summary;
    summaryIn(answer)["max_charge_items"] = summaryIn(other)["max_charge_items"];
    return answer;
  });

export const mutants: Mutant[] = [
  mutant(
    "USUM-01",
    "answers start_date as a date alone",
    onSummary("start_date", (date) => String(date).slice(0, 10)),
  ),
  mutant(
    "USUM-01",
    "answers end_date in words",
    onSummary("end_date", () => "now"),
  ),
  mutant(
    "USUM-01",
    "answers the default bucket as auto",
    onSummary("bucket", () => "auto"),
  ),
  mutant(
    "USUM-01",
    "answers the two ends of the window in each other's place",
    onWhole((summary) => ({ ...summary, start_date: summary["end_date"], end_date: summary["start_date"] })),
  ),
  mutant(
    "USUM-02",
    "takes a date alone as end for the beginning of the day",
    taking(id, "end_date", misread.midnight),
  ),
  mutant(
    "USUM-02",
    "answers the window that its buckets cover",
    onWhole((summary) => ({
      ...summary,
      start_date: String(summary["start_date"]).replace(/T.*/, "T00:00:00Z"),
    })),
  ),
  mutant(
    "USUM-02",
    "takes the last 24 hours where no end_date is given",
    summaryOf((query) =>
      query["end_date"] === undefined
        ? { ...query, start_date: new Date(Date.now() - dayMs).toISOString() }
        : query,
    ),
  ),
  mutant("USUM-02", "does not look at the zone of end_date", taking(id, "end_date", misread.zoneless)),
  mutant(
    "USUM-03",
    "counts a failure too many",
    onSummary("failure_count", (count) => Number(count) + 1),
  ),
  mutant(
    "USUM-03",
    "answers counts below 0",
    onSummary("failure_count", () => -1),
  ),
  mutant(
    "USUM-04",
    "counts what is charged among the included too",
    onWhole((summary) => {
      const counts = summary["charge_outcome_counts"] as Record<string, number>;
      return {
        ...summary,
        charge_outcome_counts: { ...counts, included: counts["included"]! + counts["charged"]! },
      };
    }),
  ),
  mutant(
    "USUM-05",
    "counts what is included as charged, and the other way round",
    onWhole((summary) => {
      const counts = summary["charge_outcome_counts"] as Body;
      const turned = { charged: counts["included"], included: counts["charged"] };
      return { ...summary, charge_outcome_counts: { ...counts, ...turned } };
    }),
  ),
  mutant(
    "USUM-06",
    "counts an event too many everywhere",
    onWhole((summary) => ({ ...summary, total_count: Number(summary["total_count"]) + 1 })),
  ),
  mutant(
    "USUM-06",
    "leaves what failed out of the summary",
    summaryOf((query) => ({ ...query, success: query["success"] ?? true })),
  ),
  mutant(
    "USUM-07",
    "counts what is charged as what succeeded",
    onWhole((summary) => {
      const counts = summary["charge_outcome_counts"] as Record<string, number>;
      const total = Number(summary["total_count"]);
      return { ...summary, success_count: counts["charged"], failure_count: total - counts["charged"]! };
    }),
  ),
  mutant(
    "USUM-08",
    "sums the settled amounts twice",
    onWhole((summary) => ({ ...summary, pre_settlement_credits: summary["settled_credits"] })),
  ),
  mutant(
    "USUM-09",
    "sums the requested amounts twice",
    onWhole((summary) => ({ ...summary, settled_credits: summary["pre_settlement_credits"] })),
  ),
  mutant(
    "USUM-09",
    "rounds the sum of the credits up",
    onSummary("settled_credits", (sum) => Math.ceil(Number(sum) + 0.5)),
  ),
  mutant(
    "USUM-10",
    "ignores limit in the samples",
    summaryOf((query) => ({ ...query, limit: 50 })),
  ),
  mutant(
    "USUM-10",
    "returns one sample more than limit",
    summaryOf((query) => ({ ...query, limit: Number(query["limit"] ?? 10) + 1 })),
  ),
  mutant(
    "USUM-11",
    "returns the smallest amounts as the largest",
    summaryOf(
      (query) => ({ ...query, limit: 50 }),
      (summary, query) => {
        const all = summary["max_charge_items"] as unknown[];
        return { ...summary, max_charge_items: all.slice(-Number(query["limit"] ?? 10)) };
      },
    ),
  ),
  mutant(
    "USUM-11",
    "returns no samples",
    onSummary("max_charge_items", () => []),
  ),
  mutant(
    "USUM-11",
    "returns no more than 10 samples, whatever the limit",
    onSummary("max_charge_items", (list) => (list as unknown[]).slice(0, 10)),
  ),
  mutant(
    "USUM-12",
    "splits a bucket in two of the same start",
    onWhole((summary) => {
      const [first, ...rest] = summary["buckets"] as Body[];
      if (first === undefined) return summary;
      const nothing = Object.fromEntries(
        Object.entries(first).map(([name, value]) => [name, typeof value === "number" ? 0 : value]),
      );
      return { ...summary, buckets: [nothing, first, ...rest] };
    }),
  ),
  mutant(
    "USUM-12",
    "answers bucket_start as an hour of the day",
    onSummary("buckets.*.bucket_start", (start) => String(start).slice(11, 16)),
  ),
  mutant(
    "USUM-13",
    "answers counts below 0 in a bucket",
    onSummary("buckets.*.included_count", () => -1),
  ),
  mutant(
    "USUM-14",
    "forgets an event in its buckets",
    onWhole((summary) => firstBucket(summary, (bucket) => ({ total_count: bucket["total_count"]! - 1 }))),
  ),
  mutant(
    "USUM-14",
    "counts all in its buckets as succeeded",
    onWhole((summary) =>
      firstBucket(summary, (bucket) => ({ success_count: bucket["total_count"], failure_count: 0 })),
    ),
  ),
  mutant(
    "USUM-15",
    "counts what is charged as included in its buckets",
    onWhole((summary) =>
      firstBucket(summary, (bucket) => ({
        charged_count: 0,
        included_count: bucket["included_count"]! + bucket["charged_count"]!,
      })),
    ),
  ),
  mutant(
    "USUM-16",
    "shows settled credits in its buckets before settlement",
    onWhole((summary) =>
      firstBucket(summary, (bucket) => ({ settled_credits: bucket["pre_settlement_credits"] })),
    ),
  ),
  mutant(
    "USUM-17",
    "answers the end of a bucket as its start",
    onSummary("buckets.*.bucket_start", (start) =>
      new Date(Date.parse(String(start)) + 3_600_000).toISOString(),
    ),
  ),
  ...["pre_settlement_credits", "settled_credits"].map((name) =>
    mutant("USUM-17", `sums all ${name} in the window's first bucket`, inFirstBucket(name)),
  ),
  mutant(
    "USUM-18",
    "takes the last 7 days where no date is given",
    asking(id, (query) =>
      query["summary"] === true && query["start_date"] === undefined && query["end_date"] === undefined
        ? { ...query, start_date: new Date(Date.now() - 7 * dayMs).toISOString() }
        : query,
    ),
  ),
  mutant(
    "USUM-18",
    "takes today where no date is given",
    asking(id, (query) => {
      if (query["summary"] !== true || query["start_date"] !== undefined) return query;
      const today = new Date().toISOString().slice(0, 10);
      return { ...query, start_date: today, end_date: query["end_date"] ?? today };
    }),
  ),
  mutant(
    "USUM-19",
    "sums a window of exactly 3 days by day",
    asking(id, (query) =>
      spanOf(query) === 3 * dayMs ? { ...query, bucket: query["bucket"] ?? "day" } : query,
    ),
  ),
  mutant(
    "USUM-19",
    "sums a window of a month and more by week",
    asking(id, (query) =>
      spanOf(query) > 30 * dayMs ? { ...query, bucket: query["bucket"] ?? "week" } : query,
    ),
  ),
  mutant(
    "USUM-19",
    "sums a window without an end by hour",
    asking(id, (query) =>
      query["end_date"] === undefined ? { ...query, bucket: query["bucket"] ?? "hour" } : query,
    ),
  ),
  mutant(
    "USUM-19",
    "sums by day unless told",
    asking(id, (query) => ({ ...query, bucket: query["bucket"] ?? "day" })),
  ),
  mutant("USUM-20", "always chooses the bucket itself", ignoring(id, "bucket")),
  mutant(
    "USUM-20",
    "sums by day what it calls weeks",
    summaryOf(
      (query) => (query["bucket"] === "week" ? { ...query, bucket: "day" } : query),
      (summary, query) =>
        query["bucket"] === "week" ? { ...withEmptyBuckets(summary), bucket: "week" } : summary,
    ),
  ),
  mutant(
    "USUM-20",
    "sums by hour what it calls days",
    summaryOf(
      (query) => (query["bucket"] === "day" ? { ...query, bucket: "hour" } : query),
      (summary, query) =>
        query["bucket"] === "day" ? { ...withEmptyBuckets(summary), bucket: "day" } : summary,
    ),
  ),
  mutant(
    "USUM-20",
    "sums long windows by day where hours are asked for",
    asking(id, (query) =>
      spanOf(query) > 3 * dayMs && query["bucket"] === "hour" ? { ...query, bucket: "day" } : query,
    ),
  ),
  mutant(
    "USUM-21",
    "sums everything in the window, whatever the filters",
    summaryOf((query) =>
      Object.fromEntries(Object.entries(query).filter(([name]) => windowed.includes(name))),
    ),
  ),
  ...["search_id", "execution_id", "reason_code", "anomaly", "api_key_id", "min_credits"].map((filter) =>
    mutant(
      "USUM-21",
      `sums without looking at ${filter}`,
      summaryOf((query) => Object.fromEntries(Object.entries(query).filter(([name]) => name !== filter))),
    ),
  ),
  mutant(
    "USUM-21",
    "takes its samples from everything in the window, whatever the filters",
    samplesOf((query) =>
      Object.fromEntries(Object.entries(query).filter(([name]) => windowed.includes(name))),
    ),
  ),
  mutant(
    "USUM-22",
    "takes its samples from every account",
    onAny(id, (operation) => async (request, context) => {
      const answer = await operation(request, context);
      const query = request.query as Body;
      if (query["summary"] !== true || !("body" in answer) || answer.status !== 200) return answer;
      const samplesIn = (one: unknown): Body[] =>
        (one as { body: { data: { summary: Record<string, Body[]> } } }).body.data.summary[
          "max_charge_items"
        ]!;
      for (const account of await otherAccounts(request, context)) {
        samplesIn(answer).push(...samplesIn(await operation(asAccount(request, account), context)));
      }
      samplesIn(answer).splice(Number(query["limit"] ?? 10));
      return answer;
    }),
  ),
  mutant(
    "USUM-22",
    "counts the events of every account",
    onAny(id, (operation) => async (request, context) => {
      const answer = await operation(request, context);
      const query = request.query as Body;
      if (query["summary"] !== true || !("body" in answer) || answer.status !== 200) return answer;
      const summaryIn = (body: unknown): Body => (body as { data: { summary: Body } }).data.summary;
      const mine = summaryIn(answer.body);
      for (const account of await otherAccounts(request, context)) {
        const theirs = await operation(asAccount(request, account), context);
        if (!("body" in theirs)) continue;
        mine["total_count"] = Number(mine["total_count"]) + Number(summaryIn(theirs.body)["total_count"]);
      }
      return answer;
    }),
  ),
  mutant(
    "USUM-23",
    "sums the events of the page",
    onWhole((summary, data) => ({ ...summary, total_count: (data["items"] as unknown[]).length })),
  ),
  mutant(
    "USUM-23",
    "sums nothing beyond the first page",
    onAny(id, (operation) => async (request, context) => {
      const query = request.query as { page: number };
      return operation(
        query.page > 1 ? { ...request, query: { ...query, search_id: "none" } } : request,
        context,
      );
    }),
  ),
];
