import { expect, test } from "vitest";
import { chargeFault, movedIn, settledIn } from "./writes.ts";

const now = Date.parse("2026-11-20T12:00:00Z");
const eventOf = (event_type: string, more: object = {}) =>
  settledIn(
    {
      id: "event",
      event_type,
      execution_id: "exec_1",
      settled_amount_credits: 2,
      credits_ledger_entry_id: "entry",
      created_at: "2026-11-20T11:59:00Z",
      ...more,
    },
    now,
  );
const entryOf = (more: object = {}) =>
  movedIn({ id: "entry", execution_id: "exec_1", amount_credits: -2, ...more });

test("an event and the entry that it links to agree on execution and amount", () => {
  expect(chargeFault(eventOf("tool_execute"), [entryOf()])).toBe(null);
  const clauseOf = (more: object): string | undefined =>
    chargeFault(eventOf("tool_execute"), [entryOf(more)])?.clauses[0];
  expect(clauseOf({ execution_id: "exec_2" })).toBe("LEDG-10");
  expect(clauseOf({ amount_credits: -3 })).toBe("BILL-05");
  expect(clauseOf({ id: "other" })).toBe("BILL-11");
});

test("the entry of a capability query may name the execution that the query made", () => {
  const query = eventOf("capabilities_query");
  expect(chargeFault(query, [entryOf({ execution_id: "exec_2" })])).toBe(null);
  expect(chargeFault(query, [entryOf({ amount_credits: -3 })])?.clauses).toEqual(["BILL-05"]);
});

test("what costs nothing has no entry that consumes, unless a review found so later", () => {
  const free = { settled_amount_credits: 0, charge_outcome: "failed_not_charged" };
  const fresh = chargeFault(eventOf("tool_execute", free), [entryOf()]);
  expect(fresh?.name).toBe("uncharged-with-entry");
  const old = { ...free, created_at: "2026-11-20T10:00:00Z" };
  expect(chargeFault(eventOf("tool_execute", old), [entryOf()])).toBe(null);
});
