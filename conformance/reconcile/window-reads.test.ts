import { expect, it } from "vitest";
import { Located } from "../judge/answer.ts";
import { Totals } from "../books/summary.ts";
import { ledgerSummary } from "../books/ledger-summary.ts";
import { usageSummary } from "../books/usage-summary.ts";
import type { Query } from "../books/listed.ts";
import { holdBalance, holdSpent } from "./window-reads.ts";
import type { Held } from "./state.ts";

const answer = (data: unknown): Located =>
  Object.assign(new Located({ data }, "", undefined as never), { status: 200 });

const eventAt = (at: string, settled: number) => ({
  id: at,
  settled_amount_credits: settled,
  created_at: at,
});

it.each([
  ["what the window settled", { total: 5 }, "12:00", null, []],
  ["what the ledger consumed", { total: 20 }, "12:00", null, []],
  ["what the days settled", { total: 8 }, "12:00", "it counts whole days", []],
  [
    "another day, which it names",
    { total: 9, start_date: "2026-11-19" },
    "12:00",
    "it covers another window than was asked for",
    [],
  ],
  ["the window, of which it names the day", { total: 5, end_date: "2026-11-20" }, "12:00", null, []],
  ["another sum than that of events next to each other", { total: 10 }, "12:00", null, ["ACCT-06"]],
  ["the next day too, if whole days were asked for", { total: 6 }, "00:00", null, ["ACCT-06"]],
])("credits spent may show %s", async (_, spent, from, why, clauses) => {
  const listed = [eventAt("2026-11-21T01:00:00Z", 1), eventAt("2026-11-20T11:00:00Z", 2)];
  const account = {
    ask: async (operation: string, { query }: { query: Query }) => {
      if (operation === "getCreditsSpent") return answer(spent);
      const isIn = ({ created_at: at }: { created_at: string }): boolean =>
        at >= String(query["start_date"]) && at <= String(query["end_date"]);
      return answer({ items: listed.filter(isIn) });
    },
  };
  const usage = new Totals(usageSummary);
  usage.take([eventAt("2026-11-20T12:30:00Z", 5)]);
  const ledger = new Totals(ledgerSummary);
  ledger.take([{ amount_credits: -20 }]);
  const window = { start: Date.parse(`2026-11-20T${from}Z`), end: Date.parse("2026-11-20T23:59:59.999Z") };
  const held = new Map<string, Held>();
  const found: string[] = [];
  await holdSpent(
    { account, find: (fault: { clauses: string[] }) => found.push(...fault.clauses), held } as never,
    window,
    { usage, ledger },
  );
  expect(held.get("credits spent")?.why).toBe(why);
  expect(found).toEqual(clauses);
});

it.each([
  ["leaves out", false, expect.stringContaining("by their type"), []],
  ["shows", true, null, ["more-left-at-rest"]],
])("a balance with a bonus that the ledger without filters %s", async (_, isShown, why, names) => {
  const entry = (id: string, type: string, left: number, at: string) => ({
    id,
    entry_type: type,
    balance_after: { total_available_credits: left },
    created_at: at,
  });
  const call = entry("entry-a", "consume_tool_execute", 29, "2026-11-20T12:00:00Z");
  const bonus = entry("entry-b", "grant_welcome_bonus", 30, "2026-11-10T12:00:00Z");
  const ask = async (operation: string, { query = {} }: { query?: Query } = {}) => {
    if (operation === "getCredits") return answer({ remaining_credits: 29 });
    const { entry_type: type, start_date: from = "2026", end_date: to = "2027" } = query;
    const items = [call, bonus].filter(
      ({ entry_type: own, created_at: at }) =>
        (type === undefined ? isShown || own !== bonus.entry_type : own === type) && at > from && at < to,
    );
    return answer({ items, total: 1 });
  };
  const account = { ask, ledger: (query: Query) => ask("listLedger", { query }) };
  const held = new Map<string, Held>();
  const found: string[] = [];
  const find = ({ name }: { name: string }) => found.push(name);
  await holdBalance({ account, find, held } as never, { holdsMs: 20, sums: [9], entries: 1 });
  expect(held.get("balance")?.why).toEqual(why);
  expect(found).toEqual(names);
});
