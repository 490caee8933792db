import type { Micro } from "../billing/money.ts";
import { InvalidQuery } from "./invalid-query.ts";

/** Bounds on an amount, both inclusive; null where there is none. */
export interface AmountRange {
  min: Micro | null;
  max: Micro | null;
}

/**
 * Micro-credits of a bound. One with more than six decimals is rounded inwards, so that it selects the same amounts;
 * one beyond the exact range lies beyond every amount.
 */
function bound(credits: number, inwards: (amount: number) => number): Micro {
  const exact = credits * 1_000_000;
  const nearest = Math.round(exact);
  const amount = Math.abs(exact - nearest) <= 1e-9 * Math.max(1, nearest) ? nearest : inwards(exact);
  return Math.min(amount, Number.MAX_SAFE_INTEGER);
}

/**
 * Reads `min_credits` and `max_credits` from a query.
 * @throws InvalidQuery if one is negative, or the minimum exceeds the maximum
 */
export function readAmountRange(query: { min_credits?: number; max_credits?: number }): AmountRange {
  const { min_credits: min, max_credits: max } = query;
  for (const [parameter, value] of Object.entries({ min_credits: min, max_credits: max })) {
    if (value !== undefined && value < 0) {
      throw new InvalidQuery(
        parameter,
        `Invalid ${parameter}: ${value}. Use a number of credits of at least 0.`,
      );
    }
  }
  if (min !== undefined && max !== undefined && min > max) {
    throw new InvalidQuery(
      "min_credits",
      `min_credits (${min}) is greater than max_credits (${max}). Use a min_credits of at most max_credits.`,
    );
  }
  return {
    min: min === undefined ? null : bound(min, Math.ceil),
    max: max === undefined ? null : bound(max, Math.floor),
  };
}
