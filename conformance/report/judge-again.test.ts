import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { exchangesOf, judgeAgain, readReport } from "./judge-again.ts";
import { sampleCheck, sampleExchange, sampleReport } from "./sample-report.fixture.ts";
import { rule, type Rule } from "../judge/rule.ts";

const home = await mkdtemp(join(tmpdir(), "capability-contract-again-"));
afterAll(() => rm(home, { recursive: true, force: true }));

const namesItsExecution: Rule = rule("CALL-01", "a Call names its execution", ({ operation, body }) => {
  if (operation !== "call") return null;
  const id = (body as { execution_id?: unknown }).execution_id;
  return typeof id === "string" || { expected: "execution_id", received: "nothing" };
});
const discovers: Rule = rule("DISC-01", "Discover answers", ({ operation }) =>
  operation === "discover" ? true : null,
);

const right = sampleExchange({ response: { headers: {}, body: '{"execution_id":"e-1"}' } });
const wrong = sampleExchange({
  started_at: "2026-11-20T09:30:02.000Z",
  response: { headers: {}, body: '{"success":true}' },
});

describe("judging a report again", () => {
  it("checks its exchanges against the rules, and keeps what checks found", () => {
    const check = sampleCheck({ id: "CALL-02/by-a-check", clauses: ["CALL-02"], exchanges: [right, wrong] });
    const before = sampleReport([check, sampleCheck({ id: namesItsExecution.id })]);
    const after = judgeAgain(before, [namesItsExecution]);
    expect(after.checks.map(({ id, verdict }) => [id, verdict])).toEqual([
      ["CALL-02/by-a-check", "pass"],
      ["CALL-01/always", "fail"],
    ]);
    expect(after.checks[1]!.exchanges).toEqual([expect.objectContaining({ response: wrong.response })]);
    expect(after.summary).toMatchObject({ pass: 1, fail: 1 });
    expect(after.clauses.find(({ id }) => id === "CALL-01")!.verdict).toBe("fail");
    expect(after).toMatchObject({ target: before.target, started_at: before.started_at });
  });

  it("keeps the verdict of a rule that the file does not exercise, and adds a rule that is new", () => {
    const old = sampleCheck({ id: discovers.id, clauses: ["DISC-01"], exchanges: [] });
    const call = sampleCheck({ id: "CALL-02/by-a-check", clauses: ["CALL-02"], exchanges: [right] });
    const { checks } = judgeAgain(sampleReport([old, call]), [discovers, namesItsExecution]);
    expect(checks.map(({ id, verdict }) => [id, verdict])).toEqual([
      ["CALL-02/by-a-check", "pass"],
      ["DISC-01/always", "pass"],
      ["CALL-01/always", "pass"],
    ]);
  });

  it("applies to a part of the suite the rules of its areas alone", () => {
    const call = sampleCheck({ id: "CALL-02/by-a-check", clauses: ["CALL-02"], exchanges: [right] });
    const part = { ...sampleReport([call]), part: "--only CALL" };
    const { checks } = judgeAgain(part, [discovers, namesItsExecution]);
    expect(checks.map(({ id }) => id)).toEqual(["CALL-02/by-a-check", "CALL-01/always"]);
  });

  it("keeps what the run's traffic showed of a cause, and adds what else the rules find", () => {
    const audit = sampleCheck({
      id: "USAG-01/a",
      clauses: ["USAG-01"],
      verdict: "blocked",
      reason: "GET /auth/usage/history/v2 answered 404",
    });
    const mended = sampleCheck({ id: "USAG-02/b", clauses: ["USAG-02"] });
    const call = sampleCheck({ id: "CALL-02/by-a-check", clauses: ["CALL-02"], exchanges: [wrong] });
    const cause = {
      what: "GET /auth/usage/history/v2 is not implemented (404)",
      verdict: "blocked" as const,
      lead: audit.id,
      clauses: ["USAG-01"],
      places: [],
      checks: [mended.id],
      blocks: [audit.id],
      declare: "features: {listUsage: {off: not implemented yet}}",
    };
    const before = sampleReport([audit, mended, call], { causes: [cause] });
    expect(judgeAgain(before, [namesItsExecution]).causes).toEqual([
      expect.objectContaining({ lead: "CALL-01/always" }),
      { ...cause, checks: [] },
    ]);
  });

  it("says who judged before, and keeps the profile's hash", () => {
    const before = sampleReport([]);
    const after = judgeAgain(judgeAgain(before, []), []);
    expect(after.judged_before).toEqual({ suite_version: "0.1.0", hashes: before.hashes });
    expect(after.hashes.profile).toBe(before.hashes.profile);
    expect(after.hashes.suite).not.toBe(before.hashes.suite);
  });

  it("takes each exchange once, and omits those with a truncated body", () => {
    const cut = sampleExchange({
      url: "https://api.example.test/api/v1/search",
      response: { headers: {}, body: "{…", cut_from: 70_000 },
    });
    const silent = sampleExchange({ status: null, duration_ms: 15, response: { error: "socket hang up" } });
    const report = sampleReport([
      sampleCheck({ exchanges: [wrong, right, cut] }),
      sampleCheck({ id: "CALL-01/b", exchanges: [wrong, silent] }),
    ]);
    const exchanges = exchangesOf(report);
    expect(exchanges.map(({ operation, response }) => [operation, response?.body])).toEqual([
      ["call", '{"execution_id":"e-1"}'],
      ["call", undefined],
      ["call", '{"success":true}'],
    ]);
  });
});

describe("reading a report", () => {
  it("gives checks of an earlier release the ids of today", async () => {
    const file = join(home, "earlier.json");
    const old = "AUTH-04/a-key-that-is-cut-short-or-goes-on-is-refused";
    await writeFile(file, JSON.stringify(sampleReport([sampleCheck({ id: old })])));
    expect((await readReport(file)).checks.map(({ id }) => id)).toEqual([
      "AUTH-04/a-key-that-is-cut-short-or-extended-is-refused",
    ]);
  });

  it("refuses any other file, and says what it should be", async () => {
    await expect(readReport(join(home, "none.json"))).rejects.toThrow(
      /cannot be read; it should be a report/,
    );
    const file = join(home, "some.json");
    await writeFile(file, "<html>");
    await expect(readReport(file)).rejects.toThrow(/is not JSON/);
    for (const text of ["null", "{}", '{"target":"x","checks":[]}']) {
      await writeFile(file, text);
      await expect(readReport(file)).rejects.toThrow(/is not a report of this suite, or is an old one/);
    }
  });
});
