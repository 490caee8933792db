/** What a Call costs: the price, which the account must own to begin it, and what settlement takes, both in credits. */
export interface Offer {
  price: number;
  cost: number;
}

/** The maximum number of amounts that are looked at: prices with many decimals have no end of sums. */
const maxAmounts = 100_000;

const micro = (credits: number): number => Math.round(credits * 1_000_000);

/**
 * The Calls that leave an account without credits, the dearest first.
 * @param owned the account's credits
 * @param offers what may be called, any number of times
 * @param maxCalls the maximum number of Calls
 * @returns undefined where no such Calls are found
 */
export function spendingAll<Some extends Offer>(
  owned: number,
  offers: readonly Some[],
  maxCalls: number,
): Some[] | undefined {
  const dearestFirst = offers
    .filter(({ cost }) => cost > 0)
    .toSorted((one, other) => other.cost - one.cost)
    .map((offer) => ({ offer, price: micro(offer.price), cost: micro(offer.cost) }));
  /** Amounts from which zero was not reached, with the most Calls that were left there. */
  const hopeless = new Map<number, number>();
  const from = (left: number, calls: readonly Some[]): Some[] | undefined => {
    if (left === 0) return [...calls];
    const remaining = maxCalls - calls.length;
    if (remaining <= 0 || (hopeless.get(left) ?? -1) >= remaining || hopeless.size > maxAmounts)
      return undefined;
    for (const { offer, price, cost } of dearestFirst) {
      if (price > left || cost > left) continue;
      const found = from(left - cost, [...calls, offer]);
      if (found !== undefined) return found;
    }
    hopeless.set(left, remaining);
    return undefined;
  };
  return from(micro(owned), []);
}
