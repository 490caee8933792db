import { expect, it } from "vitest";
import { contradictions, type AccountReading } from "./account-reading.fixture.ts";

/** An account with a grant of 10 credits and one call charged at 2. */
function reading(): AccountReading {
  const event = {
    id: "event",
    event_type: "tool_execute",
    session_id: "s",
    execution_id: "exec",
    success: true,
    charge_outcome: "charged",
    reason_code: "result.valid",
    pre_settlement_amount_credits: 2,
    settled_amount_credits: 2,
    credits_ledger_entry_id: "entry",
  };
  const entry = (id: string, amount: number, before: number) => ({
    id,
    entry_type: amount > 0 ? "grant_payment_recharge" : "consume_tool_execute",
    amount_credits: amount,
    execution_id: amount > 0 ? null : "exec",
    balance_before: { total_available_credits: before },
    balance_after: { total_available_credits: before + amount },
  });
  return {
    remaining: 8,
    events: [event],
    entries: [entry("entry", -2, 10), entry("grant", 10, 0)],
    usageSummary: {
      total_count: 1,
      success_count: 1,
      failure_count: 0,
      charge_outcome_counts: { charged: 1, included: 0, failed_not_charged: 0, failed_charged_review: 0 },
      pre_settlement_credits: 2,
      settled_credits: 2,
      buckets: [{ total_count: 1, settled_credits: 2 }],
    },
    ledgerSummary: {
      total_entries: 2,
      consume_count: 1,
      net_amount_credits: 8,
      buckets: [{ net_amount_credits: 8 }],
    },
    creditsSpent: 2,
    usageCsv: [{ id: "event" }],
    ledgerCsv: [{ id: "entry" }, { id: "grant" }],
  } as unknown as AccountReading;
}

it("finds nothing wrong with a correct account", () => {
  expect(contradictions(reading())).toEqual([]);
});

it.each<[string, (account: AccountReading) => void, RegExp]>([
  ["an event that is lost", (account) => void account.events.pop(), /0 charged events, 1 entries/],
  ["an entry that is lost", (account) => void account.entries.shift(), /without an entry/],
  [
    "a gap in the chain",
    ({ entries }) => (entries[0]!.balance_before = { total_available_credits: 9 }),
    /the one before/,
  ],
  ["credits that stay held", (account) => (account.remaining = 7), /something is held/],
  [
    "a second charge",
    ({ entries }) => void entries.unshift({ ...entries[0]!, id: "again" }),
    /executions of entries/,
  ],
  ["a summary that lags", ({ usageSummary }) => (usageSummary.total_count = 0), /total_count: 0, but 1/],
  ["a CSV that differs", ({ usageCsv }) => (usageCsv[0]!.id = "other"), /CSV says id is other/],
  ["another amount", ({ entries }) => (entries[0]!.amount_credits = -3), /says otherwise/],
])("reports %s", (_, spoil, sentence) => {
  const account = reading();
  spoil(account);
  expect(contradictions(account).join("\n")).toMatch(sentence);
});
