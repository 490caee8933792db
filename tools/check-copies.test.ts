import { beforeAll, describe, expect, it } from "vitest";
import { copiesIn, factsOf, type Facts } from "./check-copies.ts";
import { readSpec } from "./generate.ts";

let facts: Facts;

beforeAll(async () => {
  facts = factsOf(await readSpec());
});

const found = (text: string, file = "some/file.ts") =>
  copiesIn(file, text, facts).map(({ line, message }) => `${line}: ${message}`);

describe("a second copy", () => {
  it("of the version is found in code and in text", () => {
    const message = expect.stringMatching(/contract's version; read contractVersion/) as unknown;
    expect(found(`const a = 1;\nconst version = "${facts.version}";`)).toEqual([message]);
    expect(found(`version: ${facts.version}`, "deploy/some.yaml")).toEqual([message]);
  });

  it("of the default quotas is found, and one with other quotas is not", () => {
    const quotas = [...facts.quotas].map(([id, requests]) => `${id}: ${requests}`).join(", ");
    expect(found(`limits: { ${quotas} }`, "README.md")).toEqual([
      expect.stringMatching(/default quotas; read operations\.<id>\.rateLimit/),
    ]);
    expect(found("const quotas = { discover: 1, inspect: 2, probe: 3, call: 4 };")).toEqual([]);
  });

  it("of a vocabulary is found in a list and in a union, with the name to read", () => {
    const words = [...facts.lists.find(({ name }) => name === "eventTypes")!.words].map(
      (word) => `"${word}"`,
    );
    const message = expect.stringMatching(/; read eventTypes of generated\/contract\.ts/) as unknown;
    expect(found(`const types = [${words.join(", ")}];`)).toEqual([message]);
    expect(found(`type EventType = ${words.join(" | ")};`)).toEqual([message]);
  });

  it("is not a choice of a few words, or a table that decides for each", () => {
    expect(found('const core = ["discover", "inspect"];')).toEqual([]);
    expect(found("const isCharged = { charged: true, included: false, failed_not_charged: false };")).toEqual(
      [],
    );
  });

  it("of the table of paths is found, and the steps of a scenario are not", () => {
    const rows = [...facts.paths].map((path) => `["POST", "${path}"]`);
    expect(found(`const table = [${rows.join(", ")}];`)).toEqual([expect.stringMatching(/a table of paths/)]);
    expect(found(`const steps = [${rows.slice(0, 4).join(", ")}];`)).toEqual([]);
  });
});
