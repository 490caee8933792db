import { expect, it } from "vitest";
import { underChaos } from "./chaos.fixture.ts";
import { wrongClients } from "./wrong-clients.ts";

it.concurrent("nothing is found in the right client, and the same seed repeats the same faults", async () => {
  const [first, second] = await Promise.all([underChaos("seed 4"), underChaos("seed 4")]);
  expect(first.broken).toEqual([]);
  expect(second.broken).toEqual([]);
  expect(second.faults).toBe(first.faults);
  expect(new Set(first.kinds).size).toBeGreaterThan(4);
  expect(first.kinds.some((kind) => kind.startsWith("the answer is lost"))).toBe(true);
});

// Another seed, and another fault: chaos.proof.ts.
it.concurrent(
  "exactly FLOW-15 is found in the client that pays twice for an answer that is lost",
  async () => {
    const { broken } = await underChaos("seed 4", wrongClients["FLOW-15"]);
    expect(
      broken.map((line) => line.slice(0, 7)),
      broken.join("\n"),
    ).toEqual(["FLOW-15"]);
  },
);
