import type { Expect } from "../judge/expect.ts";
import { instantOf } from "../judge/instant.ts";
import { Blocked, Unverifiable } from "../judge/verdict.ts";
import type { Account, Query } from "./account.ts";
import type { Answer, Located } from "../judge/answer.ts";
import { createdAt, expectSelection, fromDay, selections, untilDay, type Wanted } from "./history.ts";

/** The preset groups of `scope`, and the entry types in them. */
export const scopes: Readonly<Record<string, readonly string[]>> = {
  account_history: [
    "grant_payment_recharge",
    "consume_tool_search",
    "consume_tool_execute",
    "consume_model_call",
  ],
};

export const typeOf = (entry: Located): unknown => entry.at("entry_type").value;
export const amountOf = (entry: Located): number => entry.at("amount_credits").number;

const isDay = (value: string): boolean => /^\d{4}-\d{2}-\d{2}$/.test(value);

/** What each filter of the ledger asks of an entry. */
const conditions: Readonly<Record<string, (value: string) => Wanted>> = {
  entry_type: (type) => (entry) => typeOf(entry) === type,
  scope: (name) => (entry) => scopes[name]!.includes(String(typeOf(entry))),
  direction: (name) => (entry) =>
    name === "any" || (name === "consume" ? amountOf(entry) < 0 : amountOf(entry) > 0),
  min_credits: (least) => (entry) => Math.abs(amountOf(entry)) > Number(least) - 1e-9,
  max_credits: (most) => (entry) => Math.abs(amountOf(entry)) < Number(most) + 1e-9,
  start_date: (bound) => (isDay(bound) ? fromDay(bound) : (entry) => createdAt(entry) >= instantOf(bound)),
  end_date: (bound) => (isDay(bound) ? untilDay(bound) : (entry) => createdAt(entry) <= instantOf(bound)),
};

/** What a query of the ledger asks of an entry: all of its filters; other parameters ask nothing. */
export function selectsEntry(query: Query): Wanted {
  const asked = Object.entries(query).flatMap(([name, value]) =>
    value !== undefined && conditions[name] ? [conditions[name](String(value))] : [],
  );
  return (entry) => {
    const answers = asked.map((wanted) => wanted(entry));
    return answers.includes(false) ? false : answers.includes(null) ? null : true;
  };
}

/**
 * Expects each query to select exactly the account's entries that satisfy it.
 * @throws Unverifiable when the account has no entry that some query keeps, or none that some query leaves out: then
 * nothing was shown
 */
export async function expectLedgerSelections(
  account: Account,
  expect: Expect,
  queries: readonly Query[],
): Promise<void> {
  const { all, selected } = await selections(account, "listLedger", queries);
  for (const [index, query] of queries.entries()) {
    const wanted = selectsEntry(query);
    const filter = Object.entries(query)
      .map(([name, value]) => `${name}=${String(value)}`)
      .join("&");
    expectSelection(expect, filter, { all, selected: selected[index]!, wanted });
  }
  const verdicts = queries.flatMap((query) => all.map(selectsEntry(query)));
  if (!verdicts.includes(true)) throw new Unverifiable("the account has no entry that the filter selects");
  if (!verdicts.includes(false))
    throw new Unverifiable("the account has no entry that the filter leaves out");
}

/** The ledger entry of a charged call. @throws Blocked when it does not appear within `audit_lag` */
export async function entryOf(account: Account, call: Answer): Promise<Located> {
  const [entry] = await account.ledgerOf(call);
  if (entry) return entry;
  throw new Blocked("the charged call left no ledger entry, on which this builds", call.exchange);
}
