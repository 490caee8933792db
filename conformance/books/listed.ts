import { Located } from "../judge/answer.ts";
import { shown } from "../judge/expect.ts";
import { uuid } from "../judge/fields.ts";
import { microsIn, momentOf, stepOf, timestampLike } from "../judge/instant.ts";
import type { Row } from "../judge/rows.ts";
import { memberOf } from "../judge/seen.ts";
import { Blocked, Unverifiable } from "../judge/verdict.ts";
import { texts } from "./unnamed.ts";

/*
 * The rows of the two lists, by their ids and their times.
 */

/** The two lists of an account's rows: its usage events and its ledger entries. */
export type List = "listUsage" | "listLedger";

/** Query parameters; undefined is omitted. */
export type Query = Record<string, string | number | boolean | undefined>;

/** A row that an earlier read showed. @throws Unverifiable where a later one does not, as with a replica that lags */
function present(row: Located | undefined): Located {
  if (row !== undefined) return row;
  throw new Unverifiable("a list no longer shows a row that it has shown", "audit_lag: SECONDS");
}

/** The id of a row as text: the contract gives the ids of ledger entries no type. */
export const idOf = (row: Located | undefined): string => String(present(row).at("id").value);

/** The new rows. */
export function added(after: readonly Located[], before: readonly Located[]): Located[] {
  const known = new Set(before.map(idOf));
  return after.filter((row) => !known.has(idOf(row)));
}

/** The creation time of a row, in microseconds. @throws Blocked when it is missing or unreadable */
export function createdAt(row: Located | undefined): number {
  const { value } = present(row).at("created_at");
  const moment = momentOf(value);
  if (moment !== undefined) return moment;
  throw new Blocked(`created_at ${shown(value)} is not a timestamp`, row!.exchange);
}

/** The resolution of a list's timestamps, in microseconds. */
export const rowStep = (row: Located | undefined): number => stepOf(present(row).at("created_at").value);

/** A timestamp as a query parameter, in the row's own format. */
export const instantLike = (row: Located | undefined, micros: number, offset?: number): string =>
  timestampLike(present(row).at("created_at").value, micros, offset);

/** A time just before a row, however its timestamp is rounded. */
export const justBefore = (row: Located): string => instantLike(row, createdAt(row) - 2 * rowStep(row));

/** The time halfway between two rows. @throws Unverifiable when no timestamp fits between them */
export function between(older: Located, newer: Located): number {
  const [from, to] = [createdAt(older), createdAt(newer)];
  if (to - from < 2 * rowStep(newer)) {
    throw new Unverifiable("the timestamps of two requests leave no instant between them");
  }
  return Math.floor((from + to) / 2);
}

/**
 * An instant between two actions, as a query parameter: after every row of one and before every row of the other,
 * whichever of them dates it.
 * @throws Unverifiable when no timestamp fits between them
 */
export function instantBetween(older: readonly Located[], newer: readonly Located[]): string {
  const byTime = (one: Located, other: Located): number => createdAt(one) - createdAt(other);
  const [last, first] = [older.toSorted(byTime).at(-1)!, newer.toSorted(byTime)[0]!];
  return instantLike(first, between(last, first));
}

/** The day some days after a row's, in UTC. */
export const dayOf = (row: Located, daysLater = 0): string =>
  dayText(createdAt(row) + daysLater * microsIn.day);

export const dayText = (micros: number): string => new Date(micros / 1000).toISOString().slice(0, 10);

/** Days that certainly contain every row of a list, newest first. @throws Unverifiable when it has none */
export function daysOfAll(rows: readonly Located[]): { start_date: string; end_date: string } {
  const [newest, oldest] = [rows[0], rows.at(-1)];
  if (!newest || !oldest) throw new Unverifiable("the account has no rows");
  return { start_date: dayOf(oldest, -1), end_date: dayOf(newest, 2) };
}

/** Days that certainly contain a row, whatever time zone the server counts days in. */
export const daysAround = (row: Located): Query => ({ start_date: dayOf(row, -1), end_date: dayOf(row, 2) });

/** Ids that could also be an amount or a count. */
export const isPlainNumber = (id: string): boolean => /^\d{1,6}$/.test(id);

/** A text as ids are compared: a UUID is the same in either case. */
export const comparable = (text: string): string => text.replace(uuid, (id) => id.toLowerCase());

/**
 * Matches rows to known rows, by what names one best: their `id`, else a text that is the id of a known row, else the
 * `execution_id` of only one of them, since `session_id` and `execution_id` may have any text, that of an id included.
 * Any other row is represented by its text.
 */
export function idsIn(rows: readonly unknown[], known: readonly (Located | Row)[]): string[] {
  const { ids, executions } = namesOf(known.map((row) => (row instanceof Located ? row.value : row) as Row));
  return rows.map((row) => {
    const value = row instanceof Located ? row.value : row;
    const held = texts(value);
    const own = String(memberOf(value, "id"));
    const [named] = [
      ...[own, ...held].flatMap((text) => ids.get(comparable(text)) ?? []),
      ...held.flatMap((text) => executions.get(text) ?? []),
    ];
    return named ?? held.join(" | ").slice(0, 200);
  });
}

/** The ids of rows by what is compared: by their id unless it is a plain number, and by an execution that they alone name. */
function namesOf(rows: readonly Row[]): Record<"ids" | "executions", Map<string, string>> {
  const ids = new Map<string, string>();
  const executions = new Map<string, string>();
  const shared = new Set<string>();
  for (const { id, execution_id: execution } of rows) {
    if (!isPlainNumber(String(id))) ids.set(comparable(String(id)), String(id));
    if (execution === undefined || execution === null) continue;
    if (executions.has(String(execution))) shared.add(String(execution));
    executions.set(String(execution), String(id));
  }
  for (const execution of shared) executions.delete(execution);
  return { ids, executions };
}
