import { expect, it } from "vitest";
import { checks } from "../suite/checks.ts";
import { inWords, judgedRecording, trafficOf } from "./suite-traffic.fixture.ts";

it("a recording of all traffic of the suite has no finding", async () => {
  const { broken, kept } = await judgedRecording(await trafficOf(checks));
  expect(inWords(broken)).toEqual([]);
  expect(kept.length).toBeGreaterThan(200);
});
