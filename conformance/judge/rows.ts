import { isFields, type Seen } from "./seen.ts";

type Row = Record<string, unknown>;

function rowsOf(seen: Seen, one: string, list: string): Row[] {
  if (seen.status !== 200 || !isFields(seen.body) || !isFields(seen.body["data"])) return [];
  const { data } = seen.body;
  if (seen.operation === one) return [data];
  return seen.operation === list && Array.isArray(data["items"]) ? data["items"].filter(isFields) : [];
}

/** The usage events that an answer shows. */
export const usageEventsOf = (seen: Seen): Row[] => rowsOf(seen, "getUsageEvent", "listUsage");

/** The ledger entries that an answer shows. */
export const ledgerEntriesOf = (seen: Seen): Row[] => rowsOf(seen, "getLedgerEntry", "listLedger");

/** The first number among some fields of a row. */
export const numberOf = (row: Row, ...names: string[]): number | undefined =>
  names.map((name) => row[name]).find((value) => typeof value === "number");

/** What an event finally cost, under either of its names. */
export const settledOf = (event: Row): number | undefined =>
  numberOf(event, "settled_amount_credits", "actual_amount_credits");
