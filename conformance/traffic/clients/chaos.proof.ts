import { expect, it } from "vitest";
import { underChaos } from "./chaos.fixture.ts";
import { wrongClients } from "./wrong-clients.ts";

it("another seed makes other faults, and finds nothing in the right client either", async () => {
  const { broken, faults } = await underChaos("seed 5");
  expect(broken).toEqual([]);
  expect(faults).not.toBe("");
});

it("exactly FLOW-28 is found in the client that meets trouble in that wrong way", async () => {
  const { broken } = await underChaos("seed 4", wrongClients["FLOW-28"]);
  expect(
    broken.map((line) => line.slice(0, 7)),
    broken.join("\n"),
  ).toEqual(["FLOW-28"]);
});
