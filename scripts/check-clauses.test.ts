import { describe, expect, it } from "vitest";
import { checkClauses, problemsOf, uncitedOf } from "./check-clauses.ts";
import type { Clause, ClauseInput } from "./check-clauses.ts";

const contract = [
  "# A contract",
  "",
  "| Field | Type |",
  "|---|---|",
  "| id | string |",
  "",
  "Nothing to see.",
].join("\n");

const clause: Clause = {
  id: "CALL-01",
  level: "must",
  text: "`id` is a string.",
  source: "Table",
  lines: [5],
  operation: "call",
  seen: "blackbox",
};

const inputOf = (change: Record<string, unknown> = {}, rest: Partial<ClauseInput> = {}): ClauseInput => ({
  files: [
    {
      name: "call.yaml",
      content: { area: "call", prefix: "CALL", title: "Call", clauses: [{ ...clause, ...change }] },
    },
  ],
  notClauses: [{ lines: [7], why: "No obligation." }],
  contract,
  operationIds: new Set(["call"]),
  ...rest,
});

describe("problemsOf", () => {
  it("finds nothing wrong with a sound clause", () => {
    expect(problemsOf(inputOf())).toEqual([]);
  });

  it.each([
    ["a malformed id", { id: "CALL-1" }, /call\.yaml, CALL-1: `id` must be four capitals/],
    ["an id outside the area's prefix", { id: "PROB-01" }, /PROB-01: the id must begin with .* CALL-/],
    ["another level", { level: "may" }, /CALL-01: `level` must be/],
    ["another party", { party: "server" }, /CALL-01: `party` may only be/],
    ["an empty text", { text: " " }, /CALL-01: `text` must be a sentence/],
    ["no source", { source: undefined }, /CALL-01: `source` must/],
    ["a line outside the contract", { lines: [5, 99] }, /CALL-01: `lines` must list/],
    ["a range that runs backwards", { lines: ["5-4"] }, /CALL-01: `lines` must list/],
    ["a line that is a heading", { lines: [5, 1] }, /CALL-01: line 1 .* is blank, a heading/],
    ["an unknown operation", { operation: ["call", "recall"] }, /CALL-01: unknown operation recall/],
    ["both operation and resource", { resource: "UsageEvent" }, /CALL-01: exactly one of/],
    ["neither operation nor resource", { operation: undefined }, /CALL-01: exactly one of/],
    ["an unknown need", { seen: { needs: ["tool.magic"] } }, /CALL-01: unknown need "tool\.magic"/],
    ["an empty list of needs", { seen: { needs: [] } }, /CALL-01: `needs` must list/],
    ["an unknown way to see it", { seen: "somehow" }, /CALL-01: `seen` must be/],
    ["no reason for what cannot be seen", { seen: { not_observable: "" } }, /CALL-01: `not_observable` must/],
    [
      "a client's clause that needs a fixture",
      { party: "client", seen: { needs: ["jwt"] } },
      /in its traffic/,
    ],
    ["a key of its own", { note: "x" }, /CALL-01: unknown key `note`/],
  ])("names %s", (_name, change, problem) => {
    expect(problemsOf(inputOf(change))).toContainEqual(expect.stringMatching(problem));
  });

  it("names the file of a duplicate id and of a prefix that is taken", () => {
    const [first] = inputOf().files;
    const second = {
      name: "recall.yaml",
      content: { area: "recall", prefix: "CALL", title: "Again", clauses: [clause] },
    };
    expect(problemsOf(inputOf({}, { files: first ? [first, second] : [] }))).toEqual([
      "recall.yaml: prefix CALL belongs to call.yaml",
      "recall.yaml, CALL-01: duplicate id, first given in call.yaml",
    ]);
  });

  it("names each contract line that is accounted for nowhere, but no heading and no table header", () => {
    const problems = problemsOf(inputOf({}, { notClauses: [] }));
    expect(problems).toEqual([
      "spec/contract.md:7 has no clause and stands in no entry of not-clauses.yaml: Nothing to see.",
    ]);
  });

  it("refuses a not-clause without reason, and one with two", () => {
    const notClauses = [{ lines: [7] }, { lines: [7], why: "a", open: "b" }, { lines: [7], open: "Shape." }];
    expect(problemsOf(inputOf({}, { notClauses }))).toEqual([
      expect.stringMatching(/entry 1: must hold/),
      expect.stringMatching(/entry 2: must hold/),
    ]);
  });

  it("refuses a file that is no area", () => {
    expect(problemsOf(inputOf({}, { files: [{ name: "call.yaml", content: [] }] }))).toContainEqual(
      expect.stringMatching(/call\.yaml: must hold area/),
    );
  });
});

describe("uncitedOf", () => {
  it("names the clauses that nothing cites, the client's too, apart from those that cannot be seen", () => {
    const unseen: Clause = { ...clause, id: "CALL-03", seen: { not_observable: "Never crosses the wire." } };
    const file = {
      area: "call",
      prefix: "CALL",
      title: "Call",
      clauses: [
        clause,
        { ...clause, id: "CALL-02" },
        unseen,
        { ...clause, id: "CALL-04", party: "client" as const },
      ],
    };
    expect(uncitedOf([file], new Set(["CALL-01"]))).toEqual([
      "call.yaml, CALL-02: nothing cites this clause: `id` is a string.",
      "call.yaml, CALL-04: nothing cites this clause: `id` is a string.",
    ]);
  });
});

describe("the project's own clauses", () => {
  it("have no problem", async () => {
    expect(await checkClauses()).toEqual([]);
  });
});
