import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chargeOutcomes, eventTypes, type ChargeOutcome, type EventType } from "../../generated/contract.ts";
import { exportUsage } from "../operations/export-usage.ts";
import { getCreditsSpent } from "../operations/get-credits-spent.ts";
import { getUsageEvent } from "../operations/get-usage-event.ts";
import { listUsageFeed } from "../operations/list-usage-feed.ts";
import { listUsage } from "../operations/list-usage.ts";
import type { UsageEventRow } from "../records.ts";
import { csvLine } from "./csv.ts";
import { contextOf, eventRow, type History, keyId, openHistory, requestOf } from "./history.fixture.ts";
import { type UsageEventBody, usageColumns, usageEventBody } from "./usage-event.ts";
import { readUsageFilter, rollupsCover, type UsageQuery } from "./usage-filter.ts";
import { timestamp } from "./window.ts";

const begin = Date.parse("2026-11-13T22:00:00Z");
const now = Date.parse("2026-11-20T12:34:56.789Z");
const runs = { seed: 20_261_120, numRuns: 300 };
const otherKey = "11111111-2222-4333-8444-555555555555";

const pick = <Value>(values: readonly Value[], random: number): Value =>
  values[Math.floor(random * values.length)] as Value;

/** Varied events over six days, some in the same millisecond, some on the bounds of hours and days. */
function someEvents(count: number, account: string, firstSeq: number): UsageEventRow[] {
  let state = firstSeq + 1;
  const random = () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
  let at = begin;
  return Array.from({ length: count }, (_, index) => {
    at = random() < 0.2 ? at : at + Math.floor(random() * 2 * ((6 * 86_400_000) / count));
    if (random() < 0.1) at = Math.ceil(at / 3_600_000) * 3_600_000 - Number(random() < 0.5);
    const outcome = pick<ChargeOutcome>(["charged", ...chargeOutcomes], random());
    const paid = outcome === "charged" || outcome === "failed_charged_review";
    const type = pick<EventType>(eventTypes, random());
    const seq = firstSeq + index;
    return eventRow(seq, {
      account_id: account,
      created_at: at,
      event_type: type,
      execution_id: type.startsWith("search") ? null : `exec_${seq}`,
      search_id: pick([null, "srch_1", "srch_2"], random()),
      success: random() < 0.6 ? 1 : 0,
      billable_success: outcome === "charged" || outcome === "included" ? 1 : 0,
      charge_outcome: outcome,
      reason_code: pick(["result.valid", "provider.error", "transport.timeout"] as const, random()),
      requested_amount: pick([0, 100_000, 2_500_000], random()),
      settled_amount: paid ? pick([1, 100_000, 2_500_000, 7_000_000], random()) : 0,
      credits_ledger_entry_id: paid && random() < 0.9 ? `entry_${seq}` : null,
      billing_snapshot_status: pick(["captured", "not_applicable", "missing"] as const, random()),
      execution_outcome: random() < 0.5 ? '{"outcome":"valid"}' : null,
      outcome: pick([null, "valid", "empty"], random()),
      api_key_id: pick([null, keyId, otherKey], random()),
      oauth_client_id: pick([null, "desktop"], random()),
      credential_type: pick(["api_key", "jwt", "oauth"] as const, random()),
      query: pick([null, "=weather, now", 'say "hi"\nplease'], random()),
    });
  });
}

const mine = someEvents(300, "mine", 1);
const theirs = someEvents(60, "theirs", 1_000);
let history: History;
beforeAll(async () => {
  history = await openHistory();
  await history.write({ events: [...mine, ...theirs] });
});
afterAll(() => history.close());

const groups: Record<string, EventType[]> = {
  discover: ["search", "search_by_ids"],
  call: ["tool_execute", "capabilities_query"],
  model: ["model_call"],
};

