import { expect, it } from "vitest";
import { operations, type Operation } from "../../generated/contract.ts";
import { laterPart } from "./later.ts";

const table = operations as Readonly<Record<string, Operation>>;
const { listUsage } = table as { listUsage: Operation };
const parameter = { types: ["string"], required: false } as const;

/** The next version adds a filter, a value of an older filter, a header and an operation. */
const newest = {
  ...table,
  listUsage: {
    ...listUsage,
    headers: { "X-Later": parameter },
    query: {
      ...listUsage.query,
      tool_id: parameter,
      charge_outcome: { ...parameter, enum: [...listUsage.query["charge_outcome"]!.enum!, "refunded"] },
    },
  },
};
const { getCredits: _, ...before } = table;

it.each([
  ["listUsage", { query: { tool_id: "a" } }, "parameter tool_id"],
  ["listUsage", { query: { charge_outcome: "refunded" } }, "value refunded of charge_outcome"],
  ["listUsage", { headers: { "x-later": "a" } }, "parameter x-later"],
  ["getCredits", {}, "operation getCredits"],
] as const)("a request of %s with %j uses what only a later version has", (operation, parts, later) => {
  expect(laterPart(operation, parts, before, newest)).toBe(later);
  expect(laterPart(operation, parts, newest, newest)).toBeNull();
});

it("a part that no version has is sent on purpose, and a part that both have is known", () => {
  const query = { unheard_of: 1, charge_outcome: "charged", tool_id: undefined };
  expect(laterPart("listUsage", { query }, before, newest)).toBeNull();
});
