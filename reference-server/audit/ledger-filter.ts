import type { Knex } from "knex";
import {
  directions,
  ledgerScopeEntryTypes,
  type Direction,
  type EntryType,
  type LedgerScope,
} from "../../generated/contract.ts";
import { readAmountRange, type AmountRange } from "./amount-range.ts";
import { choices, InvalidQuery } from "./invalid-query.ts";
import { readWindow, type Window } from "./window.ts";

/** The filters of the credits ledger, by the names in the contract's table. */
export interface LedgerQuery {
  start_date?: string;
  end_date?: string;
  entry_type?: EntryType;
  scope?: LedgerScope;
  direction?: string;
  min_credits?: number;
  max_credits?: number;
}

const signs: Readonly<Record<Direction, -1 | 0 | 1>> = { consume: -1, grant: 1, any: 0 };

/** The parsed filter of a ledger query. */
export interface LedgerFilter {
  entryType: EntryType | null;
  /** The types in the scope; null for every type. */
  types: readonly EntryType[] | null;
  /** -1 for negative movements, 1 for positive ones, 0 for both. */
  sign: -1 | 0 | 1;
  /** Bounds on the absolute amount. */
  amounts: AmountRange;
  window: Window;
}

function readDirection(value = "any"): -1 | 0 | 1 {
  if (Object.hasOwn(signs, value)) return signs[value as Direction];
  throw new InvalidQuery(
    "direction",
    `Invalid direction: ${JSON.stringify(value.slice(0, 64))}. Use ${choices(directions)}.`,
  );
}

/**
 * Parses the filter of a ledger query.
 * @throws InvalidQuery for a date, a direction or an amount range that the contract refuses
 */
export const readLedgerFilter = (query: LedgerQuery): LedgerFilter => ({
  window: readWindow(query),
  sign: readDirection(query.direction),
  amounts: readAmountRange(query),
  entryType: query.entry_type ?? null,
  types: query.scope ? ledgerScopeEntryTypes[query.scope] : null,
});

/**
 * Applies the filter, except its window, to a query on `ledger_entries`. The conditions are written so that SQLite
 * walks the index in time order instead of sorting the result of another index.
 */
export function whereLedger(rows: Knex.QueryBuilder, filter: LedgerFilter): Knex.QueryBuilder {
  const { entryType, types, sign, amounts } = filter;
  if (entryType) rows.where("entry_type", entryType);
  if (types) rows.whereRaw(`(entry_type || '') IN (${types.map(() => "?").join(", ")})`, [...types]);
  if (sign < 0) rows.where("amount", "<", 0);
  if (sign > 0) rows.where("amount", ">", 0);
  const { min, max } = amounts;
  if (min !== null) rows.where((either) => either.where("amount", ">=", min).orWhere("amount", "<=", -min));
  if (max !== null) rows.whereBetween("amount", [-max, max]);
  return rows;
}

/** Whether the filter selects every entry of its window. */
export const selectsAll = (filter: LedgerFilter): boolean =>
  rollupsCover(filter) && filter.entryType === null && filter.types === null && filter.sign === 0;

/** Whether `ledger_rollups` distinguish everything that the filter selects by; a type has one sign. */
export const rollupsCover = ({ amounts }: LedgerFilter): boolean =>
  amounts.min === null && amounts.max === null;

/**
 * Applies the filter to a query on `ledger_rollups`, as `whereLedger` does for entries; only for a filter that they
 * cover.
 */
export function whereRollups(rollups: Knex.QueryBuilder, filter: LedgerFilter): Knex.QueryBuilder {
  const { entryType, types, sign } = filter;
  if (entryType) rollups.where("entry_type", entryType);
  if (types) rollups.whereIn("entry_type", [...types]);
  if (sign < 0) rollups.where("entry_type", "not like", "grant%");
  if (sign > 0) rollups.where("entry_type", "like", "grant%");
  return rollups;
}
