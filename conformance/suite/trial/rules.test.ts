import { expect, it } from "vitest";
import { seenOf } from "../../judge/seen.ts";
import { rules } from "./rules.ts";

const answeredAt = Date.parse("2026-11-20T12:00:00Z");

/** The judgement of an end that a registration states, by a client whose clock is some days behind. */
function judged(end: unknown, headers: Record<string, string> = {}, daysBehind = 0) {
  const seen = seenOf({
    operation: "registerAnonymous",
    account: null,
    started_at: answeredAt - daysBehind * 86_400_000,
    duration_ms: 0,
    request: {
      method: "POST",
      url: "http://127.0.0.1/api/v1/agent/anonymous-register",
      headers: {},
      body: "{}",
    },
    response: { status: 200, headers, body: JSON.stringify({ data: { expires_at: end } }) },
    error: null,
  });
  return rules.find(({ clauses }) => clauses.includes("TRIA-08"))!.judge(seen!);
}

it("compares the end of a trial with the server's own clock where it states the time", () => {
  const date = new Date(answeredAt).toUTCString();
  expect(judged("2026-11-27T12:00:00Z", { date }, 2)).toBe(true);
  expect(judged("2026-11-27T12:00:00Z", {}, 2)).not.toBe(true);
  expect(judged("2026-11-28T12:00:00Z", { date })).not.toBe(true);
});

it("compares it with the client's clock where the server's stands still", () => {
  const date = "Thu, 01 Jan 2026 00:00:00 GMT";
  expect(judged("2026-11-27T12:00:00Z", { date })).toBe(true);
  expect(judged("2026-11-28T12:00:00Z", { date })).not.toBe(true);
});

it("lets the end of a trial be rounded to a day", () => {
  const start = Date.parse("2026-11-28T00:00:00Z") / 1000;
  for (const end of ["2026-11-27", "2026-11-28T00:00:00+00:00", "2026-11-27T23:59:59.999Z", start]) {
    expect(judged(end)).toBe(true);
  }
  expect(judged("2026-11-27T20:30:00Z")).not.toBe(true);
  expect(judged("2026-11-29T00:00:00Z")).not.toBe(true);
});
