import { usable, type Account } from "../server/account.ts";
import type { Answer, Located } from "../judge/answer.ts";
import { createdAt, dayOf, type List } from "../books/listed.ts";
import { pause } from "../server/session.ts";
import type { Held } from "./state.ts";
import { sliceOf, type Window } from "./slices.ts";

/** What decides which rows are reconciled. */
interface Wanted {
  from?: number | undefined;
  to?: number | undefined;
  /** How old a row is before its absence elsewhere counts. */
  settlesMs: number;
  /** How far the server's clock is ahead of this machine's. */
  aheadMs: number;
  signal?: AbortSignal | undefined;
  onProgress?: ((text: string) => void) | undefined;
}

/** The longest single pause, after which an interrupt is noticed. */
const maxPauseMs = 500;
/** Rows may be dated this far ahead of the server's clock. */
const dayMs = 86_400_000;

/** How far a server's clock is ahead of this machine's, by the `Date` of an answer, in whole seconds. */
export function aheadOf({ headers, exchange }: Answer): number {
  const date = Date.parse(headers["date"] ?? "");
  const apart = date - (exchange.started_at + exchange.duration_ms);
  // A difference of a second or two may be the header's resolution.
  return Number.isNaN(date) || Math.abs(apart) < 2_000 ? 0 : apart;
}

/**
 * The window that is asked for, else from the account's first row until its newest rows are final, for which it waits;
 * null for an account without rows.
 */
export async function windowOf(account: Account, wanted: Wanted): Promise<Window | null> {
  const { from, to, settlesMs, aheadMs } = wanted;
  const first = from ?? (await startOf(account));
  if (first === null) return null;
  if (to !== undefined) return { start: first, end: to };
  await untilFinal(account, wanted);
  return { start: first, end: Date.now() + aheadMs - settlesMs };
}

/** Rows that are too new to be compared, as they are reported; null if there are none. */
export async function tooNew(account: Account, { end }: Window, settlesMs: number): Promise<Held | null> {
  const { events, entries } = await sliceOf(account, { start: end + 1, end: Date.now() + dayMs });
  if (events + entries === 0) return null;
  const seconds = Math.ceil(settlesMs / 1_000);
  const why = `${events} events and ${entries} ledger entries are younger than ${seconds} s`;
  return { what: "newest rows", rows: 0, why };
}

/** Waits until the rows that are the newest now are final. */
async function untilFinal(
  account: Account,
  { settlesMs, aheadMs, signal, onProgress }: Wanted,
): Promise<void> {
  const newest = [await rowAt(account, "listUsage", 1), await rowAt(account, "listLedger", 1)].flatMap(
    (row) => (row === undefined ? [] : [createdAt(row) / 1_000]),
  );
  // A row that is dated ahead of the server's clock is as new as one of now.
  const now = Date.now();
  const until = Math.min(now, Math.max(...newest) - aheadMs) + settlesMs + 1;
  if (until <= now) return;
  onProgress?.(`waiting ${Math.ceil((until - now) / 1_000)} s until the newest rows are final`);
  while (Date.now() < until && signal?.aborted !== true)
    await pause(Math.min(maxPauseMs, until - Date.now()));
}

/** The beginning of an account's rows; null where there are none. */
async function startOf(account: Account): Promise<number | null> {
  const first = [await oldest(account, "listUsage"), await oldest(account, "listLedger")];
  // A day before, since a timestamp may name no zone.
  const starts = first.flatMap((row) => (row === undefined ? [] : [Date.parse(dayOf(row, -1))]));
  return starts.length === 0 ? null : Math.min(...starts);
}

/** The last row that the pages of a list show, whatever its total says. */
async function oldest(account: Account, list: List): Promise<Located | undefined> {
  const total = Number(usable(await account.ask(list, { query: { page_size: 1 } })).at("data.total").value);
  let [last, beyond] = [1, Math.max(1, total || 1) + 1];
  let row = await rowAt(account, list, beyond - 1);
  if (row !== undefined) last = beyond - 1;
  else beyond -= 1;
  for (let next = await rowAt(account, list, beyond); next !== undefined;) {
    row = next;
    last = beyond;
    beyond *= 2;
    next = await rowAt(account, list, beyond);
  }
  while (beyond - last > 1) {
    const middle = Math.floor((last + beyond) / 2);
    const found = await rowAt(account, list, middle);
    if (found === undefined) beyond = middle;
    else {
      row = found;
      last = middle;
    }
  }
  return row ?? rowAt(account, list, 1);
}

/** The row at a place of a list, newest first from 1. */
async function rowAt(account: Account, list: List, page: number): Promise<Located | undefined> {
  const answer = await account.ask(list, { query: { page_size: 1, page } });
  // Beyond the last page a server may refuse, but not on the first.
  if (page > 1 && answer.status !== 200) return undefined;
  return usable(answer).at("data.items").items.at(-1);
}
