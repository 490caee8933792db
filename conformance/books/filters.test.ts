import { expect, test } from "vitest";
import { Located } from "../judge/answer.ts";
import type { Exchange } from "../judge/exchange.ts";
import { filtersOf, hiddenQueries, queriesOf, wantedBy } from "./filters.ts";

const rowOf = (row: object): Located => new Located(row, "data", {} as Exchange);
const entryOf = (amount: number): Located => rowOf({ amount_credits: amount });

test("a bound on credits is included, and its sign does not count", () => {
  const [atLeast, atMost] = [{ min_credits: 0.35 }, { max_credits: 0.35 }].map((query) =>
    wantedBy("listLedger", query),
  );
  for (const amount of [0.35, -0.35]) {
    expect([atLeast!(entryOf(amount)), atMost!(entryOf(amount))]).toEqual([true, true]);
  }
  expect([atLeast!(entryOf(-0.36)), atMost!(entryOf(-0.36))]).toEqual([true, false]);
  expect([atLeast!(entryOf(0.34)), atMost!(entryOf(0.34))]).toEqual([false, true]);
});

test("each filter but the dates is asked for some value", () => {
  const event = rowOf({
    settled_amount_credits: 2,
    search_id: "search",
    execution_id: "execution",
    execution_outcome: { outcome: "valid" },
    credential_type: "api_key",
  });
  for (const [list, row] of [
    ["listUsage", event],
    ["listLedger", entryOf(-2)],
  ] as const) {
    const asked = [...queriesOf(list, [row]), ...hiddenQueries(list)].flatMap((query) => Object.keys(query));
    const names = filtersOf(list).map(([name]) => name);
    expect(names.filter((name) => !asked.includes(name))).toEqual(["start_date", "end_date"]);
  }
});

test("an amount almost equal to the bound may be kept or left out", () => {
  const shown = 0.349999999999993;
  expect(wantedBy("listLedger", { max_credits: shown })(entryOf(-shown))).toBe(null);
  expect(wantedBy("listLedger", { max_credits: 0.35 })(entryOf(-shown))).toBe(null);
  expect(wantedBy("listLedger", { min_credits: 0.3 })(entryOf(-shown))).toBe(true);
});

test("an event that shows no credential type may have any", () => {
  const wanted = wantedBy("listUsage", { credential_type: "api_key" });
  const types = ["api_key", "jwt", null];
  expect(types.map((type) => wanted(rowOf({ credential_type: type })))).toEqual([true, false, null]);
});

test("an event misses its ledger link only where it has none", () => {
  const wanted = wantedBy("listUsage", { anomaly: "missing_ledger_link" });
  expect([wanted(rowOf({ credits_ledger_entry_id: "entry" })), wanted(rowOf({}))]).toEqual([false, null]);
});

test("which filter selects a row is open where its member is missing or cannot be read", () => {
  const unreadable = { unexpected: true };
  for (const query of [{ success: true }, { kind: "call" }, { charge_outcome: "charged" }])
    for (const row of [{}, { success: unreadable, event_type: unreadable, charge_outcome: 1 }])
      expect(wantedBy("listUsage", query)(rowOf(row))).toBe(null);
  for (const query of [{ direction: "consume" }, { min_credits: 1 }, { scope: "account_history" }])
    for (const row of [{}, { amount_credits: { unexpected: true } }])
      expect(wantedBy("listLedger", query)(rowOf(row))).toBe(null);
});
