import { check } from "../../runner/check.ts";
import { usable } from "../../subject/account.ts";
import { csvRows, withoutTotals } from "../../subject/csv.ts";
import { Unverifiable } from "../../judge/verdict.ts";
import {
  classFilters,
  contradiction,
  crowd,
  discoverEvent,
  idFilters,
  idOf,
  justBefore,
  keepsToDates,
  listed,
  makeHistory,
  selectsAsList,
  selectsExactly,
  unlisted,
} from "../usage/history.ts";
import { byExport, hidesAttributed, refusesOrSelectsNothing, tellsEvents } from "../usage/rows.ts";

const feature = "exports" as const;

export const checks = [
  check(
    ["UEXP-02", "USAG-32"],
    "the export has a row for each event, and total counts it, however many there are",
    { feature, fresh: true },
    async ({ account, expect }) => {
      const query = { start_date: justBefore(await discoverEvent(account)) };
      await crowd(account, 104);
      const before = (await listed(account, query)).length;
      const { text } = usable(await account.ask("exportUsage", { query }));
      const rows = withoutTotals(csvRows(text)).length;
      const total = usable(await account.usage({ ...query, page_size: 1 })).at("data.total");
      const after = (await listed(account, query)).length;
      expect(rows, "the rows, of which one may be a header").toBeBetween(before, after + 1);
      expect(total).toBeBetween(before, after);
    },
  ),

  check("UEXP-02", "each event stands in one row of the export", { feature }, async (stage) => {
    const { account, expect } = stage;
    const { since } = await makeHistory(stage, { querying: true });
    // Where the export shows it, a cell with the end of a line in it.
    usable(await account.discover({ query: "rain\nand wind", limit: 1 }));
    await account.settled();
    const known = await listed(account, { start_date: since });
    await tellsEvents(account, byExport, since);
    const ids = await byExport(account, { start_date: since }, known);
    for (const id of known.map(idOf)) {
      expect(ids.filter((one) => one === id).length, `the rows of event ${id}`).toBe(1);
    }
  }),

  check(
    "UEXP-03",
    "the export holds events of the own account alone",
    { feature, needs: ["other_account"] },
    async ({ account, other, expect }) => {
      const foreign = await discoverEvent(await other());
      const mine = await discoverEvent(account);
      const ids = await byExport(account, {}, [mine, foreign]);
      if (!ids.includes(idOf(mine))) throw new Unverifiable("the export does not show my own event");
      expect(ids.includes(idOf(foreign)), "whether another's event stands in the export").toBe(false);
    },
  ),

  check(
    "UEXP-03",
    "the export shows another account's event to nobody who knows what it is attributed to",
    { feature, needs: ["other_account"] },
    (stage) => hidesAttributed(stage, byExport),
  ),

  check("UEXP-04", "the export keeps to start_date and end_date", { feature }, async (stage) => {
    const { since } = await makeHistory(stage);
    await tellsEvents(stage.account, byExport, since);
    await keepsToDates(stage, byExport);
  }),

  check(
    "UEXP-05",
    "the export keeps to the filters by type, kind, success, outcome, reason, charge outcome and anomaly",
    { feature },
    async (stage) => {
      const history = await makeHistory(stage, { querying: true });
      await tellsEvents(stage.account, byExport, history.since);
      await selectsExactly(stage, byExport, history.since, classFilters(history, stage));
      await selectsAsList(stage, byExport, history.since);
      await refusesOrSelectsNothing(stage, "exportUsage", unlisted, history.events);
    },
  ),

  check(
    "UEXP-06",
    "the export keeps to the filters by id, attribution and credits",
    { feature },
    async (stage) => {
      const history = await makeHistory(stage);
      await tellsEvents(stage.account, byExport, history.since);
      await selectsExactly(stage, byExport, history.since, idFilters(history, stage));
      await refusesOrSelectsNothing(stage, "exportUsage", [contradiction], history.events);
    },
  ),
];
