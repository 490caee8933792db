import { expect, test } from "vitest";
import { Located } from "../judge/answer.ts";
import type { Exchange } from "../judge/exchange.ts";
import { seeApart } from "./summary.checks.ts";
import { usageSummary } from "../books/usage-summary.ts";

const event = (outcome: string, requested: number, settled: number): Located =>
  new Located(
    {
      success: !outcome.startsWith("failed"),
      charge_outcome: outcome,
      requested_amount_credits: requested,
      settled_amount_credits: settled,
    },
    "data",
    {} as Exchange,
  );

const judge = (path: string, ...rows: Located[]): void =>
  seeApart(
    usageSummary,
    usageSummary.figures.filter((figure) => figure.path === path),
    rows,
  );

test("a sum is distinguished from another by a row that adds to them differently", () => {
  const charged = event("charged", 2, 2);
  expect(() => judge("settled_credits", charged)).toThrow(
    "each event of the window adds to settled_credits what it adds to pre_settlement_credits",
  );
  expect(() => judge("settled_credits", charged, event("failed_not_charged", 2, 0))).not.toThrow();
});

test("a count is distinguished from another by a row that only one of them counts", () => {
  expect(() => judge("total_count", event("charged", 2, 2))).toThrow("adds to total_count what it adds to");
  const rows = [event("charged", 2, 2), event("failed_not_charged", 2, 0)];
  expect(() => judge("total_count", ...rows)).not.toThrow();
});

test("a figure that no row adds to is not shown", () => {
  expect(() => judge("settled_credits", event("included", 0, 0))).toThrow(
    "no event of the window adds to settled_credits",
  );
});
