import { describe, expect, it } from "vitest";
import type { Exchange } from "./exchange.ts";
import { rule } from "./rule.ts";
import { judgeExchanges } from "./judge-exchanges.ts";

const discovered = (body: unknown, status = 200): Exchange => ({
  operation: "discover",
  account: "account 1",
  started_at: 0,
  duration_ms: 1,
  request: { method: "POST", url: "http://localhost/api/v1/search", headers: {}, body: "{}" },
  response: { status, headers: {}, body: JSON.stringify(body) },
  error: null,
});
const served = discovered({ search_id: "s-1", total: 0 });
const wrong = discovered({ search_id: "s-2", total: "0" });
const refused = discovered({ status: "failure", message: "no" }, 401);
const silent: Exchange = { ...served, response: null, error: "socket hang up" };

const counts = rule("DISC-32", "total is a number", ({ status, body }) => {
  if (status !== 200) return null;
  const { total } = body as { total?: unknown };
  return typeof total === "number" || { expected: "a number", received: JSON.stringify(total) };
});
const refuses = rule("ERRO-01", "refusals say failure", ({ status }) => (status === 401 ? true : null));

const verdictOf = (...exchanges: Exchange[]): string =>
  judgeExchanges([counts, refuses], exchanges)
    .map(({ verdict }) => verdict)
    .join(" ");

describe("rules over exchanges", () => {
  it("pass when an exchange shows them and none breaks them, and are unverified when none shows them", () => {
    expect(verdictOf(served)).toBe("pass unverified");
    expect(verdictOf(served, refused)).toBe("pass pass");
    expect(verdictOf(silent)).toBe("unverified unverified");
  });

  it("are not shown to be kept by a server that refuses everything", () => {
    expect(verdictOf(refused)).toBe("unverified unverified");
  });

  it("fail on one exchange among many, and show that one", () => {
    const [finding] = judgeExchanges([counts], [served, wrong, served]);
    expect(finding).toMatchObject({
      verdict: "fail",
      expected: "a number",
      received: '"0"',
      reason: "expected a number (1 of 3 exchanges)",
      exchanges: [wrong],
      culprit: 0,
    });
  });

  it("show ten of many exchanges that break them", () => {
    const [finding] = judgeExchanges(
      [counts],
      Array.from({ length: 40 }, () => wrong),
    );
    expect(finding!.exchanges).toHaveLength(10);
    expect(finding!.reason).toContain("40 of 40");
  });

  it("that throw are internal errors, and leave the others their verdict", () => {
    const stumbles = rule("HTTP-01", "stumbles", () => {
      throw new TypeError("a slip");
    });
    const findings = judgeExchanges([stumbles, counts], [served]);
    expect(findings.map(({ verdict }) => verdict)).toEqual(["error", "pass"]);
    expect(findings[0]!.reason).toContain("TypeError: a slip");
  });
});
