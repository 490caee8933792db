/** An amount of credits as an integer number of millionths; exact up to 9 thousand million credits. */
export type Micro = number;

const perCredit = 1_000_000;

/**
 * Credits as people and the contract write them, to micro-credits.
 * @throws RangeError when the amount has more than six decimals or is too large to be exact.
 */
export function micro(credits: number): Micro {
  const amount = Math.round(credits * perCredit);
  if (!Number.isSafeInteger(amount))
    throw new RangeError(`${credits} credits is beyond what can be kept exactly`);
  if (Math.abs(amount / perCredit - credits) > 1e-9) {
    throw new RangeError(`${credits} credits has more than six decimals`);
  }
  return amount;
}

/** Micro-credits to the decimal JSON number of the contract. */
export const credits = (amount: Micro): number => amount / perCredit;
