import type { Located } from "../../conformance/judge/answer.ts";
import { creditsOf, sumOf } from "../../conformance/judge/credits.ts";
import { settledOf as settledIn } from "../../conformance/judge/rows.ts";

export const calls = { event_type: "tool_execute" };

export const amountOf = (entry: Located): number => creditsOf(entry.at("amount_credits").value) ?? NaN;

/** The settled amount of a usage event, under either of its names. */
export const settledOf = (event: Located): number => settledIn(event) ?? 0;

export const sum = (rows: readonly Located[], amount: (row: Located) => number): number =>
  sumOf(rows.map(amount));
