import { usable, type Account, type Query } from "../server/account.ts";
import type { List } from "../books/listed.ts";

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

/** Offsets from even parts at which a window is divided, in milliseconds: rows may be at one of these times. */
const offsets = [0, 1, -3, 7, -17, 41];

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

/** The most parts into which a window is divided in one step. */
const maxParts = 16;

/**
 * The oldest slice that is left, with at most `maxRows` rows of a list; undefined when none is left. A longer one is
 * divided, and only where its parts together count as many rows, so that no row is at the time between them.
 * @param open the windows that are left, the oldest last: its last becomes the slice, which the caller takes off
 */
export async function oldestOf(account: Account, open: Slice[], maxRows: number): Promise<Slice | undefined> {
  for (;;) {
    const oldest = open.at(-1);
    const rows = oldest === undefined ? 0 : Math.max(oldest.events, oldest.entries);
    if (oldest === undefined || rows <= maxRows) return oldest;
    // A tenth more, since rows are not spread evenly.
    const parts = await partsOf(account, oldest, Math.min(maxParts, Math.ceil((1.1 * rows) / maxRows)));
    if (parts === null) return oldest;
    open.splice(-1, 1, ...parts.toReversed());
  }
}

/** Parts of a window, as many as wanted or else two, that together count its rows; null if it cannot be divided. */
async function partsOf(account: Account, whole: Slice, wanted: number): Promise<Slice[] | null> {
  for (const [attempt, by] of offsets.entries()) {
    const number = attempt === 0 ? wanted : 2;
    const timeAt = (part: number): number =>
      Math.floor(whole.start + ((whole.end - whole.start) * part) / number) + (part % number && by);
    const parts = Array.from({ length: number }, (_, at) => ({ start: timeAt(at), end: timeAt(at + 1) }));
    if (parts.some(({ start, end }) => start >= end)) continue;
    const slices = await Promise.all(parts.map((part) => sliceOf(account, part)));
    const adds = (list: "events" | "entries"): boolean =>
      slices.reduce((sum, slice) => sum + slice[list], 0) === whole[list];
    if (adds("events") && adds("entries")) return slices;
  }
  return null;
}
