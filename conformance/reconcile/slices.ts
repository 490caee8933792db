import { usable, type Account, type Query } from "../server/account.ts";
import type { List } from "../server/lists.ts";

/** A window of time, in epoch milliseconds; whether its ends belong to it is the server's choice. */
export interface Window {
  start: number;
  end: number;
}

/** A window with the number of rows that each list counts in it. */
export interface Slice extends Window {
  events: number;
  entries: number;
}

/** Times at which a window is divided, away from the middle by some milliseconds: rows may lie at one of them. */
const beside = [0, 1, -3, 7, -17, 41];

/** A window as a query. */
export const queryOf = ({ start, end }: Window): Query => ({
  start_date: new Date(start).toISOString(),
  end_date: new Date(end).toISOString(),
});

async function counted(account: Account, list: List, window: Window): Promise<number> {
  const query = { ...queryOf(window), page_size: 1 };
  return Number(usable(await account.ask(list, { query })).at("data.total").value);
}

/** A window with its rows counted. */
export async function sliceOf(account: Account, { start, end }: Window): Promise<Slice> {
  const [events, entries] = await Promise.all([
    counted(account, "listUsage", { start, end }),
    counted(account, "listLedger", { start, end }),
  ]);
  return { start, end, events, entries };
}

/**
 * Divides a window until no part has more rows of a list than `most`, from the oldest to the newest part. A window is
 * divided only where its parts count what it counts, so that no row is at the time between them.
 * @param open the windows that are left, the oldest last; it is kept up to date
 */
export async function* slicesOf(account: Account, open: Slice[], most: number): AsyncGenerator<Slice> {
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const halves = Math.max(next.events, next.entries) <= most ? null : await halvesOf(account, next);
    if (halves === null) yield next;
    else open.push(...halves.toReversed());
  }
}

/** Two parts of a window that together count its rows; null if it cannot be divided. */
async function halvesOf(account: Account, whole: Slice): Promise<[Slice, Slice] | null> {
  for (const by of beside) {
    const middle = Math.floor((whole.start + whole.end) / 2) + by;
    if (middle <= whole.start || middle >= whole.end) continue;
    const [before, after] = await Promise.all([
      sliceOf(account, { start: whole.start, end: middle }),
      sliceOf(account, { start: middle, end: whole.end }),
    ]);
    const adds = (list: "events" | "entries"): boolean => before[list] + after[list] === whole[list];
    if (adds("events") && adds("entries")) return [before, after];
  }
  return null;
}
