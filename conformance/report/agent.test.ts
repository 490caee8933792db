import { expect, it } from "vitest";
import { agentFinding, agentPage, causeNamed } from "./agent.ts";
import { causesIn } from "./causes.ts";
import { sampleCheck, sampleExchange, sampleReport } from "./sample-report.fixture.ts";

/** A token is about four characters. */
const tokens = (text: string): number => Math.ceil(text.length / 4);
const long = "x".repeat(10_000);
const failed = (clause: string) =>
  sampleCheck({
    clauses: [clause],
    verdict: "fail",
    expected: long,
    received: long,
    culprit: 0,
    exchanges: [sampleExchange({ curl: `curl '${long}'` })],
  });

it("stays within its tokens however much is wrong, and says how much it omits", () => {
  const clauses = Array.from({ length: 40 }, (_, index) => `CALL-${String(index + 1).padStart(2, "0")}`);
  const report = sampleReport(clauses.map(failed));
  const page = agentPage(report, "report.json");
  expect(tokens(page)).toBeLessThanOrEqual(1_500);
  expect(page).toMatch(/^1\. CALL-01\/sample: .*$/m);
  expect(page).toMatch(/^and \d+ more$/m);
  for (const cause of causesIn(report)) expect(tokens(agentFinding(report, cause))).toBeLessThanOrEqual(400);
});

it("says what is unverified for want of what, and calls nothing a cause where nothing is to fix", () => {
  const remedy = "mailbox: {smtp_listen: HOST:PORT}";
  const unverified = sampleCheck({ clauses: ["TRIA-12", "TRIA-13"], verdict: "unverified", remedy });
  const page = agentPage(sampleReport([sampleCheck(), unverified]), "report.json");
  expect(page).toContain("1 passed, 1 unverified; nothing to fix.");
  expect(page).toContain("Judged 1 of");
  expect(page).toContain(`most would add ${remedy} to the profile: 2 clauses.`);
  expect(page).toContain(`unverified, 2 clauses: add to the profile ${remedy}`);
});

it("finds a cause by its number, its check or its clause", () => {
  const report = sampleReport([failed("CALL-01"), failed("CALL-03")]);
  const leads = ["2", "CALL-03/sample", "CALL-03", "NONE-01"].map((name) => causeNamed(report, name)?.lead);
  expect(leads).toEqual(["CALL-03/sample", "CALL-03/sample", "CALL-03/sample", undefined]);
});
