import type { Located } from "../../conformance/judge/answer.ts";
import { creditsOf, sumOf } from "../../conformance/judge/credits.ts";
import { settledOf as settledIn } from "../../conformance/judge/rows.ts";

/** The filter of the usage events that calls leave. */
export const calls = { event_type: "tool_execute" };

/** What a ledger entry moves. */
export const amountOf = (entry: Located): number => creditsOf(entry.at("amount_credits").value) ?? NaN;

/** What a usage event settles, under either of its names. */
export const settledOf = (event: Located): number => settledIn(event) ?? 0;

/** The sum of what rows amount to. */
export const sum = (rows: readonly Located[], amount: (row: Located) => number): number =>
  sumOf(rows.map(amount));
