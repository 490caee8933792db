import { check, type Stage } from "../../runner/check.ts";
import { shown } from "../../judge/expect.ts";
import { type Account, type Query, usable } from "../../subject/account.ts";
import type { Answer, Located } from "../../judge/answer.ts";
import { lastMonth } from "../../subject/history.ts";
import { bucketStart, microsOf, stepOf, timestampLike } from "../../judge/instant.ts";
import { until } from "../../subject/session.ts";
import { Blocked, Unverifiable } from "../../judge/verdict.ts";
import {
  chargeOutcomes,
  classFilters,
  discoverEvent,
  idFilters,
  idOf,
  instantAt,
  listed,
  makeHistory,
  requestedOf,
  settledOf,
} from "../usage/history.ts";

/** Microseconds. */
const second = 1_000_000;
const hour = 3600 * second;
const day = 24 * hour;
const widths = { hour, day, week: 7 * day };

/** The answer of a list with its summary, read again until the summary has caught up with the list or the time is over. */
async function summed(account: Account, query: Query): Promise<Answer> {
  const read = async (): Promise<Answer> =>
    usable(await account.usage({ summary: true, page_size: 1000, ...query }));
  const answer = await until(
    1000 * account.profile.audit_lag,
    read,
    (one) => one.at("data.summary.total_count").value === one.at("data.total").value,
  );
  if (!answer.at("data.summary").present) throw new Blocked("there is no summary", answer.exchange);
  return answer;
}

/** The dates that just enclose some events. */
function around(events: readonly Located[]): { start_date: string; end_date: string } {
  const ordered = [...events].sort((one, other) => instantAt(one) - instantAt(other));
  const text = ordered.at(-1)!.at("created_at").string;
  return {
    start_date: ordered[0]!.at("created_at").string,
    end_date: timestampLike(text, instantAt(ordered.at(-1)!) + stepOf(text)),
  };
}

/** A small history's window, and the list with its summary for it. */
async function historySummed(stage: Stage, more: Query = {}) {
  const history = await makeHistory(stage);
  const window = around(history.events);
  const answer = await summed(stage.account, { ...window, ...more });
  const items = answer.at("data.items").items;
  if (items.length === 0) throw new Blocked("the window of the history holds no event", answer.exchange);
  return { history, window, items, summary: answer.at("data.summary") };
}

const count = (events: readonly Located[], name: string, value: unknown): number =>
  events.filter((event) => event.at(name).value === value).length;

const sum = (events: readonly Located[], amount: (event: Located) => number | undefined): number =>
  events.reduce((before, event) => before + (amount(event) ?? 0), 0);

/**
 * Expects that no sample names one of some events, by its `id` or its `execution_id`: the contract does not show what
 * else a sample holds.
 */
function expectNoSample(
  { expect }: Pick<Stage, "expect">,
  summary: Located,
  events: readonly Located[],
  whose: string,
): void {
  const names = ["id", "execution_id"] as const;
  const items = summary.at("max_charge_items").items;
  const strange = items.filter((item) =>
    events.some((event) =>
      names.some((name) => event.at(name).present && item.at(name).value === event.at(name).value),
    ),
  );
  expect(
    strange.map((item) => item.value),
    `max_charge_items ${whose}`,
  ).toBeEmpty();
}

/**
 * Expects that each bucket counts the events whose `created_at` lies within `width` of its start, and that no two spans
 * overlap. The first may begin with the window, so that it is shorter.
 */
function expectSpans({ expect }: Stage, summary: Located, events: readonly Located[], width: number): void {
  const buckets = summary.at("buckets").items.map((bucket) => {
    const start = bucketStart(bucket.at("bucket_start").value);
    if (start === undefined) throw new Blocked("bucket_start is no timestamp", bucket.exchange);
    return { start, total: bucket.at("total_count") };
  });
  buckets.sort((one, other) => one.start - other.start);
  const from = microsOf(summary.at("start_date").value);
  for (const [index, { start, total }] of buckets.entries()) {
    const next = buckets[index + 1]?.start ?? Infinity;
    if (index > 0 || start !== from) {
      // An hour less where the clocks go forward.
      expect(next - start, "microseconds from one bucket to the next").toBeAtLeast(
        width - (width > hour ? hour : 0),
      );
    }
    const within = events.filter((event) => {
      const instant = instantAt(event);
      return instant >= start && instant < Math.min(start + width, next);
    });
    expect(total).toBe(within.length);
  }
}

/** Two instants of a window that is surely over, so that no server shortens it to now. */
const past = "2026-01-10T00:00:00Z";
const after = (span: number): string => timestampLike(past, microsOf(past)! + span);

