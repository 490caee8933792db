import { describe, expect, it } from "vitest";
import { YamlError } from "../base/yaml/file.ts";
import { yamlReader } from "../base/yaml/schema.ts";
import { clausesModule } from "./generate-clauses.ts";
import { problemsOf, releaseProblems, uncitedOf } from "./check-clauses.ts";
import type { Area, AreaFile, NotClause, Written } from "./clauses/read.ts";
import type { ReadingsFile } from "./clauses/readings.ts";
import { clausesSchema, notClausesSchema, readingsSchema } from "./clauses/schemas.ts";
import { readWritten } from "./generate.ts";

const contract = `# A contract

## Fields

| Field | Type |
|---|---|
| id | string |
| count | integer |

## Others

| Field | Type |
|---|---|
| id | string |

Nothing to see.
`;

const known = {
  operations: ["call"],
  needs: ["jwt", "tool.charged"],
  readings: ["R-001"],
  groups: { core: ["call"] },
};

const clause = `
      level: must
      text: "The \`id\` is a string."
      quote: "## Fields … id | string"
      basis: stated
      operation: call
      seen: blackbox`;

const areaOf = (...clauses: string[]): string =>
  [
    "area: call",
    "prefix: CALL",
    "title: Call",
    "clauses:",
    ...clauses.map((clause) => `    - ${clause.trimStart()}`),
  ].join("\n");

const count = `id: CALL-02${clause.replace("## Fields … id | string", "count | integer")}`;
const rest = `
- quote: "## Others … id | string"
  why: Said before.
- quote: Nothing to see.
  open: Everything.
`;

const written = (area: string, notClauses = rest, text = contract): Written => ({
  areas: [yamlReader<Area>(clausesSchema(known))("spec/clauses/call.yaml", area)],
  notClauses: yamlReader<NotClause[]>(notClausesSchema)("spec/not-clauses.yaml", notClauses),
  readings: [],
  contract: text,
});

function refusalOf(act: () => unknown): readonly string[] {
  try {
    act();
  } catch (error) {
    if (error instanceof YamlError) return error.problems;
    throw error;
  }
  return [];
}

describe("a clause", () => {
  it("is sound", () => {
    expect(problemsOf(written(areaOf(`id: CALL-01${clause}`, count)))).toEqual([]);
  });

  it("survives a new line in the contract", () => {
    const longer = contract.replace("## Fields", "One more heading: it says nothing new.\n\n## Fields");
    expect(problemsOf(written(areaOf(`id: CALL-01${clause}`, count), rest, longer))).toEqual([
      "spec/contract.md:3: nothing quotes this line: One more heading: it says nothing new.",
    ]);
  });

  it.each([
    ["a malformed id", "", "id: CALL-1", /:5: clauses\.0\.id: must be an id such as CALL-07/],
    ["another level", "level: must", "level: may", /clauses\.0\.level: must be one of must, should/],
    ["a word as the text", 'text: "The `id` is a string."', "text: id", /text: must be a sentence/],
    ["no quote", /quote: .*/, "", /clauses\.0: quote is missing/],
    [
      "an unknown operation",
      "operation: call",
      "operation: [call, recall]",
      /operation\.1: must be one of call, core, all/,
    ],
    ["both operation and resource", "operation: call", "operation: call\n      resource: A", /not both/],
    ["neither operation nor resource", "operation: call", "", /resource is missing/],
    [
      "an unknown need",
      "seen: blackbox",
      "seen: { needs: [tool.magic] }",
      /needs\.0: must be one of jwt, tool\.charged/,
    ],
    ["an empty list of needs", "seen: blackbox", "seen: { needs: [] }", /needs: must be a list of needs/],
    [
      "no reason for what cannot be seen",
      "seen: blackbox",
      'seen: { not_observable: "" }',
      /not_observable: must be/,
    ],
    [
      "a client's clause with a need",
      "seen: blackbox",
      "party: client\n      seen: { needs: [jwt] }",
      /client's traffic/,
    ],
    ["no reason for what is implied", "basis: stated", "basis: implied", /because is missing/],
    ["no reason for a should that is stated", "level: must", "level: should", /why_should is missing/],
    [
      "a reading that does not exist",
      "basis: stated",
      "basis: reading\n      reading: R-002",
      /must be one of R-001/,
    ],
    [
      "an unknown key",
      "seen: blackbox",
      "seen: blackbox\n      note: x",
      /note: not known here; known are id, level/,
    ],
  ] as const)("with %s is refused", (_name, from, to, problem) => {
    const id = from === "" ? to : "id: CALL-01";
    const changed = `${id}${from === "" ? clause : clause.replace(from, to)}`;
    expect(refusalOf(() => written(areaOf(changed)))).toContainEqual(expect.stringMatching(problem));
  });

  it.each([
    ["is not in the contract", "no such words", /"no such words" is not in spec\/contract\.md/],
    [
      "is there twice",
      "id | string",
      /"id \| string" is in spec\/contract\.md more than once; quote more, or begin with its heading/,
    ],
    [
      "is missing after its heading",
      "## Others … count",
      /"count" is not in spec\/contract\.md after "## Others"/,
    ],
  ])("whose quote %s is named with its line", (_name, quote, problem) => {
    const changed = clause.replace("## Fields … id | string", quote);
    expect(problemsOf(written(areaOf(`id: CALL-01${changed}`)))).toContainEqual(
      expect.stringMatching(
        new RegExp(`^spec/clauses/call\\.yaml:8: clauses\\.0\\.quote: ${problem.source}`),
      ),
    );
  });

  it("is not generated with a quote that cannot be found", () => {
    const elsewhere = written(areaOf(`id: CALL-01${clause}`, count), rest, "# Another contract\n");
    expect(() => clausesModule(elsewhere)).toThrow(
      /^spec\/clauses\/call\.yaml:\d+: .* is not in spec\/contract\.md/,
    );
  });

  it("names the place of an id that is given twice, and an id outside the area", () => {
    const other = count.replace("CALL-02", "PROB-02");
    expect(problemsOf(written(areaOf(`id: CALL-01${clause}`, `id: CALL-01${clause}`, other)))).toEqual([
      "spec/clauses/call.yaml:19: clauses.2.id: PROB-02 must begin with the area's prefix CALL-",
      "spec/clauses/call.yaml:12: clauses.1.id: CALL-01 is given at spec/clauses/call.yaml:5 already",
    ]);
  });

  it("names each line that nothing quotes, except headings and headers of tables", () => {
    expect(problemsOf(written(areaOf(`id: CALL-01${clause}`, count), "[]"))).toEqual([
      "spec/contract.md:14: nothing quotes this line: | id | string |",
      "spec/contract.md:16: nothing quotes this line: Nothing to see.",
    ]);
  });
});

