import { check } from "../../run/check.ts";
import type { Located } from "../../judge/answer.ts";
import { microsIn, momentOf, zonesApart } from "../../judge/instant.ts";
import { page } from "../../server/lists.ts";
import { queriesOf } from "../../books/filters.ts";
import { createdAt, idOf, instantLike, justBefore } from "../../books/listed.ts";
import { act, discoverEvent, listed } from "../usage/activity.ts";
import { expectNoStrangeSample, summaryChecks, summed } from "../summary.checks.ts";
import { usageSummary } from "../../books/usage-summary.ts";

const { second, hour, day } = microsIn;

export const checks = [
  ...summaryChecks(usageSummary, {}, async (stage) => {
    const activity = await act(stage, { querying: true });
    const [newest] = activity.events;
    return {
      window: { start_date: activity.since, end_date: instantLike(newest!, createdAt(newest!) + hour) },
      filters: [
        ...queriesOf("listUsage", activity.events),
        { billable_success: true },
        { billable_success: false },
      ],
    };
  }),

  check("USUM-02", "the summary's window is that of the query", async ({ account, expect }) => {
    const windowOf = async (query: Record<string, string>): Promise<Located[]> => {
      const answer = await page(account, "listUsage", {
        summary: true,
        page_size: 1,
        bucket: "hour",
        ...query,
      });
      return ["start_date", "end_date"].map((name) => answer.at(`data.summary.${name}`));
    };
    const expectAt = (date: Located | undefined, what: string, from: number, to: number): void => {
      const { before, after } = zonesApart(date?.value);
      expect(momentOf(date?.value), `${what} in microseconds`).toBeBetween(from - after, to + before);
    };
    // A window may be extended to whole buckets.
    const asked = { start_date: "2026-01-10T06:00:00Z", end_date: "2026-01-12T18:30:00+02:00" };
    const exact = await windowOf(asked);
    for (const [index, text] of Object.values(asked).entries()) {
      const wanted = momentOf(text)!;
      expectAt(exact[index], Object.keys(asked)[index]!, wanted - hour, wanted + hour);
    }
    const since = new Date(Date.now() - (5 * day) / 1000).toISOString();
    const [open] = await windowOf({ start_date: since });
    const [from, to] = [momentOf(since)! - hour, momentOf(since)! + second];
    expectAt(open, "start_date of a window without an end", from, to);
    const days = await windowOf({ start_date: "2026-01-10", end_date: "2026-01-15" });
    const [start, end] = days.map(({ value }) => momentOf(value));
    expect(end! - start!, "microseconds from the start of the 10th to the end of the 15th").toBeBetween(
      6 * day - second,
      6 * day,
    );
  }),

  check(
    "USUM-22",
    "the summary counts only the account's own events",
    { needs: ["other_account"] },
    async (stage) => {
      const { account, other, expect, profile, tool } = stage;
      const stranger = await other();
      const first = await discoverEvent(account);
      await discoverEvent(stranger);
      if (profile.tools.charged !== undefined)
        await stranger.usageOf(await stranger.succeed(tool("charged")));
      const last = await discoverEvent(account);
      const window = {
        start_date: justBefore(first),
        end_date: instantLike(last, createdAt(last) + second),
      };
      const { summary, rows } = await summed(stage, usageSummary, window);
      const theirs = new Set((await listed(stranger, { start_date: justBefore(first) })).map(idOf));
      const mine = rows.filter((event) => !theirs.has(idOf(event)));
      expect(summary.at("total_count")).toBe(mine.length);
      expectNoStrangeSample(stage, summary, usageSummary, mine);
    },
  ),

  check("USUM-23", "the summary does not depend on page and page_size", async (stage) => {
    const { since, events } = await act(stage);
    const newest = events[0]!;
    const window = { start_date: since, end_date: instantLike(newest, createdAt(newest) + second) };
    const { summary } = await summed(stage, usageSummary, window);
    for (const paging of [{ page_size: 1 }, { page: 2, page_size: 1 }, { page: 50 }]) {
      const { summary: other } = await summed(stage, usageSummary, { ...window, ...paging });
      for (const path of [...usageSummary.figures.map(({ path }) => path), "buckets"])
        stage.expect(other.at(path)).toBeAlike(summary.at(path).value);
      stage.expect(other.at("max_charge_items")).toHaveLength(summary.at("max_charge_items").items.length);
    }
  }),
];
