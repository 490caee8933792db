import { expect, it } from "vitest";
import type { OpenApiDocument } from "./bundle.ts";
import { disagreements, linesThatDistinguish, placesToDecide } from "./check-agreement.ts";
import { readSpec, readWritten } from "./generate.ts";

const [spec, written] = await Promise.all([readSpec(), readWritten()]);

/** The spec with an extra charge outcome, only in its enum. */
function grownSpec(): OpenApiDocument {
  const grown = structuredClone(spec);
  const { ChargeOutcome } = grown.components["schemas"] as { ChargeOutcome: { enum: string[] } };
  ChargeOutcome.enum.push("refunded");
  return grown;
}

it("the texts of spec/ agree with its facts", () => {
  expect(disagreements(spec, written)).toEqual([]);
});

it("names every text with another version", async () => {
  const [newer, changed] = [structuredClone(spec), await readWritten()];
  const old = String(newer.info["version"]);
  newer.info["version"] = "2099-01-01.1";
  const [clause] = changed.areas[0]!.value.clauses;
  clause!.text = `It answers as in ${old}.`;
  const problem = `names version ${old}; spec/openapi/root.yaml gives 2099-01-01.1`;
  expect(disagreements(newer, changed)).toEqual([
    `spec/contract.md ${problem}`,
    expect.stringMatching(new RegExp(`^${changed.areas[0]!.name}:\\d+: .*${problem}$`)),
  ]);
});

it("names the schemas that a new word concerns", () => {
  expect(disagreements(grownSpec(), written)).toEqual([
    "spec/openapi/schemas/ChargeOutcome.yaml: x-meaning lacks refunded",
    "spec/openapi/schemas/ChargeOutcomeCounts.yaml lacks refunded: ChargeOutcome has the word",
    "spec/openapi/schemas/UsageBucket.yaml lacks refunded_count: ChargeOutcome has the word",
  ]);
});

it("names the places that tell the words of a grown vocabulary apart, and none while it is unchanged", () => {
  expect(placesToDecide(spec, spec)).toEqual([]);
  const [head, ...places] = placesToDecide(spec, grownSpec());
  expect(head).toMatch(/^ChargeOutcome has the new word refunded\./);
  expect(places.join("\n")).toMatch(/reference-server\/billing\/outcome\.ts:\d+: /);
});

it("a place compares with a word, or lists several; a line that only uses a word is not one", () => {
  const words = new Set(["charged", "included"]);
  const distinguishes = (source: string) => linesThatDistinguish(source, words).length > 0;
  expect(distinguishes('if (outcome === "charged") count += 1;')).toBe(true);
  expect(distinguishes('switch (outcome) { case "included": return 0; }')).toBe(true);
  expect(distinguishes("const names = { charged: 1, included: 2 };")).toBe(true);
  expect(distinguishes('const paid = ["charged", "included"];')).toBe(true);
  expect(distinguishes('call(tool("charged"));')).toBe(false);
});
