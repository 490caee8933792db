import { beforeAll, expect, it } from "vitest";
import type { Exchange } from "../judge/exchange.ts";
import { checks } from "../suite/checks.ts";
import { crossingRules } from "../suite/crossing.ts";
import { inWords, judgedOddly, judgedRecording, oddWays, trafficOf } from "./suite-traffic.fixture.ts";

let exchanges: readonly Exchange[];
beforeAll(async () => {
  exchanges = await trafficOf(checks);
});

it("a recording of all traffic of the suite has no finding", async () => {
  const { broken, kept } = await judgedRecording(exchanges);
  expect(inWords(broken)).toEqual([]);
  expect(kept.length).toBeGreaterThan(200);
  expect(kept.map(({ id }) => id)).toEqual(expect.arrayContaining(crossingRules.map(({ id }) => id)));
});

it.each(oddWays)("no rule accuses a server whose answers to all checks have %s", (way) => {
  const { changed, broken } = judgedOddly(way, exchanges);
  expect(changed).toBeGreaterThan(100);
  expect(inWords(broken)).toEqual([]);
});
