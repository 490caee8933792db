import { usable, type Account } from "../../subject/account.ts";
import type { Located } from "../../judge/answer.ts";

/** More rows than one check leaves. */
const rows = 200;

/** What something that an account did has left in its books. */
export interface Traces {
  /** New usage events of Calls, newest first. */
  events: Located[];
  /** New ledger entries that consume, newest first. */
  entries: Located[];
  /** By how many credits the balance has fallen. */
  fall: number;
  /** The balance after it. */
  balance: number;
}

/** Does something with an account, and answers the new rows that it left, once everything has settled. */
export async function tracesOf(account: Account, act: () => Promise<void>): Promise<Traces> {
  await account.settled();
  const before = { events: await callEvents(account), entries: await consuming(account) };
  const credits = await account.credits();
  await act();
  await account.settled();
  const added = (after: Located[], known: Located[]): Located[] => {
    const ids = new Set(known.map((row) => row.at("id").value));
    return after.filter((row) => !ids.has(row.at("id").value));
  };
  const balance = await account.credits();
  return {
    events: added(await callEvents(account), before.events),
    entries: added(await consuming(account), before.entries),
    fall: credits - balance,
    balance,
  };
}

async function callEvents(account: Account): Promise<Located[]> {
  const query = { event_type: "tool_execute", page_size: rows, include_details: true };
  return usable(await account.usage(query)).at("data.items").items;
}

async function consuming(account: Account): Promise<Located[]> {
  const { items } = usable(await account.ledger({ page_size: rows })).at("data.items");
  return items.filter((entry) => Number(entry.at("amount_credits").value) < 0);
}

/** The settled amount of a usage event, under the one or the other of its names. */
export function settledOf(event: Located): Located {
  const settled = event.at("settled_amount_credits");
  return settled.present ? settled : event.at("actual_amount_credits");
}

/** The amount before settlement, under the one or the other of its names. */
export function requestedOf(event: Located): Located {
  const requested = event.at("requested_amount_credits");
  return requested.present ? requested : event.at("pre_settlement_amount_credits");
}

export const sum = (amounts: readonly number[]): number => amounts.reduce((total, one) => total + one, 0);
