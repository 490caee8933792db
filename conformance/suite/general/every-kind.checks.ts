import { microsIn } from "../../judge/instant.ts";
import { check } from "../../run/check.ts";
import { wholeList } from "../../server/lists.ts";
import { createdAt, dayText, idOf } from "../../books/listed.ts";
import { wordedQueries } from "../../server/requests.ts";
import { Unverifiable } from "../../judge/verdict.ts";
import { byExport, byFeed, tellsRows } from "../../server/row-readers.ts";
import {
  byList,
  byPages,
  expectSameAsList,
  expectSelections,
  contradictedQueries,
  onePerKind,
  pairedQueries,
} from "../../server/selection.ts";

/*
 * Checks derived from the words that the spec lists for parameters: an account with rows of every kind shows what each
 * selects. A word added to the spec is judged here without further code.
 */

const lists = [
  {
    list: "listUsage",
    one: "getUsageEvent",
    read: "USAG-26",
    clauses: ["USAG-52", "USAG-54", "USAG-62"],
    together: "USAG-77",
    pages: ["USAG-37", "USAG-32"],
  },
  {
    list: "listLedger",
    one: "getLedgerEntry",
    read: "LEDG-18",
    clauses: ["LEDG-30", "LEDG-32", "LEDG-33"],
    together: "LEDG-46",
    pages: ["LEDG-41", "LEDG-23"],
  },
] as const;

const others = [
  { operation: "exportUsage", list: "listUsage", clause: "UEXP-05", read: byExport("exportUsage") },
  { operation: "listUsageFeed", list: "listUsage", clause: "UFED-09", read: byFeed() },
  { operation: "exportLedger", list: "listLedger", clause: "LEXP-02", read: byExport("exportLedger") },
] as const;

/** The operations that select by days, and how their rows are read; the feed on several pages a day. */
const daily = [
  { operation: "listUsage", list: "listUsage", clauses: ["USAG-46", "USAG-49"], read: byList("listUsage") },
  {
    operation: "listLedger",
    list: "listLedger",
    clauses: ["LEDG-27", "LEDG-28"],
    read: byList("listLedger"),
  },
  { operation: "exportUsage", list: "listUsage", clauses: ["UEXP-04"], read: byExport("exportUsage") },
  { operation: "listUsageFeed", list: "listUsage", clauses: ["UFED-08"], read: byFeed(3) },
  { operation: "exportLedger", list: "listLedger", clauses: ["LEXP-03"], read: byExport("exportLedger") },
] as const;

const needs = ["every_kind"] as const;

export const checks = [
  ...lists.map(({ list, clauses }) =>
    check(
      clauses,
      `with rows of every kind, each value that a parameter of ${list} takes selects exactly its rows`,
      { needs },
      ({ everyKind, expect }) =>
        expectSelections({ account: everyKind(), expect }, { list }, wordedQueries(list)),
    ),
  ),

  ...lists.map(({ list, pages }) =>
    check(
      pages,
      `with rows of every kind, the pages of ${list} together hold exactly the rows of each value, each once`,
      { needs },
      ({ everyKind, expect }) =>
        expectSelections(
          { account: everyKind(), expect },
          { list, read: byPages(list) },
          wordedQueries(list),
        ),
    ),
  ),

  ...lists.map(({ list, together }) =>
    check(
      together,
      `with rows of every kind, any two filters of ${list} select exactly what satisfies both`,
      { needs },
      async ({ everyKind, expect }) => {
        const asking = { account: everyKind(), expect };
        const rows = await wholeList(asking.account, list);
        await expectSelections(asking, { list }, pairedQueries(list, rows));
      },
    ),
  ),

  ...(
    [
      ["exportUsage", "UEXP-05", byExport("exportUsage")],
      ["listUsageFeed", "UFED-09", byFeed()],
    ] as const
  ).map(([operation, clause, read]) =>
    check(
      clause,
      `with events of every kind, ${operation} applies all filters together and ignores none`,
      { needs, feature: operation },
      async ({ everyKind, expect }) => {
        const asking = { account: everyKind(), expect };
        const reading = { list: "listUsage", read, within: {} } as const;
        await tellsRows(asking, reading);
        const events = await wholeList(asking.account, "listUsage");
        await expectSelections(asking, reading, contradictedQueries(events));
      },
    ),
  ),

  ...lists.map(({ list, one, read }) =>
    check(
      read,
      `with rows of every kind, the oldest of each kind in ${list} can be read by its id`,
      { needs },
      async ({ everyKind, expect }) => {
        const account = everyKind();
        for (const row of onePerKind(await wholeList(account, list)).slice(-maxRead)) {
          const answer = await account.ask(one, { parameter: idOf(row) });
          expect(answer).toHaveStatus(200);
          expect(idOf(answer.at("data")), "the id of the row that is read").toBe(idOf(row));
        }
      },
    ),
  ),

  check(
    ["USAG-66", "USAG-67"],
    "with events of every kind, the oldest is found by its search_id and by its execution_id",
    { needs },
    async ({ everyKind, expect }) => {
      const account = everyKind();
      const events = await wholeList(account, "listUsage");
      const queries = ["search_id", "execution_id"].flatMap((name) => {
        const value = events.findLast((event) => event.at(name).present)?.at(name).value;
        return typeof value === "string" ? [{ [name]: value }] : [];
      });
      await expectSelections({ account, expect }, { list: "listUsage" }, queries);
    },
  ),

  ...daily.map(({ operation, list, clauses, read }) =>
    check(
      clauses,
      `with rows of every kind, each is in one day of ${operation}, given as start and end`,
      { needs, feature: operation },
      async ({ everyKind, expect }) => {
        const asking = { account: everyKind(), expect };
        await tellsRows(asking, { list, read, within: {} });
        const all = await wholeList(asking.account, list);
        const shown = new Set(await read(asking, {}, all));
        if (all.length === 0) throw new Unverifiable("the account of every kind shows no rows");
        const newest = Math.max(...all.map(createdAt));
        const rows = all.filter(
          (row) => shown.has(idOf(row)) && createdAt(row) > newest - maxDays * microsIn.day,
        );
        const days = new Map<string, string[]>();
        for (let ago = maxDays + 1; ago >= -1; ago -= 1) {
          const day = dayText(newest - ago * microsIn.day);
          days.set(day, await read(asking, { start_date: day, end_date: day }, all));
        }
        for (const row of rows) {
          const own = [...days].filter(([, ids]) => ids.includes(idOf(row))).map(([day]) => day);
          expect(own, `the days that hold ${idOf(row)}, each as start and end`).toHaveLength(1);
        }
      },
    ),
  ),

  ...others.map(({ operation, list, clause, read }) =>
    check(
      clause,
      `with rows of every kind, ${operation} selects what ${list} selects`,
      { needs, feature: operation },
      async ({ everyKind, expect }) => {
        const asking = { account: everyKind(), expect };
        await tellsRows(asking, { list, read, within: {} });
        await expectSameAsList(asking, { list, read, within: {} }, wordedQueries(operation));
      },
    ),
  ),
];

/** The most rows of a list that are read by their ids, and the most days that are read one by one. */
const maxRead = 20;
const maxDays = 4;
