import { expect, it } from "vitest";
import { Answer, Located } from "./answer.ts";
import type { Exchange } from "./exchange.ts";
import { Blocked } from "./verdict.ts";

it("says what its JSON says, whatever is escaped in it, and the text where it is not JSON", () => {
  const said = (text: string): string => new Answer(422, {}, text, {} as Exchange).said;
  const escaped = [..."respond_with"].map((letter) => `\\u00${letter.charCodeAt(0).toString(16)}`).join("");
  expect(said(`{"message": "${escaped} is not a projection"}`)).toContain("respond_with is not a");
  expect(said("id,respond_with\r\n")).toBe("id,respond_with\r\n");
});

it.each(["-0", "-0.0", "-0E5", " -0"])("takes %s for the number 0", (zero) => {
  const answer = new Answer(200, {}, `{"a":${zero},"b":[1,${zero}],"c":"-0","d":-0.5}`, {} as Exchange);
  expect(answer.at("a").value).toBe(0);
  expect(answer.at("b").value).toEqual([1, 0]);
  expect([answer.at("c").value, answer.at("d").value]).toEqual(["-0", -0.5]);
});

it.each(["1234567890123456789", "-1234567890123456789"])(
  "keeps the id %s where the contract gives it no type",
  (long) => {
    const row = `{"id":${long},"amount_credits":${long},"credits_ledger_entry_id":${long},"next_cursor":${long}}`;
    const text = `{"row":${row},"tool":{"id":${long}},"execution_id":${long},"small":{"id":7,"amount_credits":1}}`;
    const answer = new Answer(200, {}, text, {} as Exchange);
    for (const name of ["id", "credits_ledger_entry_id", "next_cursor"])
      expect(answer.at(`row.${name}`).value).toBe(long);
    for (const path of ["row.amount_credits", "tool.id", "execution_id"])
      expect(answer.at(path).value).toBe(Number(long));
    expect(answer.at("small.id").value).toBe(7);
  },
);

const located = (value: unknown): Located => new Located(value, "data.items.0", {} as Exchange);

it("takes a value for what it should be, and blocks where it is not", () => {
  expect(located({ id: 1 }).fields).toEqual({ id: 1 });
  expect(located([1]).items.map(({ value }) => value)).toEqual([1]);
  for (const value of [undefined, null, 7, "row", [{}]]) expect(() => located(value).fields).toThrow(Blocked);
  for (const value of [undefined, null, {}]) {
    expect(() => located(value).items).toThrow("data.items.0");
    expect(() => located(value).string).toThrow(Blocked);
    expect(() => located(value).number).toThrow(Blocked);
  }
});
