import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { compareClauses, type ContractClause } from "./contract/clauses.ts";
import { compareContracts } from "./contract/compare-contracts.ts";
import type { ChangeClass, Kind } from "./change.ts";
import { temporaryFiles } from "./documents.fixture.ts";
import { driftReleased } from "./contract/releases.ts";
import { readSource, type Source } from "./source.ts";

const { folder, write } = temporaryFiles();

const clause = (more: Partial<ContractClause> = {}): ContractClause => ({
  id: "CALL-07",
  level: "must",
  text: "A failed call settles to zero credits.",
  party: "server",
  operations: ["call"],
  rest: { source: "Usage event" },
  place: { file: "call.yaml", line: 7 },
  ...more,
});
const settings = { today: "2026-11-20" };
const should = { level: "should" } as const;
const client = { party: "client" } as const;
test.each<[string, Partial<ContractClause> | null, Partial<ContractClause> | null, Kind, ChangeClass]>([
  // Arguable: the contract's text may have said it all along; that a server which conformed can fail stays true.
  ["a clause comes", null, {}, "clause_added", "risky"],
  ["a recommendation comes", null, should, "clause_added_should", "safe"],
  ["a clause for clients comes", null, client, "clause_added_client", "breaking"],
  ["a clause goes", {}, null, "clause_removed", "breaking"],
  ["a recommendation goes", should, null, "clause_removed_should", "risky"],
  ["a clause for clients goes", client, null, "clause_removed_client", "safe"],
  ["a recommendation becomes a must", should, {}, "clause_raised", "risky"],
  [
    "a recommendation to clients becomes a must",
    { ...client, ...should },
    client,
    "clause_raised_client",
    "breaking",
  ],
  ["a must becomes a recommendation", {}, should, "clause_lowered", "breaking"],
  [
    "a must for clients becomes a recommendation",
    client,
    { ...client, ...should },
    "clause_lowered_client",
    "safe",
  ],
  ["a clause binds the other side", {}, client, "clause_changed_party", "breaking"],
  ["a clause says something else", {}, { text: "A failed call is free." }, "clause_reworded", "risky"],
  ["a clause is seen in another way", {}, { rest: { seen: "blackbox" } }, "clause_moved", "safe"],
  // The quota is a fact of the document, and compared as such.
  [
    "a clause names another number",
    { text: "120 requests a minute" },
    { text: "100 requests a minute" },
    "clause_reworded",
    "risky",
  ],
])("%s", (_name, old, now, kind, changeClass) => {
  const changes = compareClauses(old ? [clause(old)] : [], now ? [clause(now)] : []);
  expect(changes.map((change) => [change.kind, change.class])).toEqual([[kind, changeClass]]);
  expect(changes[0]).toMatchObject({ where: "clause CALL-07", operations: ["call"] });
});

const paths = {
  "/a": {
    get: {
      operationId: "a",
      responses: {
        "200": { description: "A.", headers: { H: { required: true, schema: { type: "string" } } } },
      },
    },
  },
};
const small = (version: string, more: object = {}) => ({
  openapi: "3.1.0",
  info: { title: "T", version },
  paths,
  ...more,
});

test("a released document may not change under its version, whether it is pinned or said to be released", async () => {
  const released = small("1");
  const changed = small("1", { tags: [{ name: "new" }] });
  write("old/generated/released/1.json", released);
  const old = await readSource(write("old/generated/openapi.json", released));
  const now = await readSource(write("new/generated/openapi.json", changed));
  write("pinned/generated/released/1.json", changed);
  const rewritten = await readSource(write("pinned/generated/openapi.json", small("2")));
  const kindsOf = async (was: Source, is: Source, more: object = {}) =>
    (await compareContracts(was, is, { settings, ...more })).changes
      .filter((change) => change.class === "breaking")
      .map(({ kind }) => kind);

  expect(await kindsOf(old, now)).toEqual([
    "pinned_document_removed",
    "pinned_document_changed",
    "version_not_raised",
  ]);
  expect(await kindsOf(old, rewritten)).toEqual(["pinned_document_changed"]);
  const copy = await compareContracts(old, await readSource(write("copy.json", released)), { settings });
  expect(copy).toMatchObject({
    changes: [],
    notes: [expect.stringMatching(/^The pinned releases were not/)],
  });
  const bare = await readSource(write("bare/openapi.json", released));
  expect(await kindsOf(bare, now)).toEqual([]);
  expect(await kindsOf(bare, now, { released: true })).toEqual([
    "pinned_document_changed",
    "version_not_raised",
  ]);
});

test.each<[string, (spec: string) => string, Kind, ChangeClass]>([
  [
    "a quota falls",
    (spec) => spec.replace('"requests": 120', '"requests": 100'),
    "quota_lowered",
    "breaking",
  ],
  ["a quota rises", (spec) => spec.replace('"requests": 120', '"requests": 200'), "quota_raised", "safe"],
  [
    "a window is longer",
    (spec) => spec.replace('"windowSeconds": 60', '"windowSeconds": 90'),
    "quota_window_longer",
    "breaking",
  ],
  [
    "a window is shorter",
    (spec) => spec.replace('"windowSeconds": 60', '"windowSeconds": 30'),
    "quota_window_shorter",
    "safe",
  ],
  [
    "a word less",
    (spec) => spec.replace(/("enum": \[[^\]]*?),\s*"model_call"/, "$1"),
    "event_type_removed",
    "breaking",
  ],
])("facts are compared as facts: %s", async (name, change, kind, changeClass) => {
  const spec = readFileSync("generated/openapi.json", "utf8");
  const next = write(`facts/${name}.json`, JSON.parse(change(spec)));
  const { changes } = await compareContracts(
    await readSource(write("facts/old.json", JSON.parse(spec))),
    await readSource(next),
    { settings },
  );
  expect(changes.find((change) => change.kind === kind)?.class).toBe(changeClass);
  expect(changes.some((change) => change.kind === "version_not_raised")).toBe(changeClass === "breaking");
});

