/** An amount of credits as an integer number of millionths; exact up to 9 billion credits. */
export type Micro = number;

const perCredit = 1_000_000;

/**
 * Converts credits, as written by people and the contract, to micro-credits.
 * @throws RangeError if the amount has more than six decimals or is too large to be exact
 */
export function micro(credits: number): Micro {
  const amount = Math.round(credits * perCredit);
  if (!Number.isSafeInteger(amount))
    throw new RangeError(`${credits} credits is beyond what can be kept exactly`);
  // A product of such amounts differs by less; a small amount must not become another one, or none.
  if (Math.abs(amount / perCredit - credits) > 1e-9 * Math.min(1, Math.abs(credits))) {
    throw new RangeError(`${credits} credits has more than six decimals`);
  }
  return amount;
}

/** Converts micro-credits to the contract's decimal JSON number. */
export const credits = (amount: Micro): number => amount / perCredit;
