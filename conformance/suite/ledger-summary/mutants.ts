import { asking, ignoring, onAny } from "../../proof/audit-query.ts";
import { mutant, onPath, type Body, type Change, type Mutant } from "../../proof/mutant.ts";

const id = "listLedger";
const hour = 3_600_000;

/** Changes figures of the summary; `data` is the list around it. */
const onSummary = (change: (summary: Body, data: Body, query: URLSearchParams) => Body): Change =>
  onPath(id, "data", (value, request) => {
    const data = value as Body;
    const summary = data["summary"] as Body | null;
    return summary === null
      ? data
      : { ...data, summary: { ...summary, ...change(summary, data, request.query) } };
  });

/** Changes the buckets of the summary. */
const onBuckets = (change: (bucket: Body, index: number) => Body): Change =>
  onSummary(({ buckets }) => ({
    buckets: (buckets as Body[]).map((bucket, index) => ({ ...bucket, ...change(bucket, index) })),
  }));

const number = (body: Body, name: string): number => Number(body[name]);

/** The summary of another query than the list's. */
const summingUp = (change: (query: Body) => Body): Change =>
  onAny(id, (operation) => async (request, context) => {
    const query = request.query as Body;
    const answer = await operation(request, context);
    if (!query["summary"]) return answer;
    const other = await operation({ ...request, query: change({ ...query }) }, context);
    const [mine, theirs] = [answer, other].map((one) => (one as { body: Body }).body["data"] as Body);
    mine!["summary"] = theirs!["summary"];
    return answer;
  });

const without = (name: string): Change =>
  summingUp((query) => Object.fromEntries(Object.entries(query).filter(([one]) => one !== name)));

const windowOf = (query: Body): number =>
  Date.parse(String(query["end_date"])) - Date.parse(String(query["start_date"]));

/** Another rule by which the bucket follows from the window. */
const bucketing = (rule: (hours: number) => string): Change =>
  asking(id, (query) => {
    const width = windowOf(query);
    return query["bucket"] === undefined && !Number.isNaN(width)
      ? { ...query, bucket: rule(width / hour) }
      : query;
  });

const ago = (hours: number): string => new Date(Date.now() - hours * hour).toISOString();

/** Another window where the query names none. */
const windowed = (dates: () => Body): Change =>
  summingUp((query) => ("start_date" in query || "end_date" in query ? query : { ...query, ...dates() }));

