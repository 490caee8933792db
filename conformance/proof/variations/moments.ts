import { randomUUID } from "node:crypto";
import { onAnswers, onEach, onPart, together, variationsOf, type Variation } from "../../changes/mutant.ts";

/** Rotates the members of every object, by a different amount each time. */
function turned(value: unknown, turn: number): unknown {
  if (Array.isArray(value)) return value.map((member) => turned(member, turn));
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [name, turned(member, turn)] as const);
  const first = turn % Math.max(1, members.length);
  return Object.fromEntries([...members.slice(first), ...members.slice(0, first)]);
}

/** Number of answers rotated so far. */
let answers = 0;

/** Lawful differences between one answer and the next. */
export const momentVariations: readonly Variation[] = variationsOf({
  "JSON: an object is unordered; Settlement history response: fields not shown": {
    "reorders object members and issues new settlement links in every answer": together(
      onEach("listSettlements", "data.items", { receipt_url: () => `https://example.com/${randomUUID()}` }),
      onAnswers(
        (_, { headers }) => (headers["content-type"] ?? "").startsWith("application/json"),
        (answer) => ({ ...answer, body: JSON.stringify(turned(JSON.parse(answer.body), (answers += 1))) }),
      ),
    ),
  },
  "Pre-settlement bill: before discounts or no-charge rules": {
    "settles every other charge at half its price": onPart("pricing", (pricing) => {
      const halved = new WeakMap<object, boolean>();
      let charges = 0;
      const settle: typeof pricing.settle = (tool, execution, bill) => {
        const settlement = pricing.settle(tool, execution, bill);
        if (settlement.amount === 0) return settlement;
        if (!halved.has(execution)) {
          charges += 1;
          halved.set(execution, charges % 2 === 0);
        }
        return halved.get(execution)
          ? { ...settlement, amount: Math.ceil(settlement.amount / 2) }
          : settlement;
      };
      return { ...pricing, settle };
    }),
  },
});
