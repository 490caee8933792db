import { expect, it } from "vitest";
import { Located } from "../judge/answer.ts";
import type { Exchange } from "../judge/exchange.ts";
import { amounts, listIn } from "./unnamed.ts";

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