export const checks = [
  check("USUM-14", "the buckets of the last month add up to its summary", async (stage) => {
    const { account, expect } = stage;
    usable(await account.discover("data"));
    await account.settled();
    for (const { reader, window } of lastMonth(stage)) {
      for (const bucket of ["day", "week", undefined]) {
        const query = { summary: true, page_size: 1, bucket, ...window };
        const summary = usable(await reader.usage(query)).at("data.summary");
        const { number: total } = summary.at("total_count");
        const counted = sum(summary.at("buckets").items, (one) => one.at("total_count").number);
        expect(counted, "the events of all buckets").toBe(total);
      }
    }
  }),

  check("USUM-02", "the summary's window is that of the query", async ({ account, expect }) => {
    const asked = { start_date: "2026-01-10T06:00:00Z", end_date: "2026-01-12T18:30:00+02:00" };
    const exact = (await summed(account, asked)).at("data.summary");
    for (const [name, text] of Object.entries(asked)) {
      const [shown, wanted] = [microsOf(exact.at(name).value), microsOf(text)!];
      expect(shown, `${name} in microseconds`).toBeBetween(wanted - second, wanted + second);
    }
    const days = (await summed(account, { start_date: "2026-01-10", end_date: "2026-01-15" })).at(
      "data.summary",
    );
    const since = timestampLike(past, (Date.now() - 5 * (day / 1000)) * 1000);
    const open = (await summed(account, { start_date: since })).at("data.summary");
    expect(microsOf(open.at("start_date").value), "start_date of a window without an end").toBeBetween(
      microsOf(since)! - second,
      microsOf(since)! + second,
    );
    const [start, end] = ["start_date", "end_date"].map((name) => microsOf(days.at(name).value));
    expect(end! - start!, "microseconds from the start of the 10th to the end of the 15th").toBeBetween(
      6 * day - second,
      6 * day,
    );
  }),

  check("USUM-05", "charge_outcome_counts agree with the events of the list", async (stage) => {
    const { items, summary } = await historySummed(stage);
    for (const outcome of chargeOutcomes) {
      stage
        .expect(summary.at(`charge_outcome_counts.${outcome}`))
        .toBe(count(items, "charge_outcome", outcome));
    }
  }),

  check("USUM-06", "total_count is the number of events in the window", async (stage) => {
    const { items, summary } = await historySummed(stage);
    stage.expect(summary.at("total_count")).toBe(items.length);
  }),

  check("USUM-07", "success_count agrees with the recorded success of the events", async (stage) => {
    const { items, summary } = await historySummed(stage);
    stage.expect(summary.at("success_count")).toBe(count(items, "success", true));
  }),

  check(
    ["USUM-08", "USUM-09"],
    "the credits of the summary are the sums of the events' requested and settled amounts",
    { needs: ["tool.charged"] },
    async (stage) => {
      const { items, summary } = await historySummed(stage);
      if (sum(items, settledOf) === 0) throw new Unverifiable("no event shows a settled amount");
      stage.expect(summary.at("pre_settlement_credits")).toBeCredits(sum(items, requestedOf));
      stage.expect(summary.at("settled_credits")).toBeCredits(sum(items, settledOf));
    },
  ),

  check(
    "USUM-11",
    "max_charge_items hold the largest settled amounts",
    { needs: ["tool.charged", "tool.charged_decimal"], credits: 10 },
    async (stage) => {
      const { account, expect, tool } = stage;
      const { events } = await makeHistory(stage);
      const calls = [await account.succeed(tool("charged_decimal")), await account.succeed(tool("charged"))];
      for (const call of calls) {
        const event = await account.usageOf(call);
        if (!event.present) throw new Blocked("the Call has no usage event", call.exchange);
        events.push(event);
      }
      const amounts = events.map((event) => settledOf(event) ?? 0).filter((amount) => amount > 0);
      for (const limit of [1, 2]) {
        const answer = await summed(account, { ...around(events), limit });
        const items = answer.at("data.summary.max_charge_items").items;
        const shown = items.map((item) => settledOf(item));
        if (shown.includes(undefined)) throw new Unverifiable("max_charge_items show no settled amount");
        const largest = amounts.sort((one, other) => other - one).slice(0, limit);
        expect(sum(items, settledOf), `the credits of the ${limit} largest`).toBeCredits(
          largest.reduce((before, amount) => before + amount, 0),
        );
        expect(items.length, "max_charge_items").toBe(largest.length);
      }
    },
  ),

  check("USUM-17", "each event is counted in the bucket whose hour holds it", async (stage) => {
    const { items, summary } = await historySummed(stage, { bucket: "hour" });
    stage.expect(summary.at("buckets")).toHoldSomething();
    expectSpans(stage, summary, items, hour);
  }),

  check("USUM-18", "without dates the summary's window is the last 24 hours", async ({ account, expect }) => {
    const before = instantAt(await discoverEvent(account));
    const summary = usable(await account.usage({ summary: true })).at("data.summary");
    const now = instantAt(await discoverEvent(account));
    const [start, end] = ["start_date", "end_date"].map((name) => microsOf(summary.at(name).value));
    if (start === undefined || end === undefined) throw new Blocked("the summary has no window");
    expect(end - start, "the window in microseconds").toBeBetween(day - 2 * second, day + 2 * second);
    // It may be rounded to the minute.
    expect(end, "end_date in microseconds").toBeBetween(before - 61 * second, now + 61 * second);
  }),

  check("USUM-19", "a window of more than 3 days is summed by day, any other by hour", async (stage) => {
    const { account, expect } = stage;
    for (const [span, bucket] of [
      [hour, "hour"],
      [2 * day, "hour"],
      [3 * day, "hour"],
      [3 * day + hour, "day"],
      [40 * day, "day"],
    ] as const) {
      const answer = await summed(account, { start_date: past, end_date: after(span) });
      expect(answer.at("data.summary.bucket")).toBe(bucket);
    }
    expect((await summed(account, {})).at("data.summary.bucket")).toBe("hour");
    const since = timestampLike(past, (Date.now() - 5 * (day / 1000)) * 1000);
    const open = (await summed(account, { start_date: since })).at("data.summary");
    const [start, end] = ["start_date", "end_date"].map((name) => microsOf(open.at(name).value));
    expect(open.at("bucket")).toBe(end! - start! > 3 * day ? "day" : "hour");
  }),

  check("USUM-20", "bucket hour, day and week sum by that span, whatever the window", async (stage) => {
    const { account, expect } = stage;
    const { events } = await makeHistory(stage);
    const { start_date: first, end_date: end } = around(events);
    for (const start of [first, timestampLike(first, microsOf(first)! - 9 * day)]) {
      const window = { start_date: start, end_date: end };
      const held = await listed(account, window);
      for (const [bucket, width] of Object.entries(widths)) {
        const summary = (await summed(account, { ...window, bucket })).at("data.summary");
        expect(summary.at("bucket")).toBe(bucket);
        expectSpans(stage, summary, held, width);
      }
    }
  }),

  check("USUM-21", "the filters of the query hold for the summary too", async (stage) => {
    const { account, expect } = stage;
    const history = await makeHistory(stage, { querying: true });
    const window = around(history.events);
    const filters = [...classFilters(history, stage), ...idFilters(history, stage)].map(({ query }) => query);
    for (const query of [...filters, { search_id: "no-such-search" }]) {
      const answer = await summed(account, { ...window, ...query });
      const selected = answer.at("data.items").items;
      expect(answer.at("data.total"), `total of ${shown(query)}`).toBe(selected.length);
      expect(answer.at("data.summary.total_count"), `total_count of ${shown(query)}`).toBe(selected.length);
      const ids = selected.map(idOf);
      const outside = history.events.filter((event) => !ids.includes(idOf(event)));
      expectNoSample(stage, answer.at("data.summary"), outside, `outside ${shown(query)}`);
    }
  }),

  check(
    "USUM-22",
    "the summary counts events of the own account alone",
    { needs: ["other_account"] },
    async (stage) => {
      const { account, other, expect, profile, tool } = stage;
      const stranger = await other();
      const first = await discoverEvent(account);
      const foreign = [await discoverEvent(stranger)];
      if (profile.tools.charged !== undefined) {
        foreign.push(await stranger.usageOf(await stranger.succeed(tool("charged"))));
      }
      const last = await discoverEvent(account);
      const window = around([first, last]);
      const theirs = foreign.filter((event) => event.present);
      const mine = (await listed(account, window)).filter((event) => !theirs.map(idOf).includes(idOf(event)));
      const summary = (await summed(account, window)).at("data.summary");
      expect(summary.at("total_count")).toBe(mine.length);
      expectNoSample(stage, summary, theirs, "of another account");
    },
  ),

  check("USUM-23", "the summary does not depend on page and page_size", async (stage) => {
    const { window, summary } = await historySummed(stage);
    for (const paging of [{ page_size: 1 }, { page: 2, page_size: 1 }, { page: 50 }]) {
      const other = (await summed(stage.account, { ...window, ...paging })).at("data.summary");
      for (const name of ["total_count", "success_count", "settled_credits", "pre_settlement_credits"]) {
        stage.expect(other.at(name)).toBe(summary.at(name).value);
      }
      stage.expect(other.at("charge_outcome_counts")).toBe(summary.at("charge_outcome_counts").value);
      stage.expect(other.at("buckets")).toBe(summary.at("buckets").value);
    }
  }),
];
