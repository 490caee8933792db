import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { oddities, oddly, type OddWay } from "../../reference-server/chaos/odd.ts";
import { jsonOf, type Exchange } from "../judge/exchange.ts";
import { nothingMissing } from "../judge/missing.ts";
import { checks } from "../suite/checks.ts";
import { openStage, type Stage } from "../proof/stage.ts";
import { run } from "../run/run.ts";
import type { Finding } from "../judge/finding.ts";
import { readHar, surveyOf } from "./har.ts";
import { writeHar } from "./write-har.ts";
import { crossingRules } from "../suite/crossing.ts";
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

async function judged(file: string): Promise<{ broken: Finding[]; kept: Finding[] }> {
  const judge = new TrafficJudge("server", true);
  for await (const traffic of readHar(file, await surveyOf(file))) judge.see(traffic);
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

let exchanges: Exchange[];
/** Those with a JSON body, each operation and status a few dozen times: a run shortens long bodies, which are no JSON then. */
let sample: Exchange[];
beforeAll(async () => {
  const whole = await stage.perform({}, (profile) =>
    run(profile, {
      checks: checks.filter(({ window }) => !window),
      rules: [],
      concurrency: 8,
      fast: true,
    }),
  );
  exchanges = whole.exchanges;
  const groups = Map.groupBy(exchanges, ({ operation, response }) => `${operation} ${response?.status}`);
  sample = [...groups.values()].flatMap((group) =>
    group.filter((one) => jsonOf(one) !== undefined).slice(0, 30),
  );
});

it.each(Object.keys(oddities) as OddWay[])("no rule accuses a server whose answers have %s", (way) => {
  const judge = new TrafficJudge("server", false);
  let changed = 0;
  for (const exchange of sample) {
    const { response, operation } = exchange;
    const body = response?.status === 200 ? oddly(way, operation, response.body) : response?.body;
    if (body !== response?.body) changed += 1;
    judge.see({
      exchange: { ...exchange, response: response && { ...response, body: body! } },
      missing: nothingMissing,
    });
  }
  expect(changed).toBeGreaterThan(10);
  const broken = judge
    .findings()
    .filter(({ verdict }) => verdict === "fail" || verdict === "warn" || verdict === "error");
  expect(inWords(broken)).toEqual([]);
});

it.each(Object.entries(oddities))("the contract or a standard permits %s", async (_, { permittedBy }) => {
  const contract = await readFile(new URL("../../spec/contract.md", import.meta.url), "utf8");
  expect(/^RFC \d+, \d/.test(permittedBy) || contract.includes(permittedBy)).toBe(true);
});

// What a mutant does wrong is found in a recording of it: recorded-mutants.proof.ts.
it("a recording of the suite's own traffic has no finding", async () => {
  const file = join(folder, "whole.har");
  writeHar(file, exchanges);
  const { broken, kept } = await judged(file);
  expect(inWords(broken)).toEqual([]);
  expect(kept.length).toBeGreaterThan(150);
  expect(kept.map(({ id }) => id)).toEqual(expect.arrayContaining(crossingRules.map(({ id }) => id)));
});
