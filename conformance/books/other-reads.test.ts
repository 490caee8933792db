import { expect, it } from "vitest";
import type { Anomaly } from "./pairs.ts";
import { auditExport, auditFeed, auditSettlements } from "./other-reads.ts";

/** The anomalies that an audit finds, by name and what it received. */
function foundBy(audit: (find: (anomaly: Anomaly) => void) => unknown): string[] {
  const found: string[] = [];
  audit(({ name, fact }) => found.push(`${name}: ${JSON.stringify(fact.received)}`));
  return found;
}

const entries = [
  { id: "-entry-a", entry_type: "consume_tool_execute", amount_credits: -0.1, execution_id: "execution a" },
  { id: "entry-b", entry_type: "consume_tool_execute", amount_credits: -2, execution_id: "execution b" },
];

it.each([
  ["plain", ["-entry-a,-0.1", "entry-b,-2"], 0],
  ["guarded against formulas", ["'-entry-a,'-0.1", "entry-b,'-2"], 0],
  ["with a unit", ["-entry-a,-0.1 credits", "entry-b,-2 credits"], 0],
  ["with another amount", ["-entry-a,'-0.2", "entry-b,-2"], 1],
  ["without a row", ["entry-b,-2"], 1],
])("an export whose cells are %s", (_, lines, count) => {
  const text = ["id,amount_credits", ...lines].join("\n");
  expect(foundBy((find) => auditExport("exportLedger", text, entries, find))).toHaveLength(count);
});

it.each([
  ["balances", "date,balance", ["2026-11-30,3", "2026-11-30,2"], 0],
  ["numbers of lines", "no,amount_credits", ["1,-2", "2,-1"], 0],
  ["ids", "id,amount_credits", ["1,-1", "2,-2"], 0],
  ["ids with other amounts", "Entry ID,amount_credits", ["1,-2", "2,-1"], 2],
  ["an id twice", "id,amount_credits", ["1,-1", "1,-1"], 2],
])("plain numbers of an export may be %s", (_, header, lines, count) => {
  const entries = [
    { id: 1, amount_credits: -1 },
    { id: 2, amount_credits: -2 },
  ];
  const text = [header, ...lines].join("\n");
  expect(foundBy((find) => auditExport("exportLedger", text, entries, find))).toHaveLength(count);
});

it("an export of events may show what was requested as amount_credits", () => {
  const event = { id: "event-a", settled_amount_credits: 0 };
  const text = "id,amount_credits\nevent-a,1";
  expect(foundBy((find) => auditExport("exportUsage", text, [event], find))).toEqual([]);
});

it("a UUID is the same in either case, in an export and in a feed", () => {
  const [a, b] = ["01a21e39-c214-7c2a-a035-02a16a7a306c", "01a21e39-c214-7c2a-a035-02a16a7a306d"];
  const events = [a, b].map((id) => ({ id }));
  const inExport = (ids: readonly string[]): string[] =>
    foundBy((find) => auditExport("exportUsage", ["id", ...ids].join("\n"), events, find));
  expect(inExport([a.toUpperCase(), b])).toEqual([]);
  expect(inExport([a, a.toUpperCase()])).toHaveLength(2);
  expect(auditFeed([{ id: a.toUpperCase() }, { id: b }], events, () => expect.unreachable())).toBe(true);
});

const events = [{ id: "event-a" }, { id: "event-b" }, { id: "event-c" }];

it("a feed with rows that match no event is not compared", () => {
  const items = [{ id: "event-a" }, { id: "EVENT-B" }];
  expect(auditFeed(items, events, () => expect.unreachable())).toBe(false);
  expect(foundBy((find) => auditFeed(items.slice(0, 1), events, find))).toHaveLength(2);
});

it.each([
  ["a session named like an event", { session_id: "event-a", id: "event-b" }, ["event-c"]],
  ["a session named like a Call", { session_id: "execution b", event: "event-c" }, ["event-b"]],
  ["the execution of several events", { execution_id: "execution a", id: "event-b" }, ["event-c"]],
  ["its execution alone", { execution_id: "execution b" }, ["event-c"]],
  ["the execution of several events alone", { execution_id: "execution a" }, []],
])("a feed whose item has %s shows its event", (_, item, missing) => {
  const events = [
    { id: "event-a", execution_id: "execution a" },
    { id: "event-b", execution_id: "execution b" },
    { id: "event-c", execution_id: "execution a" },
  ];
  const lacking: unknown[] = [];
  auditFeed([item, { id: "event-a" }], events, ({ event }) => lacking.push(event?.["id"]));
  expect(lacking).toEqual(missing);
});

it("a settlement history shows each settlement once", () => {
  const items = [{ execution_id: "execution a" }, { execution_id: "execution b" }];
  const judged = (items: object[]): string[] =>
    foundBy((find) => auditSettlements(items, { events: [], entries }, find));
  expect(judged(items)).toEqual([]);
  expect(judged([...items, items[0]!])).toEqual([expect.stringContaining("settlement-shown-twice")]);
  // Rows that name no Call may be alike.
  expect(judged([...items, { day: "2026-11-30" }, { day: "2026-11-30" }])).toEqual([]);
});