it("refuses words listed as not a clause without a reason, or with two", () => {
  const notClauses = ["- quote: Nothing", "- { quote: Nothing, why: a, open: b }"].join("\n");
  expect(refusalOf(() => written(areaOf(`id: CALL-01${clause}`), notClauses))).toEqual([
    expect.stringMatching(/not-clauses\.yaml:1: 0: must be a quote, and either/),
    expect.stringMatching(/not-clauses\.yaml:2: 1: must be a quote, and either/),
  ]);
});

const reading = `
    question: Is an id a text?
    quote: "## Others … id | string"
    answers: { text: A text., number: A number. }
    reference: text
    seen: Any id.`;

describe("a reading", () => {
  const readingsOf = (text: string) => [
    yamlReader<ReadingsFile["value"]>(readingsSchema)("spec/readings/ids.yaml", text),
  ];
  const problemsWith = (...readings: string[]) => {
    const text = `title: Ids\nreadings:\n${readings.map((reading) => `  - ${reading}`).join("\n")}`;
    const area = areaOf(`id: CALL-01${clause}`, count);
    return problemsOf({
      ...written(area, rest.slice(rest.indexOf("- quote: Nothing"))),
      readings: readingsOf(text),
    });
  };

  it("is sound, and accounts for the words that it quotes", () => {
    expect(problemsWith(`id: R-001${reading}`)).toEqual([]);
  });

  it("names an answer of the reference that is not listed, and an id that is given twice", () => {
    const other = reading.replace("reference: text", "reference: both");
    expect(problemsWith(`id: R-001${reading}`, `id: R-001${other}`)).toEqual([
      "spec/readings/ids.yaml:13: readings.1.reference: both is not among the answers; they are text, number",
      "spec/readings/ids.yaml:9: readings.1.id: R-001 is given at spec/readings/ids.yaml:3 already",
    ]);
  });

  it("with one answer is refused", () => {
    const single = reading.replace(", number: A number.", "");
    expect(refusalOf(() => problemsWith(`id: R-001${single}`))).toEqual([
      "spec/readings/ids.yaml:6: readings.0.answers: must be at least two lawful answers, each by a short name",
    ]);
  });
});

it("names the clauses that nothing judges, except those that cannot be seen", () => {
  const unseen = count.replace("seen: blackbox", "seen: { not_observable: Never crosses the wire. }");
  const client = `id: CALL-03${clause.replace("seen: blackbox", "party: client\n      seen: blackbox")}`;
  const { areas } = written(areaOf(`id: CALL-01${clause}`, unseen, client));
  expect(uncitedOf(areas, new Set(["CALL-01"]))).toEqual([
    "spec/clauses/call.yaml:19: clauses.2: nothing judges CALL-03: The `id` is a string.",
  ]);
});

it("finds the project's clauses sound", async () => {
  expect(problemsOf(await readWritten())).toEqual([]);
});

it("refuses a released clause with a changed obligation", () => {
  const clause = { id: "CALL-01", level: "must" as const, text: "It holds." };
  const problems = (...clauses: object[]): string[] => {
    const file = { name: "spec/clauses/call.yaml", lineOf: () => 1, value: { area: "call", clauses } };
    return releaseProblems([file as unknown as AreaFile], "1", [clause]);
  };
  expect(problems(clause)).toEqual([]);
  expect(problems({ ...clause, text: "It does hold.", editorial: "The same." })).toEqual([]);
  expect(problems({ ...clause, until: "2" }, { ...clause, id: "CALL-02", since: "2" })).toEqual([]);
  expect(problems(clause, { ...clause, id: "CALL-00", until: "1" })).toEqual([]);
  expect(problems({ ...clause, text: "It fails." })).toMatchObject([
    expect.stringContaining("CALL-01 is worded otherwise in release 1"),
  ]);
  expect(problems({ ...clause, level: "should" })).toMatchObject([expect.stringContaining("give a new id")]);
  expect(problems()).toMatchObject([expect.stringContaining("CALL-01 of release 1 is gone")]);
  expect(problems(clause, { ...clause, id: "CALL-02" })).toMatchObject([
    expect.stringContaining("CALL-02 is not in release 1: say since which version it holds"),
  ]);
});
