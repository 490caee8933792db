import { check, type Stage } from "../../runner/check.ts";
import { dayOrInstantOf, instantOf } from "../../judge/instant.ts";
import type { Account, Query } from "../../subject/account.ts";
import type { Answer, Located } from "../../judge/answer.ts";
import {
  createdAt,
  dayAfter,
  daysOf,
  idOf,
  instantText,
  lastMonth,
  page,
  steadily,
  sumOf,
} from "../../subject/history.ts";
import { amountOf, entryOf, selectsEntry } from "../../subject/ledger-selection.ts";
import { until } from "../../subject/session.ts";
import { Blocked, Unverifiable } from "../../judge/verdict.ts";
import { sum } from "../billing/traces.ts";

const charged = { needs: ["tool.charged"] } as const;

const hour = 3_600_000;
const day = 24 * hour;
const spans = { hour, day, week: 7 * day } as const;

const summaryAt = (answer: Answer): Located => {
  const summary = answer.at("data.summary");
  if (!summary.present) throw new Blocked("the ledger answers no summary", answer.exchange);
  return summary;
};

const isGrant = (entry: Located): boolean => amountOf(entry) > 0;
const isConsumption = (entry: Located): boolean => amountOf(entry) < 0;

/** Spends some credits, so that the ledger has an entry of today. */
async function spend(account: Account, tool: Stage["tool"]): Promise<Located> {
  return entryOf(account, await account.succeed(tool("charged")));
}

/** The days that hold the whole ledger, with some to spare. */
const always = (newest: Located, days = 60): Query => ({
  start_date: dayAfter(daysOf(newest).earliest, -days),
  end_date: dayAfter(daysOf(newest).latest, 2),
});

/**
 * The summary of a query with the entries of the unfiltered list that the query selects, both of one state; read again
 * until the summary has caught up with the list or `audit_lag` is over.
 * @throws Unverifiable when it is open whether an entry is in the window
 */
async function summed(
  account: Account,
  query: Query,
): Promise<{ answer: Answer; summary: Located; entries: Located[] }> {
  const wanted = selectsEntry(query);
  const { all, taken: answer } = await until(
    1000 * account.profile.audit_lag,
    () => steadily(account, "listLedger", () => page(account, "listLedger", { summary: true, ...query })),
    ({ all: entries, taken }) =>
      taken.at("data.summary.total_entries").value === entries.filter((one) => wanted(one) === true).length,
  );
  if (all.some((entry) => wanted(entry) === null))
    throw new Unverifiable("an entry lies at the window's edge");
  return { answer, summary: summaryAt(answer), entries: all.filter((entry) => wanted(entry) === true) };
}

/** Expects the summary's figures to be those of the entries. */
function expectFigures(expect: Stage["expect"], summary: Located, entries: readonly Located[]): void {
  const consumed = -sumOf(entries.filter(isConsumption), amountOf);
  const granted = sumOf(entries.filter(isGrant), amountOf);
  expect(summary.at("total_entries")).toBe(entries.length);
  expect(summary.at("consume_count")).toBe(entries.filter(isConsumption).length);
  expect(summary.at("grant_count")).toBe(entries.filter(isGrant).length);
  expect(summary.at("consumed_credits")).toBeCredits(consumed);
  expect(summary.at("granted_credits")).toBeCredits(granted);
  expect(summary.at("net_amount_credits")).toBeCredits(granted - consumed);
}

/**
 * Expects each bucket to count exactly the entries whose `created_at` its span holds, and no two spans to overlap. The
 * first may begin with the window, so that it is shorter.
 */
