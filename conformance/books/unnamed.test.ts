import { expect, it } from "vitest";
import { Located } from "../judge/answer.ts";
import type { Exchange } from "../judge/exchange.ts";
import { amounts, listIn, mayLeaveOut, totalsAmong } from "./unnamed.ts";

it.each([
  [[{ id: 1 }]],
  [{ items: [{ id: 1 }] }],
  [{ events: [{ id: 1 }], ids: ["a"] }],
  [{ items: { value: [{ id: 1 }] }, has_more: [true] }],
  [{ items: { value: [{ id: 1 }] }, others: [{ id: 0 }], links: [] }],
  [{ items: '[{"id":1}]', noise: { more: [1, null, {}] } }],
])("finds the rows in %j", (data) => {
  const rows = listIn(new Located(data, "data", {} as Exchange));
  expect(rows?.map(({ value }) => value)).toEqual([{ id: 1 }]);
});

it.each([[{}], [{ one: [{ id: 1 }], other: [{ id: 2 }] }], [null]])("finds none in %j", (data) => {
  expect(listIn(new Located(data, "data", {} as Exchange))).toBeUndefined();
});

it("reads amounts from numbers, texts and texts of JSON", () => {
  const data = { total: 20, daily: "5 credits", bought: '{"left":"15","of":"{"}', at: "{2026" };
  expect([...amounts(new Located(data, "data", {} as Exchange))]).toEqual([
    ["total", 20],
    ["daily", 5],
    ["bought.left", 15],
  ]);
});

it.each([
  [{ remaining_credits: 5, purchased: 5, daily: 0 }, ["remaining_credits"]],
  [{ total: 100, left: 5, "daily.left": 5 }, ["total", "left"]],
  [{ "purchased.left": 5, "daily.left": 0 }, ["purchased.left", "daily.left"]],
])("finds the remaining total of %j among %j", (credits, paths) => {
  expect([...totalsAmong(new Map(Object.entries(credits))).keys()]).toEqual(paths);
});

it.each([
  [{ remaining_credits: 15, "daily_free.remaining": 5 }, true],
  [{ remaining_credits: 22, "daily_free.total": 5, "daily_free.remaining": 2 }, true],
  [{ remaining_credits: 15, gift: 5 }, true],
  [{ remaining_credits: 15, gift: 4 }, false],
  [{ remaining_credits: 4, "welcome_bonus.expired": 6 }, true],
  [{ remaining_credits: 4, "welcome_bonus.expired": 5 }, false],
  [{ remaining_credits: 4, "welcome_bonus.initial": 6 }, false],
  [{ remaining_credits: 4, expired_at: 6 }, false],
  [{ remaining_credits: 15, "daily_free.remaining": 0 }, false],
  [{ remaining_credits: 20, "purchased.remaining": 10 }, false],
  [{ remaining_credits: 15, daily_renews_in_seconds: 3600 }, false],
])("a ledger may leave out credits of %j: %j", (credits, expected) => {
  expect(mayLeaveOut(10, new Map(Object.entries(credits)))).toBe(expected);
});
