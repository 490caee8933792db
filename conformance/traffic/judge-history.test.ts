import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { simulate, type Simulation } from "../books/history/simulated.fixture.ts";
import type { Finding } from "../judge/finding.ts";
import { writeHar } from "./write-har.ts";

const folder = mkdtempSync(join(tmpdir(), "capability-contract-history-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const program = join(import.meta.dirname, "../../cli/cli.ts");

/** What `judge --history` says of a simulated account: its sentences, and the contradictions of its books by id. */
function judged(
  simulation: Partial<Simulation>,
  lagSeconds = "0",
): { said: string; contradictions: string[] } {
  const { taken } = simulate({ seed: 7, operations: 200, clients: 4, ...simulation });
  const [file, report] = [join(folder, "calls.har"), join(folder, "report.json")];
  const headers = { authorization: "Bearer cc_live_simulated" };
  writeHar(
    file,
    taken.map(({ exchange }) => ({ ...exchange, request: { ...exchange.request, headers } })),
  );
  const flags = ["judge", file, "--history", "--complete", "--audit-lag", lagSeconds, "--json", report];
  const { stdout, stderr } = spawnSync(process.execPath, [program, ...flags], { encoding: "utf8" });
  const { checks } = JSON.parse(readFileSync(report, "utf8")) as { checks: Finding[] };
  const ofHistory = checks.filter(({ id }) => id.includes("/history-"));
  return { said: stdout + stderr, contradictions: ofHistory.map(({ id }) => id) };
}

it("finds no contradiction in the recorded history of a lawful account, and names its strength", () => {
  const { said, contradictions } = judged({});
  expect(contradictions).toEqual([]);
  expect(said).toMatch(/\d+ operations on the books, \d+ of them Calls/);
  expect(said).toContain("the reads show that");
});

it("finds a Call that was charged twice in a recording", () => {
  const twice: Simulation["charges"] = ([one]) => [
    one!,
    { ...one!, entry: { ...one!.entry, id: `${one!.entry["id"]}b` } },
  ];
  expect(judged({ charges: twice }).contradictions).toContain("BILL-12/history-call-with-two-charges");
});
