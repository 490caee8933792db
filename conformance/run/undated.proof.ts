import { expect, it } from "vitest";
import { verdictsIn } from "./undated.fixture.ts";

it("finds nothing wrong with a server five years from now", async () => {
  const found = await verdictsIn(5, "conformance", "--fast");
  const verdicts = Object.values(found);
  expect(verdicts.filter((verdict) => verdict === "pass").length).toBeGreaterThan(500);
  expect(Object.entries(found).filter(([, verdict]) => verdict === "fail" || verdict === "error")).toEqual(
    [],
  );
});