/** The contract's filter table, row by row, for one event; the test makes times exact to the millisecond. */
function matches(row: UsageEventRow, query: UsageQuery): boolean {
  const credits = row.settled_amount / 1_000_000;
  const anomalies = {
    failed_charged_review: row.charge_outcome === "failed_charged_review",
    missing_ledger_link: row.settled_amount > 0 && row.credits_ledger_entry_id === null,
    missing_billing_snapshot: row.billing_snapshot_status === "missing",
  };
  return (
    (query.start_date === undefined || row.created_at >= Date.parse(query.start_date)) &&
    (query.end_date === undefined || row.created_at <= Date.parse(query.end_date)) &&
    (query.event_type === undefined || row.event_type === query.event_type) &&
    (query.kind === undefined || groups[query.kind]!.includes(row.event_type)) &&
    (query.success === undefined || (row.success === 1) === query.success) &&
    (query.billable_success === undefined || (row.billable_success === 1) === query.billable_success) &&
    (query.outcome === undefined || row.outcome === query.outcome) &&
    (query.reason_code === undefined || row.reason_code === query.reason_code) &&
    (query.has_execution_outcome === undefined ||
      (row.execution_outcome !== null) === query.has_execution_outcome) &&
    (query.charge_outcome === undefined || row.charge_outcome === query.charge_outcome) &&
    (query.anomaly === undefined || anomalies[query.anomaly]) &&
    (query.search_id === undefined || row.search_id === query.search_id) &&
    (query.execution_id === undefined || row.execution_id === query.execution_id) &&
    (query.api_key_id === undefined || row.api_key_id === query.api_key_id.toLowerCase()) &&
    (query.oauth_client_id === undefined || row.oauth_client_id === query.oauth_client_id) &&
    (query.credential_type === undefined || row.credential_type === query.credential_type) &&
    (query.min_credits === undefined || credits >= query.min_credits) &&
    (query.max_credits === undefined || credits <= query.max_credits)
  );
}

const newestFirst = (rows: UsageEventRow[]) => rows.toSorted((a, b) => b.seq - a.seq);
const expected = (query: UsageQuery) => newestFirst(mine.filter((row) => matches(row, query)));

const moment = fc.oneof(
  fc.nat(7 * 86_400_000).map((offset) => begin + offset),
  fc.constantFrom(...mine.map((row) => row.created_at)),
  fc.nat(170).map((hours) => begin + hours * 3_600_000),
);
const dates = { start_date: moment.map(timestamp), end_date: moment.map(timestamp) };
const covered = {
  event_type: fc.constantFrom<EventType[]>("search", "tool_execute", "model_call"),
  kind: fc.constantFrom("discover" as const, "call" as const, "model" as const),
  success: fc.boolean(),
  billable_success: fc.boolean(),
  charge_outcome: fc.constantFrom<ChargeOutcome[]>(
    "charged",
    "included",
    "failed_not_charged",
    "failed_charged_review",
  ),
};
const windows = fc.record(dates, { requiredKeys: [] });
const coveredQueries = fc.record({ ...dates, ...covered }, { requiredKeys: [] });
const queries: fc.Arbitrary<UsageQuery> = fc.oneof(
  coveredQueries,
  fc
    .record(
      {
        ...dates,
        ...covered,
        outcome: fc.constantFrom("valid", "empty", "other"),
        reason_code: fc.constantFrom("result.valid", "provider.error", "no\0such"),
        has_execution_outcome: fc.boolean(),
        anomaly: fc.constantFrom("failed_charged_review", "missing_ledger_link", "missing_billing_snapshot"),
        search_id: fc.constantFrom("srch_1", "srch_2"),
        execution_id: fc.constantFrom(...mine.flatMap((row) => row.execution_id ?? [])),
        api_key_id: fc.constantFrom(keyId, keyId.toUpperCase(), otherKey),
        oauth_client_id: fc.constant("desktop"),
        credential_type: fc.constantFrom("api_key", "jwt"),
        min_credits: fc.constantFrom(0, 0.000001, 0.0000005, 0.1),
        max_credits: fc.constantFrom(0.1, 0.1000001, 2.5, 1e300),
      },
      { requiredKeys: [] },
    )
    .chain((query) =>
      fc.subarray(Object.entries(query), { maxLength: 4 }).map((some) => Object.fromEntries(some)),
    ),
);

async function list(query: object, account = "mine") {
  const answer = await listUsage(requestOf(account, query), contextOf(history.database, now));
  if (answer.status !== 200) throw new Error(JSON.stringify(answer));
  return answer.body.data;
}

