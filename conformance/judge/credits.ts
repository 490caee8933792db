/** Amounts that differ by less are equal: JSON numbers are decimal, floating-point numbers are not. */
const apart = 1e-6;

/** Whether two amounts of credits are equal. */
export const sameCredits = (one: number, other: number): boolean => Math.abs(one - other) < apart;

/** Whether one amount of credits is at most another. */
export const atMostCredits = (amount: number, most: number): boolean => amount < most + apart;

/** What is left where decimals that cancel each other are subtracted as floating-point numbers. */
export const noise = 1e-9;

/**
 * An amount of credits: a number, or one in a string, also with the exponent of a decimal type such as 0E-7, since the
 * contract gives the amounts of events and entries no type. Noise is zero. Undefined for anything else.
 */
export function creditsOf(value: unknown): number | undefined {
  const isDecimal = typeof value === "string" && /^[+-]?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(value);
  if (typeof value !== "number" && !isDecimal) return undefined;
  const amount = Number(value);
  return Math.abs(amount) < noise ? 0 : amount;
}

/** A JSON value whose numbers have no noise: what is added in another order has another. */
export const withoutNoise = (value: unknown): unknown =>
  value === undefined
    ? undefined
    : JSON.parse(JSON.stringify(value), (_, part: unknown) =>
        typeof part === "number" ? Number(part.toFixed(9)) : part,
      );

/** The exact decimal sum of amounts. */
export const sumOf = (amounts: readonly number[]): number =>
  Math.round(amounts.reduce((sum, amount) => sum + amount, 0) * 1e9) / 1e9;
