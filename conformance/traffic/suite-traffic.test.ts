import { readFile } from "node:fs/promises";
import { beforeAll, expect, it } from "vitest";
import { oddities } from "../../reference-server/chaos/odd.ts";
import type { Exchange } from "../judge/exchange.ts";
import { checks } from "../suite/checks.ts";
import { inWords, judgedOddly, judgedRecording, oddWays, trafficOf } from "./suite-traffic.fixture.ts";

/** The traffic of every sixteenth check; of all of them: suite-traffic.proof.ts. */
let exchanges: readonly Exchange[];
beforeAll(async () => {
  exchanges = await trafficOf(checks.filter((_, index) => index % 16 === 0));
});

it.each(oddWays)("no rule accuses a server whose answers have %s", (way) => {
  const { changed, broken } = judgedOddly(
    way,
    exchanges.filter((_, index) => index % 2 === 0),
  );
  expect(changed).toBeGreaterThan(10);
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
  expect(kept.length).toBeGreaterThan(100);
});