describe("the list", () => {
  test("selects what the filters say, in any combination", async () => {
    await fc.assert(
      fc.asyncProperty(queries, fc.integer({ min: 1, max: 4 }), async (query, page) => {
        const data = await list({ ...query, page, page_size: 40 });
        const rows = expected(query);
        expect(data.total).toBe(rows.length);
        expect(data.items.map(({ id }) => id)).toEqual(
          rows.slice((page - 1) * 40, page * 40).map(({ id }) => id),
        );
      }),
      runs,
    );
  });

  test("clamps limit to 50 and lets it override page_size", async () => {
    expect(await list({ limit: 1_000, page_size: 7 })).toMatchObject({ page: 1, page_size: 50, total: 300 });
    expect((await list({ limit: 3, page_size: 7 })).items).toHaveLength(3);
    expect((await list({ page_size: 50_000 })).items).toHaveLength(300);
    expect(await list({ page: Number.MAX_SAFE_INTEGER, page_size: 50_000 })).toMatchObject({
      items: [],
      total: 300,
    });
  });

  test("shows stored request and answer only with include_details", async () => {
    const [bare] = (await list({ limit: 1 })).items;
    const [full] = (await list({ limit: 1, include_details: true })).items;
    expect(bare).not.toHaveProperty("request_payload");
    expect(full).toEqual({
      ...bare,
      request_payload: { parameters: { city: "Bern" } },
      response_payload_summary: { size_bytes: 412 },
    });
  });

  test("reads amounts as decimals and shows the key of the event", () => {
    const row = {
      ...eventRow(1, { settled_amount: 100_000 }),
      request_payload: null,
      response_payload_summary: null,
      execution_outcome: null,
      billing_rule_snapshot: null,
      pre_settlement_bill: null,
      settlement_result: null,
      api_key_name: null,
      api_key_masked_value: null,
    };
    const body = usageEventBody(row, false);
    expect(body).toMatchObject({
      settled_amount_credits: 0.1,
      actual_amount_credits: 0.1,
      requested_amount_credits: 2.5,
    });
    expect(usageColumns.toSorted()).toEqual(Object.keys(body).toSorted());
  });

  test("attributes an event to its key, masked", async () => {
    const { items } = await list({ api_key_id: keyId, limit: 1 });
    expect(items[0]?.api_key).toEqual({ id: keyId, name: "work", masked_value: "ck_…abcd" });
  });
});

const sum = (rows: UsageEventRow[], column: "requested_amount" | "settled_amount") =>
  rows.reduce((total, row) => total + row[column], 0) / 1_000_000;
const count = (rows: UsageEventRow[], outcome: ChargeOutcome) =>
  rows.filter((row) => row.charge_outcome === outcome).length;
const figures = (rows: UsageEventRow[]) => ({
  total_count: rows.length,
  success_count: rows.filter((row) => row.success === 1).length,
  failure_count: rows.filter((row) => row.success === 0).length,
  pre_settlement_credits: sum(rows, "requested_amount"),
  settled_credits: sum(rows, "settled_amount"),
});

describe("the summary", () => {
  test("equals a scan of the events, whether or not rollups cover the filters", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(windows, queries),
        fc.constantFrom(undefined, "hour" as const, "day" as const, "week" as const),
        async (query, bucket) => {
          const { summary } = await list({ ...query, summary: true, bucket, limit: 5 });
          const none = query.start_date === undefined && query.end_date === undefined;
          const window = none ? { start_date: timestamp(now - 86_400_000) } : {};
          const rows = expected({ end_date: timestamp(now), ...query, ...window });
          expect(summary).toMatchObject(figures(rows));
          expect(summary?.charge_outcome_counts).toEqual({
            charged: count(rows, "charged"),
            included: count(rows, "included"),
            failed_not_charged: count(rows, "failed_not_charged"),
            failed_charged_review: count(rows, "failed_charged_review"),
          });
          const largest = rows
            .filter((row) => row.settled_amount > 0)
            .toSorted((a, b) => b.settled_amount - a.settled_amount || b.seq - a.seq)
            .slice(0, 5);
          expect(summary?.max_charge_items.map((item) => (item as UsageEventBody).id)).toEqual(
            largest.map(({ id }) => id),
          );
          const buckets = summary?.buckets ?? [];
          const starts = buckets.map((each) => Date.parse(each.bucket_start));
          expect(starts).toEqual(starts.toSorted((a, b) => a - b));
          const width = { hour: 3_600_000, day: 86_400_000, week: 604_800_000 }[summary!.bucket];
          for (const [index, each] of buckets.entries()) {
            const from = starts[index]!;
            const inside = rows.filter((row) => row.created_at >= from && row.created_at < from + width);
            expect((from + (summary!.bucket === "week" ? 3 * 86_400_000 : 0)) % width).toBe(0);
            expect(inside).not.toEqual([]);
            expect(each).toEqual({
              bucket_start: each.bucket_start,
              ...figures(inside),
              charged_count: count(inside, "charged"),
              included_count: count(inside, "included"),
              failed_not_charged_count: count(inside, "failed_not_charged"),
              failed_charged_review_count: count(inside, "failed_charged_review"),
            });
          }
          expect(buckets.reduce((total, each) => total + each.total_count, 0)).toBe(rows.length);
        },
      ),
      runs,
    );
  });

  test("takes from rollups what they distinguish, whatever the paging", () => {
    const paged = {
      kind: "call" as const,
      success: true,
      page: 2,
      page_size: 50,
      summary: true,
      bucket: "day",
    };
    expect(rollupsCover(readUsageFilter(paged))).toBe(true);
    expect(rollupsCover(readUsageFilter({ min_credits: 0 }))).toBe(false);
  });

  test("has the window of the last 24 hours by default, and never hides items", async () => {
    const { summary, total } = await list({ summary: true });
    expect(summary).toMatchObject({
      start_date: "2026-11-19T12:34:56.789Z",
      end_date: "2026-11-20T12:34:56.789Z",
      bucket: "hour",
    });
    expect(total).toBe(300);
    expect((await list({})).summary).toBeNull();
  });

  test("credits spent are the settled credits of the same filters", async () => {
    await fc.assert(
      fc.asyncProperty(coveredQueries, async ({ start_date, end_date, kind, charge_outcome }) => {
        const query = { start_date, end_date, kind, charge_outcome };
        const answer = await getCreditsSpent(requestOf("mine", query), contextOf(history.database, now));
        expect(answer).toMatchObject({
          status: 200,
          body: { data: { total_credits: sum(expected(query), "settled_amount") } },
        });
      }),
      runs,
    );
  });
});

