import { expect, it } from "vitest";
import { Chain } from "./chain.ts";

it.each([
  ["a Call", { entry_type: "consume_tool_execute" }, 1],
  ["an entry of a type that it does not show", {}, 1],
  ["a Call whose entry shows no balance before it", { balance_before: null }, 1],
  ["the refund of a payment", { entry_type: "consume_payment_refund" }, 0],
  ["a model call", { entry_type: "consume_model_call" }, 0],
  ["a Call once it is below", { balance_before: { total_available_credits: -1 } }, 0],
  ["a recharge that does not cover a debt", { amount_credits: 2, balance_before: null }, 0],
])("%s that leaves less than nothing", (_, entry, count) => {
  const found: string[] = [];
  new Chain(({ name, clauses }) => found.push(`${name} ${clauses}`)).take([
    {
      id: "entry",
      amount_credits: -3,
      balance_before: { total_available_credits: 1 },
      balance_after: { total_available_credits: -2 },
      created_at: "2026-11-20T12:00:00Z",
      ...entry,
    },
  ]);
  expect(found).toEqual(Array(count).fill("negative-balance BILL-13"));
});
