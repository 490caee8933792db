import { isSettled, type Account } from "../../server/account.ts";
import { until } from "../../server/session.ts";
import { Located } from "../../judge/answer.ts";
import { creditsOf, sumOf } from "../../judge/credits.ts";
import { condition, expectedWords, receivedWords } from "../../judge/fact.ts";
import { amountOf, grantedBy } from "../../judge/rows.ts";
import { Blocked, Unmet } from "../../judge/verdict.ts";
import { added } from "../../books/listed.ts";
import { chargeFault, isEntryDue, missingEntry, movedIn, moves, settledIn } from "../../books/writes.ts";
import { newestEntries, readPlans, requireNoPlanUsed } from "../balance.ts";

/** More usage events than any check creates. */
const maxEvents = 200;

/** The effects of an action on an account's books. */
export interface Traces {
  /** New usage events of Calls, newest first. */
  events: Located[];
  /** New ledger entries that consume, newest first. */
  entries: Located[];
  /** How many credits the account was granted meanwhile. */
  granted: number;
  /** How many credits the balance has fallen by, not counting those. */
  fall: number;
  /** The balance afterwards. */
  balance: number;
}

/**
 * Performs an action with an account and returns the new rows, once everything has settled.
 * @throws Blocked when a new entry shows no amount; Unverifiable where credits of a plan may account for a fall
 */
export async function tracesOf(account: Account, act: () => Promise<void>): Promise<Traces> {
  await account.settled();
  const before = { events: await callEvents(account), entries: await newestEntries(account) };
  const plans = await readPlans(account);
  const credits = await account.credits();
  await act();
  await account.settled();
  const balance = await account.credits();
  const events = await until(
    account.lagMs,
    async () => added(await callEvents(account), before.events),
    (all) => all.every(isSettled),
  );
  const entries = added(await newestEntries(account), before.entries);
  const unreadable = entries.find((entry) => amountOf(entry) === undefined);
  if (unreadable !== undefined) throw new Blocked("an entry shows no amount", unreadable.exchange);
  const consuming = entries.filter((entry) => (amountOf(entry) ?? 0) < 0);
  const granted = grantedBy(entries);
  const fall = sumOf([credits, -balance, granted]);
  const missing = sumOf([fall, ...consuming.map((entry) => amountOf(entry)!)]);
  if (plans.size > 0 && missing > 0) requireNoPlanUsed(missing, plans, await readPlans(account));
  return {
    events,
    entries: consuming,
    granted,
    fall,
    balance,
  };
}

const callEvents = (account: Account): Promise<Located[]> =>
  account.events({ event_type: "tool_execute", page_size: maxEvents, include_details: true });

/**
 * The ledger entry that an event links to, its id as text, since the contract gives it no type; null without one.
 * @throws Blocked where the link is not an id
 */
export function linkOf(event: Located): Located {
  const { value = null, path, exchange } = event.at("credits_ledger_entry_id");
  if (typeof value === "object" && value !== null)
    throw new Blocked(`${path} should be an id to go on`, exchange);
  return new Located(value === null ? null : String(value), path, exchange);
}

/**
 * Expects the event of a Call and its ledger entries to agree on its execution, its amount and the link.
 * @param entries those that name the execution of the event, or that it links to
 */
export function expectAgreement(event: Located, entries: readonly Located[]): void {
  const settled = settledIn(event.fields, Date.now());
  const moved = entries
    .map(({ fields }) => fields)
    .filter(moves)
    .map(movedIn);
  const fault = isEntryDue(settled, moved) ? missingEntry(settled) : chargeFault(settled, moved);
  if (fault !== null)
    throw new Unmet(
      condition(`${expectedWords(fault.fact)} for ${settled.execution}`, receivedWords(fault.fact)),
      event.exchange,
    );
}

/** The settled amount of a usage event, under either of its names. */
export const settledOf = (event: Located): Located =>
  amountAt(event, "settled_amount_credits", "actual_amount_credits");

/** The amount before settlement, under either of its names. */
export const requestedOf = (event: Located): Located =>
  amountAt(event, "requested_amount_credits", "pre_settlement_amount_credits");

/** The first of two amounts that is present, with a decimal string converted to a number. */
function amountAt(event: Located, name: string, otherName: string): Located {
  const amount = event.at(name).present ? event.at(name) : event.at(otherName);
  return new Located(creditsOf(amount.value) ?? amount.value, amount.path, amount.exchange);
}