async function exported(query: object, account = "mine"): Promise<string> {
  const answer = await exportUsage(requestOf(account, query), contextOf(history.database, now));
  if (!("stream" in answer)) throw new Error(JSON.stringify(answer));
  let text = "";
  for await (const chunk of answer.stream) text += chunk;
  return text;
}

test("the export holds the items of the list, as CSV", async () => {
  for (const query of [{}, { kind: "call" }, { search_id: "none" }]) {
    const { items } = await list({ ...query, page_size: 50_000 });
    const lines = items.map((item) => csvLine(usageColumns.map((column) => item[column])));
    expect(await exported(query)).toBe(csvLine(usageColumns) + lines.join(""));
  }
  expect(await exported({})).toContain(`"'=weather, now"`);
});

describe("the feed", () => {
  test("neither repeats nor skips while new events arrive", async () => {
    const own = await openHistory();
    const rows = someEvents(120, "mine", 1);
    await own.write({ events: rows });
    const seen: string[] = [];
    let cursor: string | undefined;
    let seq = 121;
    do {
      const answer = await listUsageFeed(
        requestOf("mine", { page_size: 7, cursor, end_date: timestamp(now) }),
        contextOf(own.database, now),
      );
      if (answer.status !== 200) throw new Error(JSON.stringify(answer));
      const { items, next_cursor, has_more } = answer.body.data;
      expect(has_more).toBe(next_cursor !== null);
      expect(
        items.every((item) => !Object.values(item).some((value) => typeof value === "object" && value)),
      ).toBe(true);
      seen.push(...items.map(({ id }) => id));
      cursor = next_cursor ?? undefined;
      await own.write({ events: [eventRow(seq, { created_at: rows.at(-1)!.created_at })] });
      seq += 1;
    } while (cursor);
    await own.close();
    expect(seen).toEqual(newestFirst(rows).map(({ id }) => id));
  });

  test("refuses a cursor that it never issued, with 422", async () => {
    const read = listUsageFeed(requestOf("mine", { cursor: "MTIzNDU" }), contextOf(history.database, now));
    await expect(read).rejects.toMatchObject({
      status: 422,
      issues: [{ loc: ["query", "cursor"], type: "cursor_invalid" }],
    });
  });
});

test("no account reads another's events, by any filter or id", async () => {
  const foreign = theirs.find((row) => row.execution_id)!;
  expect((await list({ execution_id: foreign.execution_id })).items).toEqual([]);
  expect((await list({ search_id: "srch_1", page_size: 500 }, "theirs")).items.map(({ id }) => id)).toEqual(
    newestFirst(theirs.filter((row) => row.search_id === "srch_1")).map(({ id }) => id),
  );
  const context = contextOf(history.database, now);
  await expect(getUsageEvent(requestOf("mine", {}, { event_id: foreign.id }), context)).rejects.toMatchObject(
    { status: 404 },
  );
  const own = await getUsageEvent(requestOf("theirs", {}, { event_id: foreign.id.toUpperCase() }), context);
  expect(own).toMatchObject({
    status: 200,
    body: { data: { id: foreign.id, request_payload: { parameters: {} } } },
  });
});
