import { check } from "../../run/check.ts";
import { Unverifiable } from "../../judge/verdict.ts";
import { usable } from "../../server/account.ts";
import { csvRows, withoutTotals } from "../../books/csv.ts";
import { costOf } from "../../judge/rows.ts";
import { wholePage } from "../../server/lists.ts";
import { idOf, justBefore } from "../../books/listed.ts";
import { byExport, expectTelling, tellsRows } from "../../server/row-readers.ts";
import { act, crowd, discoverEvent, listed, longHistory } from "../usage/activity.ts";
import { rowsKeepToFilters } from "../usage/rows.ts";

const feature = "exports" as const;
const read = byExport("exportUsage");

export const checks = [
  check(
    ["UEXP-02", "USAG-32"],
    "the export has a row for each event, and total counts it, however many there are",
    { feature, fresh: true },
    async ({ account, expect }) => {
      const query = { start_date: justBefore(await discoverEvent(account)) };
      await crowd(account, 104);
      const before = (await listed(account, query)).length;
      const answer = await account.ask("exportUsage", { query });
      expect(answer).toHaveStatus(200);
      const rows = withoutTotals(csvRows(answer.text)).length;
      const total = usable(await account.usage({ ...query, page_size: 1 })).at("data.total");
      const after = (await listed(account, query)).length;
      expect(rows, "the rows, one of which may be a header").toBeBetween(before, after + 1);
      expect(total).toBeBetween(before, after);
    },
  ),

  check(
    "UEXP-02",
    `the export of more than ${wholePage} events has a row for each`,
    { feature },
    async (stage) => {
      const { reader, window, total } = await longHistory(stage);
      const answer = usable(await reader.ask("exportUsage", { query: window }));
      const rows = withoutTotals(csvRows(answer.text)).length;
      stage.expect(rows, "the rows, one of which may be a header").toBeBetween(total, total + 1);
    },
  ),

  check("UEXP-02", "each event is in one row of the export", { feature }, async (stage) => {
    const { account, expect } = stage;
    const { since } = await act(stage, { querying: true });
    // If the export shows it, a cell with a line break in it.
    usable(await account.discover({ query: "rain\nand wind", limit: 1 }));
    await account.settled();
    const within = { start_date: since };
    const known = await listed(account, within);
    await tellsRows(stage, { list: "listUsage", read, within });
    const ids = await read(stage, within, known);
    for (const id of known.map(idOf)) {
      expect(ids.filter((other) => other === id).length, `the rows of event ${id}`).toBe(1);
    }
  }),

  check("UEXP-02", "the rows of the export show what they are rows of", { feature }, async (stage) => {
    const { account, expect } = stage;
    const { since } = await act(stage);
    // The charged Call is then neither the first event nor the last.
    await discoverEvent(account);
    await account.settled();
    const known = await listed(account, { start_date: since });
    const { text } = usable(await account.ask("exportUsage", { query: { start_date: since } }));
    // Without a header, one row less is looked at.
    const rows = withoutTotals(csvRows(text)).slice(1);
    expectTelling(expect, "the rows of the export", rows, known, costOf);
  }),

  check(
    ["UEXP-02", "UEXP-07"],
    "a session_id with a comma, a quote and a line break is one cell of the export",
    { feature },
    async ({ account, unique, expect }) => {
      const parts = [unique("left"), unique("middle"), unique("right")];
      const session_id = `${parts[0]},"${parts[1]}\n${parts[2]}`;
      const answer = await account.discover({ query: "data", limit: 1, session_id });
      if (answer.status !== 200)
        throw new Unverifiable("no session_id may hold a comma, a quote and a line break");
      await account.settled();
      const query = { event_type: "search" };
      const stored = usable(await account.usage(query))
        .at("data.items")
        .items.map((event) => String(event.at("session_id").value));
      if (!stored.includes(session_id))
        throw new Unverifiable("no event shows the session_id as it was sent");
      const cells = csvRows(usable(await account.ask("exportUsage")).text).flat();
      const holding = cells.filter((cell) => parts.some((part) => cell.includes(part)));
      if (holding.length === 0)
        throw new Unverifiable("the export does not show the session_id of its events");
      const whole = holding.filter((cell) => parts.every((part) => cell.includes(part)));
      expect(whole.length, "cells that hold the whole session_id").toBeAtLeast(1);
    },
  ),

  ...rowsKeepToFilters("the export", "exportUsage", read, {
    feature,
    owner: "UEXP-03",
    dates: "UEXP-04",
    classes: "UEXP-05",
    ids: "UEXP-06",
  }),
];
