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

test("finds the list wherever it is, in an envelope or without one", () => {
  const row = { id: "a" };
  keepText(row, JSON.stringify(row));
  const bodies = [
    { total: 1, results: [row], error: null },
    { data: { items: [row], paging: { names: [] } }, more: [] },
    { results: [row], data: null },
  ];
  for (const body of bodies) {
    expect(textOf(toJudge(body), true)).toBe(JSON.stringify(body));
    const part = toJudge(body);
    expect(JSON.stringify(part)).toBe(JSON.stringify(body).replace(JSON.stringify(row), ""));
    expect(textOf(part, true)).toBe(JSON.stringify(body));
  }
});

test("judges an item that took the place of a kept one", () => {
  const row = { id: "a" };
  keepText(row, JSON.stringify(row));
  textOf(toJudge(listing(row)), true);
  expect(toJudge(listing({ ...row }))).toEqual(listing({ id: "a" }));
});

test("leaves every other body as it is, such as one with a kept item elsewhere", () => {
  const row = { id: "a" };
  keepText(row, JSON.stringify(row));
  const others = [{ data: { page: { items: [row] } } }, { row }, { data: row }, [row]];
  for (const body of [null, "text", { data: null }, { results: [] }, listing({ id: "b" }), ...others]) {
    expect(toJudge(body)).toBe(body);
    expect(textOf(body, true)).toBe(JSON.stringify(body));
  }
});
