import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { expectedWords, receivedWords } from "../judge/fact.ts";
import { causesIn, exchangeOf } from "./causes.ts";
import { compareReports, gotWorse } from "./compare.ts";
import { factOf } from "./earlier.ts";
import { readReport } from "./judge-again.ts";
import { judgedAgainst } from "./known.ts";

/** A report that 0.1.0 wrote of a server with two faults, one failure listed as known and one inherited. */
const recorded = fileURLToPath(new URL("report-0.1.0.fixture.json", import.meta.url));

it("reads a report of 0.1.0: known failures as a state, and what failed as data", async () => {
  const report = await readReport(recorded);
  const known = report.checks.filter(({ verdict }) => verdict === "known");
  expect(known.map(({ known: why }) => why)).toEqual([
    { by: "list", verdict: "fail", until: "2027-02-18", reason: "not mended yet" },
    { by: "base", verdict: "fail", since: "2026-11-28" },
  ]);
  expect(known[1]!.reason).toBe("expected a Call response with success true");
  expect(report.summary).toMatchObject({ known: 2, fail: 1, not_applicable: 0 });
  expect(report.checks.find(({ id }) => id === "CALL-03/call-200-success")!.fact).toMatchObject({
    kind: "member",
    place: "success",
    names: ["success"],
    expected: { types: ["boolean"] },
    received: { value: "true" },
  });
});

it("serves compare, --base and --failed", async () => {
  const [old, now] = [await readReport(recorded), await readReport(recorded)];
  expect(gotWorse(compareReports([old, now]))).toBe(false);
  const fixed = now.checks.map((check) =>
    check.verdict === "fail" ? { ...check, verdict: "pass" as const } : check,
  );
  const compared = compareReports([old, { ...now, checks: fixed }]);
  expect(compared.filter(({ change }) => change === "green").map(({ id }) => id)).toEqual([
    "CALL-03/call-200-success",
  ]);
  expect(causesIn({ ...old, causes: undefined! })[0]).toMatchObject({
    lead: "CALL-03/call-200-success",
    what: expect.stringContaining("expected success: boolean") as string,
  });
  const findings = now.checks.map((check) => ({
    ...check,
    exchanges: check.exchanges.map((exchange) => exchangeOf(exchange, now.target)),
  }));
  for (const finding of findings) if (finding.known) finding.verdict = finding.known.verdict;
  const against = judgedAgainst({ findings, exchanges: [], broken: new Map() } as never, old, old.hashes);
  // What the base lists as known is not inherited from it.
  expect(against.introduced).toEqual([expect.stringMatching("^CALL-07/")]);
  expect(against.inherited).toHaveLength(4);
});

it.each([
  ["status 200 or 201", "status 404 with {}", "status"],
  ["the status of discover without a credential: 401", "200", "status"],
  ["header X-Service-Api-Version: 1", "nothing", "header"],
  ["the envelope: status, message, status_code, data", "{}", "envelope"],
  ["data.items.0.id: string, a UUID", "7", "member"],
  ["the balance: 10", "nothing", "value"],
  ["the usage events: not to be empty", "[]", "value"],
  ["each created_at no later than the one before", '{"id":"1"}', "condition"],
])("takes %j and %j apart without losing a word", (expected, received, kind) => {
  const fact = factOf(expected, received);
  expect(fact.kind).toBe(kind);
  expect([expectedWords(fact), receivedWords(fact)]).toEqual([expected, received]);
});
