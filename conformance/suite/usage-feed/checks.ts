import { check } from "../../run/check.ts";
import { usable } from "../../server/account.ts";
import { expectPaged, itemsOf, pageOf, pagesOf } from "../../server/cursor.ts";
import { costOf } from "../../judge/rows.ts";
import { wholePage } from "../../server/lists.ts";
import { createdAt, idOf, idsIn, instantLike, justBefore } from "../../books/listed.ts";
import { byFeed, expectTelling, rowsNamed, tellsRows } from "../../server/row-readers.ts";
import { expectSelections } from "../../server/selection.ts";
import { act, crowd, discoverEvent, listed, longHistory } from "../usage/activity.ts";
import { each } from "../../server/requests.ts";
import { refuses } from "../refusals.ts";
import { rowsKeepToFilters } from "../usage/rows.ts";
import { Unverifiable } from "../../judge/verdict.ts";

const feature = "feeds" as const;
const list = "listUsage";
const read = byFeed();

const repeatedIn = (ids: readonly string[]): string[] => ids.filter((id, index) => ids.indexOf(id) !== index);

export const checks = [
  check("UFED-01", "a page holds at most page_size events", { feature }, async ({ account, expect }) => {
    for (let made = 0; made < 3; made += 1) usable(await account.discover("data"));
    await account.settled();
    for (const size of [1, 2, 3]) {
      const { items } = await pageOf(account, "listUsageFeed", { page_size: size });
      expect(items.length, `the items of a page of ${size}`).toBeBetween(1, size);
    }
  }),

  check(
    ["UFED-02", "UFED-08"],
    "the pages hold every event of their window exactly once",
    { feature },
    async (stage) => {
      const { account, expect } = stage;
      const { events, since } = await act(stage, { querying: true });
      const within = { start_date: since };
      await tellsRows(stage, { list, read, within });
      for (const size of [1, 2]) {
        const known = await listed(account, within);
        // A feed that leaves its window may go on through the whole history.
        const most = known.length + 50;
        const ids = await byFeed(size, most)(stage, within, known);
        const inside = [...known, ...(await listed(account, within))].map(idOf);
        const outside = ids.filter((id) => !inside.includes(id));
        expect(outside, `the events outside the window on pages of ${size}`).toBe([]);
        const missing = events.map(idOf).filter((id) => !ids.includes(id));
        expect(repeatedIn(ids), `the events that pages of ${size} repeat`).toBe([]);
        expect(missing, `the events that are on no page of ${size}`).toBe([]);
      }
      // The position after the first page is then the end of the window itself.
      const untilNewest = { ...within, end_date: instantLike(events[0]!, createdAt(events[0]!)) };
      const known = await listed(account, within);
      const ids = await byFeed(1, known.length + 50)(stage, untilNewest, known);
      expect(repeatedIn(ids), "the events that pages of a window until the newest event repeat").toBe([]);
    },
  ),

  check(
    "UFED-02",
    "the feed shows its events as a list, of which a page leads to the next",
    { feature },
    async (stage) => {
      const { account, expect, profile, tool } = stage;
      const within = { start_date: justBefore(await discoverEvent(account)) };
      if (profile.tools.charged) await account.succeed(tool("charged"));
      await discoverEvent(account);
      await account.settled();
      await expectPaged(stage, "listUsageFeed", within);
      const { items } = await pageOf(account, "listUsageFeed", { ...within, page_size: 500 });
      const rows = items.map(({ value }) => value);
      const known = await listed(account, within);
      expectTelling(expect, "the events of the feed", rows, known, costOf);
    },
  ),

  check(
    "UFED-02",
    `the pages of a feed of more than ${wholePage} events hold each once, including those of one moment`,
    { feature },
    async (stage) => {
      const { reader, window, total } = await longHistory(stage);
      const pages = await pagesOf(reader, "listUsageFeed", { ...window, page_size: wholePage });
      const fed = pages.flatMap(({ items }) => items).length;
      stage.expect(fed, "the events of all pages").toBe(total);
    },
  ),

  check(
    "UFED-03",
    "the feed neither repeats nor skips when events arrive between two pages",
    { feature },
    async (stage) => {
      const { account, expect } = stage;
      const { events, since } = await act(stage);
      // Two pages of two must leave a third.
      for (let made = events.length; made < 6; made += 1) events.push(await discoverEvent(account));
      await tellsRows(stage, { list, read, within: { start_date: since } });
      const query = { start_date: since, page_size: 2 };
      const pages = await pagesOf(account, "listUsageFeed", query, async (pagesRead) => {
        for (let made = 0; made < (pagesRead > 2 ? 0 : 3); made += 1) await discoverEvent(account);
      });
      if (pages.length < 3) throw new Unverifiable("the feed shows no cursor after its first pages");
      const ids = idsIn(
        pages.flatMap(({ items }) => items),
        await listed(account, { start_date: since }),
      );
      const missing = events.map(idOf).filter((id) => !ids.includes(id));
      expect(repeatedIn(ids), "the events that the feed repeats").toBe([]);
      expect(missing, "the older events that the feed skips").toBe([]);
    },
  ),

  check(
    "UFED-04",
    "without page_size a page holds at most 100 events",
    { feature, fresh: true },
    async ({ account, expect }) => {
      await crowd(account, 104);
      const { items } = await pageOf(account, "listUsageFeed", {});
      expect(items.length, "the items of the first page").toBeBetween(1, 100);
      const asked = await pageOf(account, "listUsageFeed", { page_size: 100 });
      expect(items.length, "the items of the first page without page_size").toBe(asked.items.length);
    },
  ),

  refuses(
    ["UFED-05", "UFED-06"],
    "a page_size from 1 to 500 is accepted, any other refused",
    "listUsageFeed",
    {
      valid: each("page_size", [1, 500]),
      invalid: each("page_size", [0, 501]),
      with: "400 or 422",
    },
    { feature },
  ),

  check(
    "UFED-07",
    "a cursor from another account's feed reveals none of its events",
    { feature, needs: ["other_account"] },
    async ({ account, other, expect }) => {
      const owner = await other();
      const theirs = [await discoverEvent(owner), await discoverEvent(owner), await discoverEvent(owner)];
      const next = (await pageOf(owner, "listUsageFeed", { page_size: 1 })).next();
      if (next === null) throw new Unverifiable("the feed shows no cursor after its first page");
      const answer = await account.ask("listUsageFeed", { query: { page_size: 1, cursor: next.value } });
      const items = answer.status === 200 ? itemsOf(answer) : [];
      expect(rowsNamed(items, theirs), "the events of the other account").toBe([]);
    },
  ),

  check(["UFED-09", "UFED-10"], "a filter holds on every page of the feed", { feature }, async (stage) => {
    const { account } = stage;
    const { since } = await act(stage);
    // The selected items fill the first page.
    for (let made = 0; made < 2; made += 1) await discoverEvent(account);
    const within = { start_date: since };
    const [newest] = await listed(account, within);
    const ofNewest = ["event_type", "charge_outcome", "reason_code"].flatMap((name) => {
      const value = newest?.at(name).value;
      return typeof value === "string" ? [{ [name]: value }] : [];
    });
    await tellsRows(stage, { list, read, within });
    const inTwos = byFeed(2);
    const others = [{ kind: "discover" }, { success: true }, { max_credits: 0 }];
    await expectSelections(stage, { list, read: inTwos, within }, [...ofNewest, ...others]);
  }),

  ...rowsKeepToFilters("the feed", "listUsageFeed", read, {
    feature,
    owner: "UFED-07",
    dates: "UFED-08",
    classes: "UFED-09",
    ids: "UFED-10",
  }),
];
