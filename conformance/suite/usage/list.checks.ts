import { check } from "../../run/check.ts";
import { usable, type Query } from "../../server/account.ts";
import { oneDay, untilLater, wholeList, wholePage } from "../../server/lists.ts";
import { between, idOf, instantLike } from "../../books/listed.ts";
import { byList } from "../../server/selection.ts";
import { act, discoverEvent, eventsApart, listed, longHistory, maxOnOnePage, recent } from "./activity.ts";
import { each } from "../../server/requests.ts";
import { refuses } from "../refusals.ts";
import { hidesAttributed } from "./rows.ts";

/** Checks of the usage list: pages, sizes, details, and ownership of its events. */
export const checks = [
  check(
    ["USAG-32", "USAG-37"],
    "total counts the matching events, whatever the page, and a page beyond the last is empty",
    async (stage) => {
      const { account, expect, unique } = stage;
      const { searchId, events } = await act(stage);
      const none = await account.usage({ search_id: unique("search"), page: 2, page_size: 1 });
      expect(none).toHaveStatus(200);
      expect(none.at("data.total")).toBe(0);
      const matching = events.filter((event) => event.at("search_id").value === searchId).length;
      const beyond = [{ page: matching + 1, page_size: 1 }, { page: 1000 }];
      for (const paging of [{}, { page_size: 1 }, { page: 2, page_size: 1 }, ...beyond]) {
        const answer = await account.usage({ search_id: searchId, ...paging });
        expect(answer).toHaveStatus(200);
        expect(answer.at("data.total")).toBe(matching);
        if (beyond.includes(paging as (typeof beyond)[0])) expect(answer.at("data.items")).toBeEmpty();
      }
    },
  ),

  check(
    "USAG-32",
    "total counts the events since an instant, and until another, whatever happened before and after",
    async ({ account, expect }) => {
      const [first, second] = await eventsApart(account);
      await untilLater(second);
      const third = await discoverEvent(account);
      const start_date = instantLike(second, between(first, second));
      const end_date = instantLike(second, between(second, third));
      for (const window of [{ start_date }, { start_date, end_date }, { end_date }]) {
        const before = (await listed(account, window)).length;
        const answer = await account.usage({ ...window, page_size: 1 });
        const after = (await listed(account, window)).length;
        expect(answer).toHaveStatus(200);
        expect(answer.at("data.total")).toBeBetween(before, after);
      }
    },
  ),

  check(
    "USAG-35",
    "the list holds only the account's own events",
    { needs: ["other_account"] },
    async ({ account, other, expect }) => {
      const stranger = await other();
      const older = await discoverEvent(account);
      const foreign = await discoverEvent(stranger);
      const mine = [older, await discoverEvent(account)];
      const ids = (await recent(account)).map(idOf);
      for (const event of mine) expect(ids.includes(idOf(event)), "whether my event is listed").toBe(true);
      expect(ids.includes(idOf(foreign)), "whether another's event is listed").toBe(false);
      const focused = usable(await account.usage({ search_id: foreign.at("search_id").string }));
      expect(focused.at("data.items")).toBeEmpty();
    },
  ),

  check(
    "USAG-35",
    "the list reveals no event of another account by its attribution",
    { needs: ["other_account"] },
    (stage) => hidesAttributed(stage, byList("listUsage")),
  ),

  refuses("USAG-36", "a page or limit that is below 1, or not an integer, is refused", "listUsage", {
    valid: [{ page: 1, limit: 1 }],
    invalid: each(["page", "limit"], [0, -1, "x", 1.5]),
    with: "400 or 422",
  }),

  check("USAG-37", "the pages together hold every matching event exactly once", async (stage) => {
    const { account, expect } = stage;
    const { searchId, events } = await act(stage);
    const matching = events.filter((event) => event.at("search_id").value === searchId).map(idOf);
    for (const size of [1, 2]) {
      const paged: string[] = [];
      for (let page = 1; page <= matching.length + 1; page += 1) {
        const answer = usable(await account.usage({ search_id: searchId, page, page_size: size }));
        paged.push(...answer.at("data.items").items.map(idOf));
      }
      expect(paged.sort(), `the events on pages of ${size}`).toBe([...matching].sort());
    }
  }),

  check(
    ["USAG-37", "USAG-32", "USAG-41"],
    `a page of more than ${wholePage} items holds what pages of ${wholePage} hold`,
    async (stage) => {
      const { reader, window, total } = await longHistory(stage);
      const paged = (await wholeList(reader, "listUsage", window)).map(idOf);
      for (const size of [wholePage + 1, maxOnOnePage]) {
        const answer = usable(await reader.usage({ ...window, page_size: size }));
        const ids = answer.at("data.items").items.map(idOf);
        stage.expect(answer.at("data.total")).toBe(total);
        stage.expect(ids.length, `the events on a page of ${size}`).toBe(Math.min(size, total));
        // Events of one moment come in any order.
        if (size > total) stage.expect(ids.sort(), "the events of the whole page").toBe(paged.sort());
      }
    },
  ),

  check("USAG-38", "without page_size and limit a page has 50 items", async ({ account, expect }) => {
    expect(usable(await account.usage()).at("data.page_size")).toBe(50);
  }),

  refuses(["USAG-39", "USAG-40"], "a page_size from 1 to 50000 is accepted, any other refused", "listUsage", {
    valid: each("page_size", [1, 50_000], oneDay),
    invalid: each("page_size", [0, -1, 50_001, "x"]),
    with: "400 or 422",
  }),

  check(
    ["USAG-41", "USAG-42"],
    "page_size sets the number of items, and limit overrides it",
    async ({ account, expect }) => {
      for (let made = 0; made < 4; made += 1) usable(await account.discover("data"));
      await account.settled();
      const sizes = [
        [{ page_size: 2 }, 2],
        [{ page_size: 4 }, 4],
        [{ page_size: 2, limit: 3 }, 3],
        [{ page_size: 4, limit: 1 }, 1],
      ] as const;
      for (const [paging, size] of sizes) {
        const answer = usable(await account.usage(paging));
        expect(answer.at("data.page_size")).toBe(size);
        expect(answer.at("data.items")).toHaveLength(size);
      }
      const second = async (size: Query): Promise<string[]> =>
        (await account.events({ ...size, page: 2 })).map(idOf);
      // By page_size too, since events of one moment come in any order.
      expect(await second({ page_size: 5, limit: 2 }), "the second page of limit=2").toBe(
        await second({ page_size: 2 }),
      );
    },
  ),

  check("USAG-43", "a limit above 50 is capped at 50, or refused", async ({ account, expect }) => {
    const most = await account.usage({ limit: 50 });
    expect(most).toHaveStatus(200);
    expect(most.at("data.page_size")).toBe(50);
    for (const limit of [51, 1000]) {
      const answer = await account.usage({ limit });
      expect(answer).toHaveStatus(200, 400, 422);
      if (answer.status === 200) expect(answer.at("data.page_size")).toBeBetween(1, 50);
    }
  }),

  check(
    "USAG-44",
    "include_details shows the stored request and answer of a Call",
    { needs: ["tool.charged"] },
    async ({ account, tool, expect }) => {
      const call = await account.succeed(tool("charged"));
      const event = await account.usageOf(call);
      expect(event.at("request_payload")).toBePresent();
      expect(event.at("response_payload_summary")).toBePresent();
      await account.usageOf(await account.succeed(tool("charged")));
      const query = {
        event_type: "tool_execute",
        include_details: true,
        summary: true,
        page_size: 1,
        page: 2,
      };
      const [second] = await account.events(query);
      expect(second?.at("request_payload"), "the request payload on page 2, with a summary").toBePresent();
    },
  ),
];
