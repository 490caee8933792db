import { missed } from "./finding.ts";
import { describe, expect, it } from "vitest";
import type { Exchange } from "./exchange.ts";
import { expectFor, shown, type Expectation } from "./expect.ts";
import { Answer, Located } from "./answer.ts";
import { Unmet } from "./verdict.ts";

const exchange: Exchange = {
  operation: "call",
  account: "account 1",
  started_at: 0,
  duration_ms: 1,
  request: { method: "POST", url: "http://localhost/api/v1/tools/execute", headers: {}, body: null },
  response: { status: 200, headers: {}, body: "{}" },
  error: null,
};
const answer = (status: number, body: unknown): Answer =>
  new Answer(status, {}, typeof body === "string" ? body : JSON.stringify(body), exchange);
const on = (subject: unknown, name?: string): Expectation =>
  expectFor({ expectations: 0, last: undefined })(subject, name);

const failure = { status: "failure", message: "no" };
const invalid = { ...failure, status_code: -7, data: null };

/** Each matcher with a value that satisfies it and values that do not. */
const matchers: readonly [string, (one: Expectation) => void, kept: unknown[], broken: unknown[]][] = [
  ["toBe", (one) => one.toBe({ a: [1] }), [{ a: [1] }], [{ a: [1, 2] }, { a: ["1"] }, undefined]],
  ["not", (one) => one.not(0), [1, "0", null], [0]],
  ["toBeCredits", (one) => one.toBeCredits(0.3), [0.1 + 0.2, 0.3, "0.30"], [0.300002, "0.4", NaN, null]],
  ["toBeOneOf", (one) => one.toBeOneOf([1, null]), [1, null], [2, undefined]],
  ["toBeA integer", (one) => one.toBeA("integer", "null"), [1, 1.0, null], [1.5, "1", [], undefined]],
  ["toBeA object", (one) => one.toBeA("object"), [{}], [[], null, "{}"]],
  ["toBeA array", (one) => one.toBeA("array"), [[]], [{}, null]],
  ["toBeA string", (one) => one.toBeA("string"), [""], [1, null]],
  ["toBeA boolean", (one) => one.toBeA("boolean"), [false], [0, "false"]],
  ["toBeBetween", (one) => one.toBeBetween(1, 2), [1, 2], [0.999, 2.001, "1", null]],
  ["toBeAtLeast", (one) => one.toBeAtLeast(1), [1, 2], [0.9, "1"]],
  ["toBeAtMost", (one) => one.toBeAtMost(1), [1, 0], [1.1, "1"]],
  ["toBePresent", (one) => one.toBePresent(), [0, "", false], [null, undefined]],
  ["toBeAbsent", (one) => one.toBeAbsent(), [undefined], [null, 0, ""]],
  ["toBeEmpty", (one) => one.toBeEmpty(), ["", [], {}], ["a", [0], { a: 1 }, null, 0]],
  ["toHoldSomething", (one) => one.toHoldSomething(), ["a", [0], { a: 1 }], ["", [], {}, null, 0]],
  ["toHaveLength", (one) => one.toHaveLength(2), ["ab", [1, 2]], ["a", [1], 2, null]],
  ["toMatch", (one) => one.toMatch(/^a/, "beginning with a"), ["ab"], ["ba", 1, null]],
  ["toSatisfy", (one) => one.toSatisfy("even", (value) => Number(value) % 2 === 0), [2], [3]],
  [
    "toHaveStatus",
    (one) => one.toHaveStatus(200, 204),
    [answer(200, {})],
    [answer(201, {}), answer(500, "")],
  ],
  [
    "toBeAnErrorObject",
    (one) => one.toBeAnErrorObject(),
    [answer(401, failure)],
    [
      answer(401, {}),
      answer(401, { status: "failure" }),
      answer(401, { ...failure, message: 1 }),
      answer(401, ""),
    ],
  ],
  [
    "toBeAnInvalidQuery",
    (one) => one.toBeAnInvalidQuery(),
    [answer(400, invalid)],
    [
      answer(422, invalid),
      answer(400, failure),
      answer(400, { ...invalid, data: {} }),
      answer(400, { ...invalid, status_code: -6 }),
      answer(400, { ...invalid, status: "success" }),
    ],
  ],
  [
    "toHaveFoundNothing",
    (one) => one.toHaveFoundNothing(),
    [answer(404, ""), answer(200, failure)],
    [answer(200, {}), answer(500, failure), answer(401, failure)],
  ],
  [
    "toHaveSucceeded",
    (one) => one.toHaveSucceeded(),
    [answer(200, { success: true })],
    [answer(200, { success: false }), answer(200, { success: "true" }), answer(402, { success: true })],
  ],
  [
    "toHaveFailed",
    (one) => one.toHaveFailed(),
    [answer(200, { success: false, error_message: "no" })],
    [
      answer(200, { success: true, error_message: "no" }),
      answer(200, { success: false }),
      answer(200, { success: false, error_message: " " }),
    ],
  ],
];

