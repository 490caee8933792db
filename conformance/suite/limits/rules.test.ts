import { expect, test } from "vitest";
import { rules as limits } from "./rules.ts";
import { seenOf } from "../../judge/seen.ts";

const answeredAt = Date.parse("2026-11-20T12:00:00Z");

/** The rule's judgement of a Discover whose reset is some seconds after its answer, by the client's clock. */
function judged(headers: Record<string, string>, ahead: number) {
  const seen = seenOf({
    operation: "discover",
    account: null,
    started_at: answeredAt,
    duration_ms: 0,
    request: { method: "POST", url: "http://127.0.0.1/api/v1/search", headers: {}, body: "{}" },
    response: {
      status: 200,
      headers: { ...headers, "x-ratelimit-reset": String(answeredAt / 1000 + ahead) },
      body: "{}",
    },
    error: null,
  });
  return limits.find(({ clauses }) => clauses.includes("LIMI-15"))!.judge(seen!);
}

test("a reset is compared with the server's own clock where it states the time", () => {
  const date = new Date(answeredAt).toUTCString();
  expect(judged({ date }, 10)).toBe(true);
  expect(judged({ date }, -10)).not.toBe(true);
  const behind = new Date(answeredAt - 60_000).toUTCString();
  expect(judged({ date: behind }, -50)).toBe(true);
});

test("a Date that stands still accuses no reset that is right by the client's clock", () => {
  const standing = new Date(answeredAt + 30_000).toUTCString();
  expect(judged({ date: standing }, 1)).toBe(true);
  expect(judged({ date: standing }, -10)).not.toBe(true);
});

test("a server that does not state the time may have a clock of its own", () => {
  expect(judged({}, -900)).toBe(true);
  expect(judged({}, -4000)).not.toBe(true);
});
