import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { answerChanges, contractChanges, requestChanges, type SpecChange } from "./catalogue.fixture.ts";
import { kindsReported } from "./catalogue-kinds.fixture.ts";
import { catalogue } from "../../tools/docs/kinds-page.ts";
import { operationsOf } from "./api.ts";
import { compareDocuments } from "./compare.ts";
import { vocabulariesOf } from "./contract/compare-facts.ts";
import { Document } from "./document.ts";
import { step, stepsOf, type Json, type JsonObject } from "../../base/data.ts";
import { kinds, type Kind } from "./change.ts";
import { compareVersions } from "./versions.ts";

const spec = JSON.parse(readFileSync("generated/openapi.json", "utf8")) as JsonObject;

/** The spec as it is, read once. */
const unchanged = new Document("spec", spec);

const documentOf = (...changes: (SpecChange["change"] | undefined)[]): Document => {
  if (changes.every((change) => change === undefined)) return unchanged;
  const copy = structuredClone(spec);
  for (const change of changes) change?.(copy);
  return new Document("spec", copy);
};

const settings = { today: "2026-11-20", withText: true, vocabularies: vocabulariesOf(unchanged) };

const weight = ["safe", "risky", "breaking"] as const;

test("the catalogue holds at least 60 changes, each with a unique name in its direction", () => {
  for (const list of [requestChanges, answerChanges, contractChanges]) {
    expect(new Set(list.map(({ name, kind }) => `${name} ${kind}`)).size).toBe(list.length);
  }
  expect(requestChanges.length + answerChanges.length + contractChanges.length).toBeGreaterThanOrEqual(60);
});

test.each([...requestChanges, ...answerChanges])(
  "$name: $kind, $class",
  ({ kind, change, given, ...row }) => {
    const comparison = compareDocuments(documentOf(given), documentOf(given, change), settings);
    const changes = comparison.list;
    const ofKind = changes.filter((difference) => difference.kind === kind);
    expect(changes.map((difference) => difference.kind)).toContain(kind);
    expect(ofKind.map((difference) => difference.class)).toEqual(ofKind.map(() => row.class));
    // Nothing that comes along may be worse than the change itself.
    const worst = Math.max(...changes.map((difference) => weight.indexOf(difference.class)));
    expect(weight[worst]).toBe(row.class);
    if (row.operations) {
      const titles = new Map(operationsOf(unchanged).map(({ id, title }) => [id, title]));
      const named = row.operations.map((id) => titles.get(id) ?? id);
      expect([...new Set(ofKind.flatMap(({ operations }) => operations))]).toEqual(named);
    }
    // A breaking change under the same version must raise it; any other need not.
    compareVersions(comparison, changes);
    const versions = comparison.list
      .map((difference) => difference.kind)
      .filter((name) => name.startsWith("version_"));
    expect(versions).toEqual(row.class === "breaking" ? ["version_not_raised"] : []);
  },
);

test.each(contractChanges)("$name: $kind, $class", ({ kind, change, ...row }) => {
  const comparison = compareDocuments(documentOf(), documentOf(change), settings);
  compareVersions(comparison, comparison.list);
  const ofKind = comparison.list.filter((difference) => difference.kind === kind);
  expect(ofKind.map((difference) => difference.class)).toEqual([row.class]);
  expect(ofKind[0]!.side).toBe("contract");
});

test("a spec does not differ from itself, whatever the order of its fields", () => {
  const shuffled = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(shuffled);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value)
        .toReversed()
        .map(([name, inner]) => [name, shuffled(inner)]),
    );
  };
  const other = new Document("shuffled", shuffled(spec));
  expect(compareDocuments(documentOf(), other, settings).list).toEqual([]);
});

test("whatever leaf of the spec changes, the comparison says so", () => {
  const seed = 20_261_120;
  const leaves: string[] = [];
  const collect = (value: Json, pointer: string): void => {
    if (typeof value !== "object" || value === null) leaves.push(pointer);
    else
      for (const [name, inner] of Object.entries(value)) collect(inner as Json, `${pointer}/${step(name)}`);
  };
  collect(spec, "");
  let state = seed;
  const missed: string[] = [];
  for (let round = 0; round < 40; round += 1) {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    const pointer = leaves[state % leaves.length]!;
    // A reference that leads elsewhere is another document, and may lead nowhere.
    if (pointer.endsWith("/$ref")) continue;
    const changed = documentOf((copy) => setAt(copy, pointer));
    const comparison = compareDocuments(documentOf(), changed, settings);
    compareVersions(comparison, []);
    if (comparison.list.length === 0) missed.push(pointer);
  }
  expect(missed, `seed ${seed}`).toEqual([]);
});

