import { check } from "../../runner/check.ts";
import { wholeList } from "../../subject/lists.ts";
import { featureOf, wordedQueries } from "../../subject/requests.ts";
import { byExport, byFeed, tellsRows } from "../../subject/row-readers.ts";
import { byPages, expectSameAsList, expectSelections, pairedQueries } from "../../subject/selection.ts";

/*
 * Checks derived from the words that the spec lists for parameters: an account with rows of every kind shows what each
 * selects. A word added to the spec is judged here without further code.
 */

const lists = [
  {
    list: "listUsage",
    clauses: ["USAG-52", "USAG-54", "USAG-62"],
    together: "USAG-77",
    pages: ["USAG-37", "USAG-32"],
  },
  {
    list: "listLedger",
    clauses: ["LEDG-30", "LEDG-32", "LEDG-33"],
    together: "LEDG-46",
    pages: ["LEDG-41", "LEDG-23"],
  },
] as const;

const others = [
  { operation: "exportUsage", list: "listUsage", clause: "UEXP-05", read: byExport("exportUsage") },
  { operation: "listUsageFeed", list: "listUsage", clause: "UFED-09", read: byFeed("listUsageFeed") },
  { operation: "exportLedger", list: "listLedger", clause: "LEXP-02", read: byExport("exportLedger") },
] as const;

const needs = ["every_kind"] as const;

export const checks = [
  ...lists.map(({ list, clauses }) =>
    check(
      clauses,
      `of rows of every kind ${list} selects exactly those of each word that its parameters take`,
      { needs },
      ({ everyKind, expect }) =>
        expectSelections({ account: everyKind(), expect }, { list }, wordedQueries(list)),
    ),
  ),

  ...lists.map(({ list, pages }) =>
    check(
      pages,
      `of rows of every kind the pages of ${list} together hold exactly those of each word, each once`,
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
      `of rows of every kind any two filters of ${list} select exactly what satisfies both`,
      { needs },
      async ({ everyKind, expect }) => {
        const asking = { account: everyKind(), expect };
        const rows = await wholeList(asking.account, list);
        await expectSelections(asking, { list }, pairedQueries(list, rows));
      },
    ),
  ),

  ...others.map(({ operation, list, clause, read }) =>
    check(
      clause,
      `of rows of every kind ${operation} selects what ${list} selects`,
      { needs, feature: featureOf[operation]! },
      async ({ everyKind, expect }) => {
        const asking = { account: everyKind(), expect };
        await tellsRows(asking, { list, read, within: {} });
        await expectSameAsList(asking, { list, read, within: {} }, wordedQueries(operation));
      },
    ),
  ),
];
