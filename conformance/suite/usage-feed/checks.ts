import { check } from "../../runner/check.ts";
import { shown } from "../../judge/expect.ts";
import { usable } from "../../subject/account.ts";
import { itemsOf, pageOf, pagesOf } from "../../subject/cursor.ts";
import {
  byList,
  classFilters,
  contradiction,
  crowd,
  discoverEvent,
  idFilters,
  idOf,
  keepsToDates,
  listed,
  makeHistory,
  selectsAsList,
  selectsExactly,
  unlisted,
} from "../usage/history.ts";
import {
  byFeed,
  eventsNamed,
  feedEvents,
  followFeed,
  hidesAttributed,
  refusesOrSelectsNothing,
  tellsEvents,
  valuesOf,
} from "../usage/rows.ts";
import { Unverifiable } from "../../judge/verdict.ts";

const feature = "feeds" as const;

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
      const { events, since } = await makeHistory(stage, { querying: true });
      const query = { start_date: since };
      for (const size of [1, 2]) {
        const known = await listed(account, query);
        const items = await followFeed(account, { ...query, page_size: size });
        const ids = await feedEvents(account, items, known);
        const inside = [...known, ...(await listed(account, query))].map(idOf);
        const outside = ids.filter((id) => !inside.includes(id));
        expect(outside, `the events outside the window that stand on pages of ${size}`).toBe([]);
        const twice = ids.filter((id, index) => ids.indexOf(id) !== index);
        const missing = events.map(idOf).filter((id) => !ids.includes(id));
        expect(twice, `the events that stand twice on pages of ${size}`).toBe([]);
        expect(missing, `the events that stand on no page of ${size}`).toBe([]);
      }
    },
  ),

  check(
    "UFED-03",
    "events that arrive between two pages make the feed neither repeat nor skip",
    { feature },
    async (stage) => {
      const { account, expect } = stage;
      const { events, since } = await makeHistory(stage);
      // Two pages of two must leave a third.
      for (let made = events.length; made < 6; made += 1) events.push(await discoverEvent(account));
      const query = { start_date: since, page_size: 2 };
      const pages = await pagesOf(account, "listUsageFeed", query, async (read) => {
        for (let made = 0; made < (read > 2 ? 0 : 3); made += 1) await discoverEvent(account);
      });
      if (pages.length < 3) throw new Unverifiable("the feed shows no cursor after its first pages");
      const ids = await feedEvents(account, valuesOf(pages), await listed(account, { start_date: since }));
      const twice = ids.filter((id, index) => ids.indexOf(id) !== index);
      const missing = events.map(idOf).filter((id) => !ids.includes(id));
      expect(twice, "the events that the feed repeats").toBe([]);
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
    },
  ),

  check(
    ["UFED-05", "UFED-06"],
    "a page_size from 1 to 500 is accepted, any other refused with 422",
    { feature },
    async ({ account, expect }) => {
      for (const size of [1, 500]) {
        expect(await account.ask("listUsageFeed", { query: { page_size: size } })).toHaveStatus(200);
      }
      for (const size of [0, 501]) {
        expect(await account.ask("listUsageFeed", { query: { page_size: size } })).toHaveStatus(422);
      }
    },
  ),

  check(
    "UFED-07",
    "the feed holds events of the own account alone",
    { feature, needs: ["other_account"] },
    async ({ account, other, expect }) => {
      const foreign = await discoverEvent(await other());
      const mine = await discoverEvent(account);
      const ids = await byFeed(account, {}, [mine, foreign]);
      if (!ids.includes(idOf(mine))) throw new Unverifiable("the feed does not show my own event");
      expect(ids.includes(idOf(foreign)), "whether another's event stands in the feed").toBe(false);
    },
  ),

  check(
    "UFED-07",
    "the feed shows another account's event to nobody who knows what it is attributed to",
    { feature, needs: ["other_account"] },
    (stage) => hidesAttributed(stage, byFeed),
  ),

  check(
    "UFED-07",
    "the cursor of another account's feed leads to none of its events",
    { feature, needs: ["other_account"] },
    async ({ account, other, expect }) => {
      const owner = await other();
      const theirs = [await discoverEvent(owner), await discoverEvent(owner), await discoverEvent(owner)];
      const next = (await pageOf(owner, "listUsageFeed", { page_size: 1 })).next();
      if (next === null) throw new Unverifiable("the feed shows no cursor after its first page");
      const answer = await account.ask("listUsageFeed", { query: { page_size: 1, cursor: next.value } });
      const items = answer.status === 200 ? itemsOf(answer).map(({ value }) => value) : [];
      expect(eventsNamed(items, theirs), "the events of the other account").toBe([]);
    },
  ),

  check("UFED-08", "the feed keeps to start_date and end_date", { feature }, async (stage) => {
    const { since } = await makeHistory(stage);
    await tellsEvents(stage.account, byFeed, since);
    await keepsToDates(stage, byFeed);
  }),

  check(
    "UFED-09",
    "the feed keeps to the filters by type, kind, success, outcome, reason, charge outcome and anomaly",
    { feature },
    async (stage) => {
      const history = await makeHistory(stage, { querying: true });
      await tellsEvents(stage.account, byFeed, history.since);
      await selectsExactly(stage, byFeed, history.since, classFilters(history, stage));
      await selectsAsList(stage, byFeed, history.since);
      await refusesOrSelectsNothing(stage, "listUsageFeed", unlisted, history.events);
    },
  ),

  check(["UFED-09", "UFED-10"], "a filter holds on every page of the feed", { feature }, async (stage) => {
    const { account, expect } = stage;
    const { since } = await makeHistory(stage);
    // What they select fills the first page.
    for (let made = 0; made < 2; made += 1) await discoverEvent(account);
    const known = await listed(account, { start_date: since });
    const ofNewest = ["event_type", "charge_outcome", "reason_code"].flatMap((name) => {
      const value = known[0]?.at(name).value;
      return typeof value === "string" ? [{ [name]: value }] : [];
    });
    for (const filter of [...ofNewest, { max_credits: 0 }]) {
      const query = { start_date: since, ...filter };
      const wanted = await byList(account, query, known);
      const items = await followFeed(account, { ...query, page_size: 2 });
      const ids = await feedEvents(account, items, known);
      expect(ids.toSorted(), `the events on the pages of ${shown(filter)}`).toBe(wanted.toSorted());
    }
  }),

  check(
    "UFED-10",
    "the feed keeps to the filters by id, attribution and credits",
    { feature },
    async (stage) => {
      const history = await makeHistory(stage);
      await tellsEvents(stage.account, byFeed, history.since);
      await selectsExactly(stage, byFeed, history.since, idFilters(history, stage));
      await refusesOrSelectsNothing(stage, "listUsageFeed", [contradiction], history.events);
    },
  ),
];