function setAt(copy: JsonObject, pointer: string): void {
  const steps = stepsOf(pointer);
  const last = steps.pop()!;
  let parent: unknown = copy;
  for (const name of steps) parent = (parent as Record<string, unknown>)[name];
  const value = (parent as Record<string, unknown>)[last];
  (parent as Record<string, unknown>)[last] =
    pointer === "/openapi"
      ? "3.1.1"
      : typeof value === "number"
        ? value + 1
        : typeof value === "boolean"
          ? !value
          : `${String(value)}x`;
}

test.each(catalogue.map((pair) => [JSON.stringify([pair.in, pair.old, pair.new]), pair] as const))(
  "of the catalogue: %s",
  (_name, pair) => {
    expect(kindsReported(pair, "is").toSorted()).toEqual(pair.is.toSorted());
    expect(kindsReported(pair, "back").toSorted()).toEqual(pair.back.toSorted());
  },
);

test("every kind that documents show has a pair in the catalogue", () => {
  const shown = new Set<Kind>(catalogue.flatMap(({ is, back }) => [...is, ...back]));
  const elsewhere =
    /^(clause|quota|trial|claim|fact|version|pinned|derived|live|charge_outcome|reason_code|event_type|entry_type)_/;
  const kindsOfDocuments = (Object.keys(kinds) as Kind[]).filter((kind) => !elsewhere.test(kind));
  expect(kindsOfDocuments.filter((kind) => !shown.has(kind))).toEqual([]);
});

test("a value that may become a list is reported by what the value was, not by the parameter around it", () => {
  const parameterOf = (schema: JsonObject): Document => {
    const parameters = [{ name: "a", in: "query", schema }];
    return new Document("spec", {
      openapi: "3.1.0",
      paths: { "/a": { get: { parameters, responses: {} } } },
    });
  };
  const list = { type: "array", items: { type: "string" } };
  const { list: found } = compareDocuments(parameterOf({ enum: ["a"] }), parameterOf(list), settings);
  expect(found.map(({ kind, old, new: now }) => [kind, old, now])).toContainEqual([
    "request_enum_lifted",
    '["a"]',
    null,
  ]);
});

test("an alternative is called by its name, null by what it is, and an empty schema has its own line, an absent one that around it", () => {
  const schemas = { Cat: { type: "string" }, Dog: { type: "integer" }, Fish: { type: "boolean" } };
  const of = (names: string[], more: JsonObject[], meta: JsonObject, list: JsonObject): Document => {
    const anyOf = [...names.map((name) => ({ $ref: `#/components/schemas/${name}` })), ...more];
    const properties = { pet: { anyOf }, meta, list };
    const content = { "application/json": { schema: { type: "object", properties } } };
    const responses = { "200": { content } };
    return new Document("spec", {
      openapi: "3.1.0",
      paths: { "/a": { get: { responses } } },
      components: { schemas },
    });
  };
  const [old, now] = [
    of(["Cat", "Dog"], [], { type: "object" }, { type: "array", items: { type: "string" } }),
    of(["Cat", "Dog", "Fish"], [{ type: "null" }], {}, { type: "array" }),
  ];
  const { list } = compareDocuments(old, now, settings);
  const schema = "/paths/~1a/get/responses/200/content/application~1json/schema";
  expect(list.map(({ kind, old: was, new: is, newPointer }) => [kind, was, is, newPointer])).toEqual([
    ["answer_alternative_added", null, "Fish", "/components/schemas/Fish"],
    ["answer_type_widened", "not null", "or null", `${schema}/properties/pet`],
    ["answer_type_widened", "object", "any", `${schema}/properties/meta`],
    ["answer_type_widened", "string", "any", `${schema}/properties/list`],
  ]);
});

test("every kind has a class and a reason that completes a sentence", () => {
  for (const [kind, [, why]] of Object.entries(kinds)) {
    expect(`${kind}: ${why}`).toMatch(/: [a-z].{10,}[^.]$/);
  }
});