export const mutants: Mutant[] = [
  mutant(
    "LSUM-01",
    "answers the window the wrong way round",
    onSummary(({ start_date: start, end_date: end }) => ({ start_date: end, end_date: start })),
  ),
  mutant(
    "LSUM-01",
    "answers dates without a time",
    onSummary(() => ({ start_date: "2026-01-01" })),
  ),
  mutant(
    "LSUM-01",
    "names the bucket in the plural",
    onSummary(({ bucket }) => ({ bucket: `${bucket}s` })),
  ),
  mutant(
    "LSUM-02",
    "counts every entry as a grant too",
    onSummary((summary) => ({ grant_count: summary["total_entries"] })),
  ),
  mutant(
    "LSUM-02",
    "answers a negative count",
    onSummary(() => ({ consume_count: -1 })),
  ),
  mutant("LSUM-03", "sums up both directions whatever the list selects", without("direction")),
  mutant(
    "LSUM-04",
    "takes consumptions for grants when it counts",
    onSummary((summary) => ({
      consume_count: summary["grant_count"],
      grant_count: summary["consume_count"],
    })),
  ),
  mutant(
    "LSUM-05",
    "answers what was consumed as a negative total",
    onSummary((summary) => ({ consumed_credits: -number(summary, "consumed_credits") })),
  ),
  mutant(
    "LSUM-05",
    "rounds what was consumed up to whole credits",
    onSummary((summary) => ({ consumed_credits: Math.ceil(number(summary, "consumed_credits")) + 1 })),
  ),
  mutant(
    "LSUM-06",
    "answers what was granted as a negative total",
    onSummary((summary) => ({ granted_credits: -number(summary, "granted_credits") })),
  ),
  mutant(
    "LSUM-06",
    "takes what was consumed off what was granted",
    onSummary((summary) => ({
      granted_credits: number(summary, "granted_credits") - number(summary, "consumed_credits"),
    })),
  ),
  mutant(
    "LSUM-07",
    "adds what was consumed to the net amount",
    onSummary((summary) => ({
      net_amount_credits: number(summary, "granted_credits") + number(summary, "consumed_credits"),
    })),
  ),
  mutant(
    "LSUM-08",
    "shows the newest movements as the largest",
    onSummary((summary, data) => ({
      max_amount_items: (data["items"] as Body[]).slice(0, (summary["max_amount_items"] as Body[]).length),
    })),
  ),
  mutant(
    "LSUM-08",
    "takes the largest movements with their sign",
    onAny(id, (operation) => async (request, context) => {
      const query = request.query as Body;
      const answer = await operation(request, context);
      if (!query["summary"]) return answer;
      const wide = await operation({ ...request, query: { ...query, limit: 50 } }, context);
      const [mine, all] = [answer, wide].map(
        (one) => ((one as { body: Body }).body["data"] as Body)["summary"] as Record<string, Body[]>,
      );
      const largest = all!["max_amount_items"] ?? [];
      const signed = largest.toSorted(
        (one, two) => number(two, "amount_credits") - number(one, "amount_credits"),
      );
      mine!["max_amount_items"] = signed.slice(0, mine!["max_amount_items"]?.length);
      return answer;
    }),
  ),
  mutant(
    "LSUM-08",
    "takes the largest movements whatever min_credits and max_credits",
    onAny(id, (operation) => async (request, context) => {
      const { min_credits: _least, max_credits: _most, ...query } = request.query as Body;
      const answer = await operation(request, context);
      if (!query["summary"] || answer.status !== 200) return answer;
      const wide = await operation({ ...request, query }, context);
      const [mine, all] = [answer, wide].map(
        (one) => ((one as { body: Body }).body["data"] as Body)["summary"] as Body,
      );
      mine!["max_amount_items"] = all!["max_amount_items"];
      return answer;
    }),
  ),
  mutant(
    "LSUM-09",
    "shows one movement more than asked for",
    onSummary((summary) => ({
      max_amount_items: [
        ...(summary["max_amount_items"] as Body[]),
        ...(summary["max_amount_items"] as Body[]).slice(0, 1),
      ],
    })),
  ),
  mutant("LSUM-09", "shows ten movements whatever the limit", without("limit")),
  mutant(
    "LSUM-10",
    "names buckets in words",
    onBuckets((_, index) => ({ bucket_start: `bucket ${index}` })),
  ),
  mutant(
    "LSUM-10",
    "answers a negative count in its buckets",
    onBuckets(() => ({ entry_count: -1 })),
  ),
  mutant(
    "LSUM-11",
    "leaves the last bucket out",
    onSummary(({ buckets }) => ({ buckets: (buckets as Body[]).slice(0, -3) })),
  ),
  mutant(
    "LSUM-11",
    "counts no grants in its buckets",
    onBuckets(() => ({ grant_count: 0 })),
  ),
  mutant(
    "LSUM-12",
    "answers the net of a bucket without its sign",
    onBuckets((bucket) => ({ net_amount_credits: Math.abs(number(bucket, "net_amount_credits")) })),
  ),
  mutant(
    "LSUM-12",
    "sums no credits in its buckets",
    onBuckets(() => ({ consumed_credits: 0 })),
  ),
  mutant(
    "LSUM-13",
    "names each bucket by its end",
    onSummary(({ buckets, bucket }) => ({
      buckets: (buckets as Body[]).map((one) => ({
        ...one,
        bucket_start: new Date(
          Date.parse(String(one["bucket_start"])) +
            hour * (bucket === "hour" ? 1 : bucket === "day" ? 24 : 168),
        ).toISOString(),
      })),
    })),
  ),
  mutant(
    "LSUM-13",
    "sums all credits in the window's first bucket",
    onSummary(({ buckets, consumed_credits, granted_credits, net_amount_credits }) => ({
      buckets: (buckets as Body[]).map((bucket, index) => ({
        ...bucket,
        ...(index === 0
          ? { consumed_credits, granted_credits, net_amount_credits }
          : { consumed_credits: 0, granted_credits: 0, net_amount_credits: 0 }),
      })),
    })),
  ),
  mutant(
    "LSUM-14",
    "sums up a week where no dates are given",
    windowed(() => ({ start_date: ago(168) })),
  ),
  mutant(
    "LSUM-14",
    "ends the window of no dates an hour ago",
    windowed(() => ({ start_date: ago(25), end_date: ago(1) })),
  ),
  mutant(
    "LSUM-15",
    "sums by day from windows of two days on",
    bucketing((hours) => (hours > 48 ? "day" : "hour")),
  ),
  mutant(
    "LSUM-15",
    "sums by hour up to windows of four days",
    bucketing((hours) => (hours > 96 ? "day" : "hour")),
  ),
  mutant(
    "LSUM-15",
    "sums a window without an end by hour",
    asking(id, (query) => ("end_date" in query ? query : { ...query, bucket: query["bucket"] ?? "hour" })),
  ),
  mutant("LSUM-16", "ignores bucket", ignoring(id, "bucket")),
  mutant(
    "LSUM-16",
    "sums by day and calls it a week",
    onAny(id, (operation) => async (request, context) => {
      const query = request.query as Body;
      if (query["bucket"] !== "week") return operation(request, context);
      const answer = await operation({ ...request, query: { ...query, bucket: "day" } }, context);
      const data = (answer as { body: Body }).body["data"] as Body;
      data["summary"] = data["summary"] && { ...(data["summary"] as Body), bucket: "week" };
      return answer;
    }),
  ),
  ...["direction", "entry_type", "scope", "max_credits", "min_credits"].map((name) =>
    mutant("LSUM-17", `sums up without regard to ${name}`, without(name)),
  ),
];
