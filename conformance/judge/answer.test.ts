import { expect, it } from "vitest";
import { Located } from "./answer.ts";
import type { Exchange } from "./exchange.ts";
import { Blocked } from "./verdict.ts";

const at = (value: unknown): Located => new Located(value, "data.items.0", {} as Exchange);

it("takes a value for what it should be, and blocks where it is not", () => {
  expect(at({ id: 1 }).fields).toEqual({ id: 1 });
  expect(at([1]).items.map(({ value }) => value)).toEqual([1]);
  for (const value of [undefined, null, 7, "row", [{}]]) expect(() => at(value).fields).toThrow(Blocked);
  for (const value of [undefined, null, {}]) {
    expect(() => at(value).items).toThrow("data.items.0");
    expect(() => at(value).string).toThrow(Blocked);
    expect(() => at(value).number).toThrow(Blocked);
  }
});
