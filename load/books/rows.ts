import type { Located } from "../../conformance/judge/answer.ts";

/** The filter of the usage events that calls leave. */
export const calls = { event_type: "tool_execute" };

/** Sums of decimals may differ by this much. */
const tolerance = 1e-6;
export const near = (one: number, other: number): boolean => Math.abs(one - other) <= tolerance;

/** What a ledger entry moves. */
export const amountOf = (entry: Located): number => Number(entry.at("amount_credits").value);

/** What a usage event settles, under either of its names. */
export const settledOf = (event: Located): number =>
  Number(event.at("settled_amount_credits").value ?? event.at("actual_amount_credits").value ?? 0);
