import type { Located } from "../../conformance/judge/answer.ts";
import { creditsOf, sumOf } from "../../conformance/judge/credits.ts";
import { settledOf as settledIn, type Row } from "../../conformance/judge/rows.ts";

/** The state of an account's reads at one moment. */
export interface Books {
  /** Null if the server does not report it. */
  credits: number | null;
  /** Usage events of calls, newest first. */
  events: Located[];
  /** All ledger entries, newest first. */
  entries: Located[];
}

/** The filter for the usage events of calls. */
export const calls = { event_type: "tool_execute" };

/** The signed amount of a ledger entry. */
export const amountOf = (entry: Located): number => creditsOf(entry.at("amount_credits").value) ?? NaN;

/** The settled amount of a usage event, under either of its names. */
export const settledOf = (event: Located): number => settledIn(event) ?? 0;

/** The sum of the amounts of some rows. */
export const sum = (rows: readonly Located[], amount: (row: Located) => number): number =>
  sumOf(rows.map(amount));

/** A row as JSON. */
export const rowOf = ({ value }: Located): Row => value as Row;
