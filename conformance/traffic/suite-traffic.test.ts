import { readFile } from "node:fs/promises";
import { beforeAll, expect, it } from "vitest";
import { oddities, oddly, type OddWay } from "../../reference-server/chaos/odd.ts";
import { jsonOf, type Exchange } from "../judge/exchange.ts";
import { nothingMissing } from "../judge/missing.ts";
import { checks } from "../suite/checks.ts";
import { crossingRules } from "../suite/crossing.ts";
import { inWords, judgedRecording, trafficOf } from "./suite-traffic.fixture.ts";
import { TrafficJudge } from "./traffic-judge.ts";

/** The traffic of every fourth check; of all of them: suite-traffic.proof.ts. */
let exchanges: readonly Exchange[];
beforeAll(async () => {
  exchanges = await trafficOf(checks.filter((_, index) => index % 4 === 0));
});

it.each(Object.keys(oddities) as OddWay[])("no rule accuses a server whose answers have %s", (way) => {
  const judge = new TrafficJudge("server", false);
  let changed = 0;
  // A run shortens long bodies, which are then not JSON. All exchanges of all checks: suite-traffic.proof.ts.
  for (const exchange of exchanges.filter((one, index) => index % 3 === 0 && jsonOf(one) !== undefined)) {
    const { response, operation } = exchange;
    const body = response?.status === 200 ? oddly(way, operation, response.body) : response?.body;
    if (body !== response?.body) changed += 1;
    judge.see({
      exchange: { ...exchange, response: response && { ...response, body: body! } },
      missing: nothingMissing,
    });
  }
  expect(changed).toBeGreaterThan(10);
  const broken = judge.findings().filter(({ verdict }) => ["fail", "warn", "error"].includes(verdict));
  expect(inWords(broken)).toEqual([]);
});

it.each(Object.entries(oddities))("the contract or a standard permits %s", async (_, { permittedBy }) => {
  const contract = await readFile(new URL("../../spec/contract.md", import.meta.url), "utf8");
  expect(/^RFC \d+, \d/.test(permittedBy) || contract.includes(permittedBy)).toBe(true);
});

// What a mutant does wrong is found in a recording of it: recorded-mutants.proof.ts.
it("a recording of the suite's own traffic has no finding", async () => {
  const { broken, kept } = await judgedRecording(exchanges);
  expect(inWords(broken)).toEqual([]);
  expect(kept.length).toBeGreaterThan(150);
  expect(kept.map(({ id }) => id)).toEqual(expect.arrayContaining(crossingRules.map(({ id }) => id)));
});
