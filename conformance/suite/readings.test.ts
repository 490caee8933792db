import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { operationIds } from "../../generated/contract.ts";
import type { ReadingId } from "../../generated/readings.ts";
import { readingOf } from "../judge/clauses.ts";
import type { Exchange } from "../judge/exchange.ts";
import { Judging } from "../judge/judge-exchanges.ts";
import { Observing, pinnedRules } from "../judge/observer.ts";
import { seenOf } from "../judge/seen.ts";
import { observers } from "./readings.ts";

const lookup = (status: number, body: unknown): Exchange => ({
  operation: "getUsageEvent",
  account: "account 1",
  started_at: 0,
  duration_ms: 1,
  request: { method: "GET", url: "http://a/api/v1/auth/usage/history/v2/1", headers: {}, body: null },
  response: { status, headers: { "content-type": "application/json" }, body: JSON.stringify(body) },
  error: null,
});

const failure = { status: "failure", status_code: 404, message: "There is no such event.", data: null };

describe("the observers", () => {
  it("see one reading each, which the readings call observable", () => {
    const seen = observers.map(({ reading }) => reading);
    expect(new Set(seen).size).toBe(seen.length);
    for (const id of seen) expect(readingOf(id)!.seen, id).toBeTypeOf("string");
  });

  it("answer what the reading lists, or nothing, whatever a server sends", () => {
    const names = [
      "status",
      "data",
      "detail",
      "success",
      "result",
      "results",
      "summary",
      "items",
      "quote",
      "buckets",
    ];
    const json = fc.letrec((tie) => ({
      value: fc.oneof({ depthSize: "small" }, fc.jsonValue(), tie("object")),
      object: fc.dictionary(fc.constantFrom(...names), tie("value"), { maxKeys: 5 }),
    }))["value"];
    const exchange = fc.record({
      operation: fc.constantFrom(null, ...operationIds),
      status: fc.constantFrom(200, 400, 401, 402, 404, 405, 422, 503),
      url: fc.constantFrom("http://a/api/v1/x", "/%E0%A4%A?limit=51&bucket=week", "not an address"),
      sent: fc.option(fc.json()),
      body: fc.oneof(
        json.map((value) => JSON.stringify(value)),
        fc.string(),
      ),
    });
    fc.assert(
      fc.property(exchange, ({ operation, status, url, sent, body }) => {
        const given = lookup(status, null);
        const seen = seenOf({
          ...given,
          operation,
          request: { ...given.request, url, body: sent },
          response: { ...given.response!, body },
        })!;
        for (const { reading, operations, answer } of observers) {
          if (!operations.includes(operation)) continue;
          const answered = answer(seen);
          if (answered !== null) expect(Object.keys(readingOf(reading)!.answers)).toContain(answered);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it("count what a server answers, the commonest answer first", () => {
    const observing = new Observing(observers);
    for (const status of [404, 200, 404]) observing.look(seenOf(lookup(status, failure))!);
    const [choice] = observing.choices().filter(({ reading }) => reading === "R-012");
    expect(choice).toMatchObject({
      answers: [
        { answer: "404", exchanges: 2 },
        { answer: "envelope", exchanges: 1 },
      ],
      pinned: null,
    });
  });

  it.each([
    ["kept", 404, "pass"],
    ["broken", 200, "fail"],
  ])("make an answer that the profile pins an obligation: %s", (_what, status, verdict) => {
    const judging = new Judging(pinnedRules({ "R-012": "404" } as Record<ReadingId, string>, observers));
    judging.look({ ...lookup(200, { ...failure, status: "success", data: {} }), operation: "getCredits" });
    judging.look(lookup(status, failure));
    expect(judging.findings()).toMatchObject([
      { id: "R-012/pinned", clauses: ["R-012"], level: "must", verdict },
    ]);
  });
});