describe.each(matchers)("%s", (_name, matcher, kept, broken) => {
  it("holds", () => {
    for (const subject of kept) expect(() => matcher(on(subject))).not.toThrow();
  });

  it("can fail, and is unmet then", () => {
    for (const subject of broken) expect(() => matcher(on(subject))).toThrow(Unmet);
  });
});

describe("an expectation", () => {
  const thrown = (act: () => void): Unmet => {
    try {
      act();
    } catch (error) {
      if (error instanceof Unmet) return error;
      throw error;
    }
    throw new Error("nothing was thrown");
  };

  it("says what was expected, where, what was received, and in which exchange", () => {
    const located = answer(200, { data: { items: [{ id: 7 }] } }).at("data.items.0.id");
    const unmet = thrown(() => on(located).toBeA("string"));
    expect(missed(unmet.fact)).toMatchObject({ expected: "data.items.0.id: string", received: "7" });
    expect(unmet.exchange).toBe(exchange);
    expect(unmet.fact).toMatchObject({
      kind: "member",
      place: "data.items.0.id",
      expected: { types: ["string"] },
      received: { value: 7 },
    });
    expect(thrown(() => on(undefined, "the balance").toBe(1)).message).toBe(
      "expected the balance: 1, received nothing",
    );
  });

  it("says nothing where nothing was expected, also in a stored report", () => {
    const { fact } = thrown(() => on(7, "a row that is left out").toBe(undefined));
    const words = { expected: "a row that is left out: nothing", received: "7" };
    expect(missed(fact)).toMatchObject(words);
    expect(missed(JSON.parse(JSON.stringify(fact)) as typeof fact)).toMatchObject(words);
  });

  it("shows the values of rows, not where they were found", () => {
    const rows = [new Located({ id: "1" }, "data.items.0", exchange)];
    expect(() => expectFor({ expectations: 0, last: exchange })(rows, "new rows").toBeEmpty()).toThrow(
      expect.objectContaining({ fact: expect.objectContaining({ received: { value: [{ id: "1" }] } }) }),
    );
  });

  it("truncates long values", () => {
    const { received } = missed(thrown(() => on("x".repeat(1000)).toBe("")).fact);
    expect(received.length).toBeLessThan(400);
    expect(received).toContain("(1002 characters)");
  });

  it("is counted, whether it holds or not, and shows the newest exchange for a bare value", () => {
    const tally = { expectations: 0, last: exchange };
    const expecting = expectFor(tally);
    expecting(1).toBe(1);
    expect(thrown(() => expecting(1).toBe(2)).exchange).toBe(exchange);
    expect(tally.expectations).toBe(2);
  });

  it("on a status needs an answer: anything else is a mistake of the suite", () => {
    expect(() => on(new Located(1, "status", exchange)).toHaveStatus(200)).toThrow(TypeError);
  });
});

it("shows a deeply nested value down to a fixed level", () => {
  let deep: unknown = [];
  for (let level = 0; level < 20_000; level += 1) deep = level % 2 === 0 ? [deep] : { in: deep };
  expect(shown(deep)).toContain("…");
  expect(() => on(deep).toBeAbsent()).toThrow(Unmet);
  expect(shown({ a: [1, { b: null }] })).toBe('{"a":[1,{"b":null}]}');
});
