import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { spendingAll } from "./spending.ts";

const at = (...prices: number[]) => prices.map((price) => ({ price, cost: price }));
const costs = (calls: readonly { cost: number }[] | undefined) => calls?.map(({ cost }) => cost);

describe("spending all credits of an account", () => {
  it("uses the dearest tools first", () => {
    expect(costs(spendingAll(50, at(1, 20, 5), 100))).toEqual([20, 20, 5, 5]);
  });

  it("goes back where the dearest leaves a rest that nothing costs", () => {
    expect(costs(spendingAll(50, at(7, 4), 100))).toEqual([7, 7, 7, 7, 7, 7, 4, 4]);
  });

  it("counts decimals exactly", () => {
    expect(costs(spendingAll(0.3, at(0.1), 3))).toEqual([0.1, 0.1, 0.1]);
  });

  it("calls nothing whose price the account can no longer pay", () => {
    const discounted = { price: 4, cost: 3 };
    expect(costs(spendingAll(6, [discounted], 9))).toBeUndefined();
    expect(costs(spendingAll(7, [discounted, ...at(1)], 9))).toEqual([3, 3, 1]);
  });

  it("finds nothing where no sum is the whole, or more Calls are needed than allowed", () => {
    expect(spendingAll(5, at(2), 100)).toBeUndefined();
    expect(spendingAll(50, at(1), 49)).toBeUndefined();
    expect(spendingAll(50, [], 9)).toBeUndefined();
  });

  it("spends exactly what there is, whatever the prices", () => {
    const price = fc.integer({ min: 1, max: 4000 }).map((cents) => cents / 100);
    fc.assert(
      fc.property(fc.array(price, { maxLength: 8 }), (prices) => {
        const calls = spendingAll(50, at(...prices), 100);
        if (calls === undefined) return;
        expect(calls.reduce((sum, { cost }) => sum + Math.round(cost * 100), 0)).toBe(5000);
        expect(calls.length).toBeLessThanOrEqual(100);
      }),
      { seed: 7 },
    );
  });
});
