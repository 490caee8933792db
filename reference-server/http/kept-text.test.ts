import { expect, test } from "vitest";
import { keepText, textOf, toJudge } from "./kept-text.ts";

/** A body that ends in a list. */
const listing = (...items: object[]) => ({ status: "success", data: { total: items.length, items } });

test("judges a kept item until an answer with it kept the contract, and sends it whole each time", () => {
  const [row, other] = [{ id: "ä", at: 1 }, { id: "b" }];
  keepText(row, JSON.stringify(row));
  const body = listing(row, other);

  const first = toJudge(body);
  expect(first).toEqual(body);
  expect(textOf(first, false)).toBe(JSON.stringify(body));
  const second = toJudge(body);
  expect(second).toEqual(body);
  expect(textOf(second, true)).toBe(JSON.stringify(body));

  const third = toJudge(listing(other, row));
  expect(third).toEqual({ ...listing(other), data: { total: 2, items: [other] } });
  expect(textOf(third, true)).toBe(JSON.stringify(listing(other, row)));
});

test("judges an item that took the place of a kept one", () => {
  const row = { id: "a" };
  keepText(row, JSON.stringify(row));
  textOf(toJudge(listing(row)), true);
  expect(toJudge(listing({ ...row }))).toEqual(listing({ id: "a" }));
});

test("leaves every other body as it is, such as one that does not end in its list", () => {
  const row = { id: "a" };
  keepText(row, JSON.stringify(row));
  const others = [
    { data: { items: [row], paging: [] } },
    { ...listing(row), status: "success", more: [] },
    { data: [row] },
  ];
  for (const body of [null, "text", { data: null }, { results: [] }, listing({ id: "b" }), ...others]) {
    expect(toJudge(body)).toBe(body);
    expect(textOf(body, true)).toBe(JSON.stringify(body));
  }
});
