import type { EntryType } from "../../generated/contract.ts";
import { Located } from "./answer.ts";
import { creditsOf, sumOf } from "./credits.ts";
import { type Judgement, holds } from "./rule.ts";
import { isFields, memberOf, type Seen } from "./seen.ts";

/** A usage event or a ledger entry, as JSON. */
export type Row = Record<string, unknown>;

/** The data of a list that was answered with 200; null for any other exchange. */
export function listData(seen: Seen, list: "listUsage" | "listLedger"): (Row & { items: unknown[] }) | null {
  const data = seen.operation === list && seen.status === 200 ? memberOf(seen.body, "data") : null;
  return isFields(data) && Array.isArray(data["items"]) ? (data as Row & { items: unknown[] }) : null;
}

/** The rows of each answer: many rules look at them. */
const rowsSeen = new WeakMap<Seen, Row[]>();

function rowsOf(
  seen: Seen,
  operation: "getUsageEvent" | "getLedgerEntry",
  list: "listUsage" | "listLedger",
): Row[] {
  if (seen.status !== 200 || (seen.operation !== operation && seen.operation !== list)) return [];
  let rows = rowsSeen.get(seen);
  if (rows === undefined) {
    const data = memberOf(seen.body, "data");
    rows = (seen.operation === operation ? [data] : (listData(seen, list)?.items ?? [])).filter(isFields);
    rowsSeen.set(seen, rows);
  }
  return rows;
}

/** The usage events in an answer. */
export const usageEventsOf = (seen: Seen): Row[] => rowsOf(seen, "getUsageEvent", "listUsage");

/** The ledger entries in an answer. */
export const ledgerEntriesOf = (seen: Seen): Row[] => rowsOf(seen, "getLedgerEntry", "listLedger");

/** Judges each of an answer's rows to which something applies; reports the first that breaks it. */
export const eachOf =
  (rowsIn: (seen: Seen) => Row[]) =>
  (seen: Seen, known: (row: Row) => boolean, kept: (row: Row) => boolean, expected: string): Judgement => {
    let judged: Judgement = null;
    for (const row of rowsIn(seen)) {
      if (!known(row)) continue;
      if (!kept(row)) return holds(false, expected, row);
      judged = true;
    }
    return judged;
  };

/** The amount under the first of several names that holds one; undefined when none does. */
export function creditsAt(row: unknown, ...names: string[]): number | undefined {
  const fields = row instanceof Located ? row.value : row;
  for (const name of names) {
    const amount = creditsOf(memberOf(fields, name));
    if (amount !== undefined) return amount;
  }
  return undefined;
}

/** The final cost of an event, under either of its names. */
export const settledOf = (event: Row | Located): number | undefined =>
  creditsAt(event, "settled_amount_credits", "actual_amount_credits");

/** The final cost of an event; zero when it does not say. */
export const costOf = (event: Row | Located): number => settledOf(event) ?? 0;

/** The cost of an event before settlement, under either of its names. */
export const requestedOf = (event: Row | Located): number | undefined =>
  creditsAt(event, "requested_amount_credits", "pre_settlement_amount_credits");

/** The signed amount of a ledger entry. */
export const amountOf = (entry: Row | Located): number | undefined => creditsAt(entry, "amount_credits");

/** Rewards. The contract does not say when they are granted. A recharge is a payment, and no check pays. */
const rewards: readonly unknown[] = ["grant_welcome_bonus", "grant_invitation_reward"] satisfies EntryType[];

/** The credits that ledger entries grant as rewards. */
export const grantedBy = (entries: readonly Located[]): number =>
  sumOf(
    entries
      .filter((entry) => rewards.includes(entry.at("entry_type").value))
      .map((entry) => amountOf(entry) ?? 0),
  );

/** The total of one of an entry's two balances. */
export const balanceOf = (entry: Row | Located, side: "before" | "after"): number | undefined =>
  creditsAt(
    memberOf(entry instanceof Located ? entry.value : entry, `balance_${side}`),
    "total_available_credits",
  );
