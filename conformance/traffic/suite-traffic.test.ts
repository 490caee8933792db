import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { checks } from "../checks/index.ts";
import type { Exchange } from "../exchange.ts";
import { mutants } from "../mutants/index.ts";
import { onEach, onHeaders, type Change } from "../mutants/mutant.ts";
import { openStage, type Stage } from "../mutants/stage.ts";
import { run } from "../runner/run.ts";
import type { Finding } from "../runner/run.ts";
import { readHar, baseUrlOf } from "./har.ts";
import { writeHar } from "./har.fixture.ts";
import { TrafficJudge } from "./traffic-judge.ts";

let stage: Stage;
let folder: string;
beforeAll(async () => {
  stage = await openStage();
  folder = await mkdtemp(join(tmpdir(), "capability-contract-traffic-"));
});
afterAll(async () => {
  await stage.close();
  await rm(folder, { recursive: true, force: true });
});

/** Records what some areas of the suite send to a server with one change, as HAR. */
async function recorded(change: Change, areas: readonly string[]): Promise<string> {
  const chosen = checks.filter(
    ({ clauses, window }) => areas.includes(clauses[0]!.split("-")[0]!) && !window,
  );
  const exchanges = await stage.perform(change, async (profile): Promise<Exchange[]> => {
    const done = await run(profile, { checks: chosen, rules: [], concurrency: 8, fast: true });
    return done.exchanges;
  });
  const file = join(folder, `${randomUUID()}.har`);
  await writeHar(file, exchanges);
  return file;
}

async function judged(file: string): Promise<{ broken: Finding[]; kept: Finding[] }> {
  const judge = new TrafficJudge("server", false);
  for await (const traffic of readHar(file, await baseUrlOf(file))) judge.see(traffic);
  const findings = judge.findings();
  const errors = findings.filter(({ verdict }) => verdict === "error");
  if (errors.length > 0) throw new Error(errors[0]!.reason!);
  return {
    broken: findings.filter(({ verdict }) => verdict === "fail" || verdict === "warn"),
    kept: findings.filter(({ verdict }) => verdict === "pass"),
  };
}

const inWords = (findings: readonly Finding[]): string[] =>
  findings.map(({ id, expected, received }) => `${id}: expected ${expected}, received ${received}`);

it("a recording of the suite's own traffic has no finding", { timeout: 120_000 }, async () => {
  const areas = [...new Set(checks.map(({ clauses }) => clauses[0]!.split("-")[0]!))];
  const file = await recorded({}, areas);
  const { broken, kept } = await judged(file);
  expect(inWords(broken)).toEqual([]);
  expect(kept.length).toBeGreaterThan(150);
  for (const clause of [
    "CALL-02",
    "BILL-03",
    "BILL-05",
    "BILL-07",
    "BILL-11",
    "BILL-23",
    "USAG-08",
    "USAG-09",
    "USAG-11",
    "LEDG-03",
  ]) {
    expect(kept.map(({ id }) => id)).toContain(`${clause}/across`);
  }
});

/** What a server may do wrong on the wire, and the area of the suite whose traffic shows it. */
const wrong: readonly (readonly [clause: string, area: string, change: Change])[] = [
  ...["DISC-02", "DISC-03", "DISC-16"].map((clause) => {
    const one = mutants.find((mutant) => mutant.clause === clause && mutant.change.wire !== undefined);
    return [clause, "DISC", one!.change] as const;
  }),
  [
    "VERS-01",
    "DISC",
    onHeaders(({ operation }, { status }) => operation === "discover" && status === 200, {
      "X-Service-Api-Version": undefined,
    }),
  ],
  ["BILL-03", "BILL", onEach("listUsage", "data.items", { success: false })],
  ["BILL-05", "BILL", onEach("listLedger", "data.items", { amount_credits: (amount: number) => amount * 2 })],
  ["BILL-11", "BILL", onEach("listUsage", "data.items", { id: () => randomUUID() })],
  ["USAG-11", "BILL", onEach("listUsage", "data.items", { tool_id: "another.tool" })],
];

it.each(wrong)(
  "the recording of a server that breaks %s has a finding that names it",
  async (clause, area, change) => {
    const { broken } = await judged(await recorded(change, [area]));
    expect(broken.flatMap(({ clauses }) => clauses)).toContain(clause);
  },
  60_000,
);
