import { afterEach, expect, test, vi } from "vitest";
import { kinds } from "../certify/scenarios.ts";
import explain, { forTerminal } from "./explain.ts";
import { githubAnnotations } from "./github.ts";
import { htmlReport } from "./html.ts";
import { junitReport } from "./junit.ts";
import { sampleCheck, sampleReport } from "./sample-report.fixture.ts";
import { terminalReport } from "./terminal.ts";

const plainly = (_: unknown, text: string): string => text;

afterEach(() => vi.unstubAllEnvs());

const failed = sampleReport([sampleCheck({ verdict: "fail", expected: "1", received: "2" })]);

test("every report of a failure leads to its clause's page on the site that CONTRACT_DOCS names", () => {
  vi.stubEnv("CONTRACT_DOCS", "https://docs.example.test/contract/");
  const address = "https://docs.example.test/contract/clauses/CALL-01.html";
  for (const report of [
    terminalReport(failed, plainly),
    htmlReport(failed),
    junitReport(failed),
    githubAnnotations(failed).join("\n").replaceAll("%3A", ":"),
  ])
    expect(report).toContain(address);
});

test("without a site it names the command that prints the page", () => {
  vi.stubEnv("CONTRACT_DOCS", "");
  expect(terminalReport(failed, plainly)).toContain("explained by npm run explain -- CALL-01");
  expect(junitReport(failed)).toContain("CALL-01 is explained by npm run explain -- CALL-01");
});

test("the page of a clause quotes the contract, and shows the source of what judges it", async () => {
  const log = vi.spyOn(console, "log").mockReturnValue();
  await explain.run("explain", ["CALL-07"]);
  const page = log.mock.calls.flat().join("\n");
  for (const said of ["> failed_not_charged | Effective", "It is kept.", "It is broken.", '      "CALL-07",'])
    expect(page).toContain(said);
});

test("a page for the terminal has neither marks nor escapes outside of code", () => {
  const page =
    "# CALL-07\n\n- Area: [Call](./call.md), `a_b`\n\n> failed\\_not &lt;1&gt;\n\n````ts\nif (a) {\n````\n\nend\n";
  expect(forTerminal(page, plainly)).toBe(
    "CALL-07\n\n- Area: Call, `a_b`\n\n> failed_not <1>\n\n    if (a) {\n\nend",
  );
});

test("an area lists its clauses", async () => {
  const log = vi.spyOn(console, "log").mockReturnValue();
  await explain.run("explain", ["call"]);
  const lines = log.mock.calls.map(([line]) => String(line));
  expect(lines).toContainEqual(expect.stringMatching(/^CALL-03 must: `success` is a boolean/));
  expect(lines.filter((line) => !line.startsWith("CALL-"))).toEqual([]);
});

test("an unknown clause is reported in one sentence", async () => {
  await expect(explain.run("explain", ["CALL-99"])).rejects.toThrow(/^There is no clause CALL-99; .*CALL/);
});

test.each(kinds)(
  "the page of the scenario $name says what happens and what a right client does",
  async (kind) => {
    const log = vi.spyOn(console, "log").mockReturnValue();
    await explain.run("explain", [`${kind.name}@2`]);
    const said = log.mock.calls.flat().join("\n");
    for (const part of [
      kind.title,
      "What happens.",
      "A right client.",
      "A wrong client.",
      `--only ${kind.name} --`,
    ])
      expect(said).toContain(part);
    // Such a page is for authors of clients.
    expect(said).not.toContain("reference-server");
  },
);