test.each<[string, number, Kind, ChangeClass]>([
  ["trialCredits", 20, "trial_constant_lowered", "breaking"],
  ["trialDays", 14, "trial_constant_raised", "safe"],
  ["claimCodeDigits", 8, "claim_constant_changed", "breaking"],
  ["largestSample", 40, "fact_changed", "risky"],
])("constants are compared by name and value: %s is %d", async (name, value, kind, changeClass) => {
  const constants = readFileSync("spec/constants.yaml", "utf8");
  const sourceOf = async (folder: string, text: string) => {
    write(`${folder}/spec/constants.yaml`, text);
    return readSource(write(`${folder}/generated/openapi.json`, small("1")));
  };
  const other = constants.replace(new RegExp(`(${name}:\\n  value: )\\d+`), `$1${value}`);
  const { changes } = await compareContracts(
    await sourceOf("constants/old", constants),
    await sourceOf("constants/new", other),
    { settings },
  );
  expect(changes.find(({ where }) => where === `constant ${name}`)).toMatchObject({
    kind,
    class: changeClass,
  });
});

test("another version is reported once, even when differences in writing are reported too", async () => {
  const [old, now] = [
    await readSource(write("one.json", small("1"))),
    await readSource(write("two.json", small("2"))),
  ];
  const { changes } = await compareContracts(old, now, { settings: { ...settings, withText: true } });
  expect(changes.map(({ kind, where }) => [kind, where])).toEqual([["version_raised", "info.version"]]);
});

test("a project's document may not differ from the one released under its version", async () => {
  const changesOf = async (project: string) =>
    driftReleased(await readSource(join(folder, project, "generated/openapi.json"))).map(
      ({ kind, where }) => `${kind}: ${where.replace(folder, "")}`,
    );
  write("kept/generated/openapi.json", small("1"));
  expect(await changesOf("kept")).toEqual([]);
  write("kept/generated/released/1.json", small("1"));
  expect(await changesOf("kept")).toEqual([]);
  write("kept/generated/openapi.json", small("1", { tags: [{ name: "new" }] }));
  expect(await changesOf("kept")).toEqual([expect.stringContaining("pinned_document_changed: document")]);
  write("kept/generated/openapi.json", small("2", { tags: [{ name: "new" }] }));
  expect(await changesOf("kept")).toEqual([]);
  write("kept/generated/released/0.json", small("1"));
  expect(await changesOf("kept")).toEqual([
    expect.stringContaining("pinned_document_changed: pinned document"),
  ]);
});

test("a change is placed at the line of the spec that the document is bundled from, or else of the document", async () => {
  const text = JSON.stringify(small("1"), null, 2).replace('"required": true', '"required": false');
  const line = text.split("\n").findIndex((row) => row.includes('"required"')) + 1;
  const old = await readSource(write("lines/old.json", small("1")));
  const report = await compareContracts(old, await readSource(write("lines/new.json", text)), { settings });
  const change = report.changes.find(({ kind }) => kind === "answer_header_now_optional")!;
  expect(change.at!.file).toMatch(/lines\/new\.json$/);
  expect(Math.abs(change.at!.line - line)).toBeLessThanOrEqual(1);
  expect(report.notes).toEqual([]);

  const ours = JSON.parse(readFileSync("generated/openapi.json", "utf8")) as {
    components: { schemas: { DiscoverRequest: { properties: { limit: { maximum: number } } } } };
  };
  ours.components.schemas.DiscoverRequest.properties.limit.maximum = 200;
  const other = await readSource(write("ours.json", ours));
  const reversed = await compareContracts(other, await readSource("generated/openapi.json"), { settings });
  const place = reversed.changes.find(({ kind }) => kind === "request_bound_narrowed")!.at!;
  expect(place.file).toBe("spec/openapi/schemas/DiscoverRequest.yaml");
  expect(readFileSync(place.file, "utf8").split("\n")[place.line - 1]).toContain("maximum: 100");
});

test("a document may consist of several files, each of which is named with its line", async () => {
  const project = (folder: string, max: number): string => {
    write(
      `${folder}/parts/schemas.yaml`,
      `Body:\n  $anchor: body\n  properties:\n    limit: { maximum: ${max} }\n`,
    );
    const content = { "application/json": { schema: { $ref: "schemas.yaml#body" } } };
    write(`${folder}/parts/a.json`, { post: { operationId: "a", requestBody: { content }, responses: {} } });
    return write(`${folder}/root.json`, { ...small("1"), paths: { "/a": { $ref: "parts/a.json" } } });
  };
  const [old, now] = [await readSource(project("wide", 100)), await readSource(project("narrow", 50))];
  const { changes } = await compareContracts(old, now, { settings });
  const place = { line: 4, file: expect.stringMatching(/narrow\/parts\/schemas\.yaml$/) as string };
  expect(changes.find(({ kind }) => kind === "request_bound_narrowed")).toMatchObject({ at: place });
});
