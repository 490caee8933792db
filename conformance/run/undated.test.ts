import { resolve } from "node:path";
import { expect, it } from "vitest";
import { verdictsIn } from "./undated.fixture.ts";

const recording = resolve(import.meta.dirname, "../traffic/dialects/chrome.har");

// A server five years from now: undated.proof.ts.
it("comes to the same verdicts on a recording in five years", async () => {
  const now = await verdictsIn(0, "judge", recording);
  expect(Object.values(now)).toContain("pass");
  expect(await verdictsIn(5, "judge", recording)).toEqual(now);
});