function expectBuckets(
  expect: Stage["expect"],
  summary: Located,
  bucket: keyof typeof spans,
  entries: readonly Located[],
): void {
  expect(summary.at("bucket")).toBe(bucket);
  const buckets = summary
    .at("buckets")
    .items.map((one) => ({
      count: one.at("entry_count"),
      start: dayOrInstantOf(one.at("bucket_start").value),
    }))
    .sort((one, other) => one.start - other.start);
  const span = spans[bucket];
  let placed = 0;
  for (const [index, { count, start }] of buckets.entries()) {
    const next = buckets[index + 1]?.start ?? Infinity;
    if (index > 0 || start !== instantOf(summary.at("start_date").value)) {
      // An hour less where the clocks go forward.
      expect(next - start, `the milliseconds from one ${bucket} to the next`).toBeAtLeast(
        span - (span > hour ? hour : 0),
      );
    }
    const held = entries.filter(
      (entry) => createdAt(entry) >= start && createdAt(entry) < Math.min(start + span, next),
    );
    placed += held.length;
    expect(count).toBe(held.length);
  }
  expect(placed, "the number of entries that some bucket's span holds").toBe(entries.length);
}

/** How far the clocks of judge and server may be apart, in milliseconds. */
const clocksApart = 120_000;

export const checks = [
  check("LSUM-11", "the buckets of the last month add up to its summary", charged, async (stage) => {
    const { account, tool, expect } = stage;
    await spend(account, tool);
    for (const { reader, window } of lastMonth(stage)) {
      for (const bucket of ["day", "week", undefined]) {
        const query = { summary: true, page_size: 1, bucket, ...window };
        const summary = summaryAt(await page(reader, "listLedger", query));
        const counted = summary.at("buckets").items.map((one) => one.at("entry_count").number);
        const { number: total } = summary.at("total_entries");
        expect(sum(counted), "the entries of all buckets").toBe(total);
      }
    }
  }),

  check(
    "LSUM-03",
    "total_entries equals the list's total when both dates are given",
    charged,
    async ({ account, tool, expect }) => {
      const newest = await spend(account, tool);
      for (const query of [always(newest), { ...always(newest), direction: "consume" }]) {
        const answer = await until(
          1000 * account.profile.audit_lag,
          () => page(account, "listLedger", { summary: true, page_size: 1, ...query }),
          (one) => one.at("data.summary.total_entries").value === one.at("data.total").value,
        );
        expect(answer.at("data.total")).toBeAtLeast(1);
        expect(summaryAt(answer).at("total_entries")).toBe(answer.at("data.total").number);
      }
    },
  ),

  check(
    ["LSUM-04", "LSUM-05", "LSUM-06", "LSUM-07"],
    "the counts and totals of a summary are those of the entries, by their signs",
    charged,
    async ({ account, tool, expect }) => {
      const { summary, entries } = await summed(account, always(await spend(account, tool)));
      expectFigures(expect, summary, entries);
    },
  ),

  check(
    ["LSUM-08", "LSUM-09"],
    "max_amount_items are the largest absolute movements, at most `limit` of them",
    charged,
    async ({ account, profile, tool, expect }) => {
      await spend(account, tool);
      // Of consumptions that cost unlike amounts, the largest is the most negative.
      if (profile.tools.charged_decimal)
        await entryOf(account, await account.succeed(tool("charged_decimal")));
      const newest = await spend(account, tool);
      const window = always(newest);
      const amount = Math.abs(amountOf(newest));
      const limits = [1, 3, undefined].map((limit) => ({ limit }));
      for (const query of [
        ...limits,
        { limit: 1, direction: "consume" },
        { limit: 2, direction: "consume" },
        { limit: 2, min_credits: amount, max_credits: amount },
      ]) {
        const { limit } = query;
        const { summary, entries } = await summed(account, { ...window, ...query });
        const items = summary.at("max_amount_items");
        expect(items.items.length, "the number of max_amount_items").toBe(
          Math.min(limit ?? 10, entries.length),
        );
        const size = (entry: Located): number => Math.abs(amountOf(entry));
        if (items.items.some((item) => typeof item.at("amount_credits").value !== "number")) {
          throw new Unverifiable("max_amount_items carry no amount_credits to go by");
        }
        const sizes = (list: readonly Located[]): number[] => list.map(size).sort((one, two) => two - one);
        const largest = sizes(entries).slice(0, items.items.length);
        for (const [index, shown] of sizes(items.items).entries()) {
          expect(shown, "an absolute amount of the largest movements").toBeCredits(largest[index]!);
        }
        const ids = items.items.map(idOf).filter((id) => id !== undefined);
        const foreign = ids.filter((id) => !entries.some((entry) => idOf(entry) === id));
        expect(foreign, "max_amount_items that do not match the query").toBeEmpty();
      }
    },
  ),

  check(
    "LSUM-14",
    "with both dates omitted the window is the last 24 hours",
    charged,
    async ({ account, tool, expect }) => {
      await spend(account, tool);
      const { all, taken: answer } = await steadily(account, "listLedger", () =>
        page(account, "listLedger", { summary: true }),
      );
      const summary = summaryAt(answer);
      const [start, end] = [
        instantOf(summary.at("start_date").value),
        instantOf(summary.at("end_date").value),
      ];
      expect(Math.round((end - start) / 1000), "the seconds of the window").toBeBetween(
        day / 1000 - 2,
        day / 1000 + 2,
      );
      const told = Date.parse(String(answer.header("date").value));
      const clocks = [answer.exchange.started_at, told].filter((time) => !Number.isNaN(time));
      const nearest = Math.min(...clocks.map((time) => Math.abs(end - time)));
      expect(nearest, "the milliseconds between the window's end and now").toBeAtMost(clocksApart);
      const within = (margin: number): number =>
        all.filter((entry) => createdAt(entry) >= start - margin && createdAt(entry) <= end + margin).length;
      expect(summary.at("total_entries")).toBeBetween(within(-2000), within(2000));
    },
  ),

  check(
    "LSUM-15",
    "without bucket a window of more than 3 days is summed by day, a shorter one by hour, also without an end",
    async ({ account, expect }) => {
      const past = Date.parse("2026-01-31T12:30:00Z");
      for (const [hours, bucket] of [
        [1, "hour"],
        [71, "hour"],
        [73, "day"],
        [24 * 30, "day"],
      ] as const) {
        const window = { start_date: instantText(past - hours * hour), end_date: instantText(past) };
        const answer = await page(account, "listLedger", { summary: true, ...window });
        expect(summaryAt(answer).at("bucket"), `the bucket of a window of ${hours} hours`).toBe(bucket);
      }
      const since = Date.now() - 5 * day;
      const query = { summary: true, start_date: instantText(since) };
      const open = summaryAt(await page(account, "listLedger", query));
      const [start, end] = ["start_date", "end_date"].map((name) => instantOf(open.at(name).value));
      expect(start, "start_date of a window without an end, in milliseconds").toBeBetween(
        since - 1000,
        since + 1000,
      );
      expect(open.at("bucket")).toBe(end! - start! > 3 * day ? "day" : "hour");
    },
  ),

  ...(["hour", "day", "week"] as const).map((bucket) =>
    check(
      ["LSUM-13", "LSUM-16"],
      `bucket=${bucket} counts each entry in the ${bucket} that holds its created_at, whatever the window`,
      charged,
      async ({ account, tool, expect }) => {
        const newest = await spend(account, tool);
        const now = createdAt(newest);
        for (const days of [1, 5]) {
          const window = {
            start_date: instantText(now - days * day + hour / 7),
            end_date: instantText(now + hour),
          };
          const { summary, entries } = await summed(account, { ...window, bucket });
          expectBuckets(expect, summary, bucket, entries);
        }
      },
    ),
  ),

  check(
    "LSUM-17",
    "the filters of the query hold for the summary too",
    charged,
    async ({ account, tool, expect }) => {
      const newest = await spend(account, tool);
      const window = always(newest);
      const amount = Math.abs(amountOf(newest));
      for (const filter of [
        { direction: "consume" },
        { direction: "grant" },
        { entry_type: "consume_tool_execute" },
        { scope: "account_history" },
        { max_credits: amount },
        { min_credits: amount + 0.01, direction: "grant" },
      ]) {
        const { summary, entries } = await summed(account, { ...window, ...filter });
        expectFigures(expect, summary, entries);
      }
    },
  ),
];
