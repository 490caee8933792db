import { expect, test } from "vitest";
import { compareDocuments } from "./compare.ts";
import { compareContracts } from "./contract/compare-contracts.ts";
import { Document } from "./document.ts";
import { answering, documentWith, sending, temporaryFiles } from "./documents.fixture.ts";
import { sinceBase } from "./filter.ts";
import { randomOf, schemaOf, mutated } from "./fuzz.fixture.ts";
import { isFailing } from "./main.ts";
import { policyIn } from "./policy.ts";
import { readSource, type Source } from "./source.ts";
import type { JsonObject } from "../../base/data.ts";

const { write } = temporaryFiles();

const settings = { today: "2026-11-20" };
const text = { type: "string" };
const whole = { type: "integer" };

/** A document with a GET of each path, which answers with a field `y`. */
const getting = (fields: Record<string, JsonObject>, ids: readonly string[]): JsonObject => {
  const paths = Object.entries(fields).map(([path, y], index) => {
    const schema = { type: "object", properties: { y }, required: ["y"] };
    return [path, { get: { operationId: ids[index]!, ...answering(schema) } }] as const;
  });
  return documentWith(Object.fromEntries(paths), { openapi: "3.0.3" });
};

let files = 0;
const sourceOf = (document: JsonObject): Promise<Source> =>
  readSource(write(`${(files += 1)}.json`, document));

const compared = async (old: JsonObject, now: JsonObject, options: object = {}) =>
  compareContracts(await sourceOf(old), await sourceOf(now), { settings, ...options });

const operationsWith = (kind: string, { changes }: Awaited<ReturnType<typeof compared>>): string[] =>
  changes.filter((change) => change.kind === kind).flatMap(({ operations }) => operations);

const alike = ["list", "list"];

test("what a base broke of one operation does not excuse another that shares its operationId", async () => {
  const old = getting({ "/a": text, "/b": text }, alike);
  const base = getting({ "/a": text, "/b": whole }, alike);
  const now = getting({ "/a": whole, "/b": whole }, alike);
  const report = sinceBase(await compared(old, now), await compared(old, base));
  const types = report.changes.filter(({ kind }) => kind === "answer_type_changed");
  expect(types.map(({ operations, since }) => [operations, since])).toEqual([
    [["GET /a"], "introduced"],
    [["GET /b"], "inherited"],
  ]);
  expect(report.changes.some((change) => isFailing(change, "breaking"))).toBe(true);
});

test("a component's change that the base has is introduced where another operation comes to use it", async () => {
  const using = (names: readonly [string, string], used: JsonObject): JsonObject => {
    const [first, second] = names.map((name) => ({
      post: sending({ $ref: `#/components/schemas/${name}` }),
    }));
    const schemas = { A: { properties: { x: used } }, B: { properties: { x: text } } };
    return documentWith({ "/0": first!, "/1": second! }, { components: { schemas } });
  };
  const old = using(["A", "A"], text);
  const base = using(["A", "B"], whole);
  const now = using(["A", "A"], whole);
  const report = sinceBase(await compared(old, now), await compared(old, base));
  const types = report.changes.filter(({ kind }) => kind === "request_type_changed");
  expect(types.map(({ operations, since }) => [operations, since])).toEqual([
    [["POST /0"], "inherited"],
    [["POST /1"], "introduced"],
  ]);
});

test("a path, a label and a recording pick the operation that they name, whatever shares its operationId", async () => {
  const old = getting({ "/a": text, "/b": text }, alike);
  const now = getting({ "/a": text, "/b": whole }, alike);
  const kind = "answer_type_changed";
  const ofFirst = await compared(old, now, { path: "/a" });
  expect(ofFirst.changes).toEqual([]);
  expect(ofFirst.judged).toMatchObject({ judged: 1, unjudged: 1, of: "2 operations" });
  expect(operationsWith(kind, await compared(old, now, { path: "/b" }))).toEqual(["GET /b"]);
  expect(operationsWith(kind, await compared(old, now, { operation: "GET /a" }))).toEqual([]);
  expect(operationsWith(kind, await compared(old, now, { operation: "list" }))).toEqual(["GET /b"]);
  const both = await compared(old, getting({ "/a": whole, "/b": whole }, alike));
  expect(operationsWith(kind, both)).toEqual(["GET /a", "GET /b"]);
  expect(both.operation_ids).toEqual({});
  for (const [path, affected] of [
    ["/a", 0],
    ["/b", 1],
  ] as const) {
    const request = { method: "GET", url: `https://x.example${path}`, headers: [] };
    const headers = [{ name: "content-type", value: "application/json" }];
    const response = { status: 200, headers, content: { text: '{"y":"1"}' } };
    const entries = [{ startedDateTime: "2026-11-25T18:56:47.237Z", time: 3, request, response }];
    const traffic = write("one.har", { log: { entries } });
    const { changes } = await compared(old, now, { traffic });
    expect(changes.find((change) => change.kind === kind)!.traffic).toHaveLength(affected);
  }
});

test("labels that change places name nothing: method and path do, in reports and in a policy", async () => {
  const old = getting({ "/a": text, "/b": text }, ["get_1", "get_2"]);
  const now = getting({ "/a": whole, "/b": text }, ["get_2", "get_1"]);
  const report = await compared(old, now);
  expect(operationsWith("answer_type_changed", report)).toEqual(["GET /a"]);
  const ignoring = (operation: string): boolean => {
    const ignore = [{ operation, reason: "r", expires: "2027-01-01" }];
    const file = write("policy.yaml", { ignore });
    const judged = policyIn(file, settings.today)(report);
    return !judged.changes.some(
      (change) => change.kind === "answer_type_changed" && isFailing(change, "breaking"),
    );
  };
  expect(["get_1", "get_2", "GET /b", "GET /a"].map(ignoring)).toEqual([false, false, false, true]);
});

/** An operation of a random document: its path now and before, and what it takes and gives. */
interface Made {
  paths: readonly [old: string, now: string];
  schemas: readonly [old: JsonObject, now: JsonObject];
  number: number;
}

const generated = (seed: number): { operations: Made[]; order: number[] } => {
  const random = randomOf(seed);
  const operations = Array.from({ length: 6 }, (_, number): Made => {
    const own = { [`own${number}`]: text, [`other${number}`]: text };
    const schema = {
      type: "object",
      properties: { ...own, x: schemaOf(random, 1) },
      required: [`own${number}`],
    };
    const isMoved = random.chance(0.3);
    const path = `/things${number}`;
    const changed = random.chance(0.5) ? schema : mutated(random, structuredClone(schema));
    const kept = changed["properties"] === undefined || isMoved ? schema : changed;
    return { number, paths: [path, isMoved ? `/items${number}` : path], schemas: [schema, kept] };
  });
  return { operations, order: operations.map(({ number }) => number).toSorted(() => random.below(3) - 1) };
};

const documentOf = (made: readonly Made[], side: 0 | 1, idOf: (number: number) => string | undefined) =>
  new Document("made", {
    openapi: "3.1.0",
    paths: Object.fromEntries(
      made.map(({ paths, schemas, number }) => {
        const operationId = idOf(number);
        const operation = { ...(operationId !== undefined && { operationId }), ...answering(schemas[side]) };
        return [paths[side], { get: operation }];
      }),
    ),
  });

const ways: Record<
  string,
  (side: 0 | 1, order: readonly number[]) => (number: number) => string | undefined
> = {
  absent: () => () => undefined,
  equal: () => () => "list",
  swapped: (side) => (number) => `get_${side === 0 ? number : number ^ 1}`,
  renumbered: (side, order) => (number) => `get_${side === 0 ? number : order.indexOf(number)}`,
};

test("whatever operationIds say, the same changes are found of the same operations (60 documents)", () => {
  const faults: string[] = [];
  for (let seed = 1; seed <= 60; seed += 1) {
    const { operations, order } = generated(seed);
    const foundWith = (idsOf: (side: 0 | 1) => (number: number) => string | undefined): string => {
      const [old, now] = ([0, 1] as const).map((side) => documentOf(operations, side, idsOf(side)));
      const changes = compareDocuments(old!, now!, settings).list.filter(
        ({ kind }) => kind !== "operation_renamed",
      );
      return JSON.stringify(
        changes.map((change) => [change.kind, change.operations, change.where, change.fingerprint]),
      );
    };
    const unique = foundWith(() => (number) => `read${number}`);
    const moves = operations.filter(({ paths: [was, is] }) => was !== is).length;
    if (unique.split('"operation_moved"').length - 1 !== moves)
      faults.push(`seed ${seed}: not ${moves} moves: ${unique}`);
    for (const [name, idsOf] of Object.entries(ways))
      if (foundWith((side) => idsOf(side, order)) !== unique) faults.push(`seed ${seed}: ${name}`);
  }
  expect(faults.slice(0, 5)).toEqual([]);
});

test("an approved change stays approved where more uses its component, at another line, and beside others", async () => {
  const using = (paths: readonly string[], used: JsonObject, more: JsonObject = {}): JsonObject => {
    const operation = { get: answering({ $ref: "#/components/schemas/A" }) };
    const A = { type: "object", properties: { x: used }, required: ["x"] };
    const components = { schemas: { ...more, A } };
    return documentWith(Object.fromEntries(paths.map((path) => [path, operation])), { components });
  };
  const old = using(["/b"], text);
  const approved = (await compared(old, using(["/b"], whole))).changes[0]!;
  const ignore = [{ fingerprint: approved.fingerprint, reason: "agreed" }];
  const file = write("approved.yaml", { ignore });
  const failing = async (now: JsonObject): Promise<string[]> => {
    const judged = policyIn(file, settings.today)(await compared(old, now));
    const failed = judged.changes.filter((change) => isFailing(change, "breaking"));
    return failed.map(({ kind }) => kind).filter((kind) => kind !== "version_not_raised");
  };
  expect(await failing(using(["/a", "/b"], whole, { Z: text }))).toEqual([]);
  expect(await failing(using(["/b"], { type: "boolean" }))).toEqual(["answer_type_changed"]);
});

test("each field of a component is a change of its own, also where they share a schema", async () => {
  const A = {
    type: "object",
    properties: {
      a: { $ref: "#/components/schemas/T" },
      b: { $ref: "#/components/schemas/T" },
      c: text,
      d: text,
    },
  };
  const withFields = (required: string[]): JsonObject => {
    const components = { schemas: { T: text, A: { ...A, required } } };
    return documentWith({ "/a": { get: answering({ $ref: "#/components/schemas/A" }) } }, { components });
  };
  const { changes } = await compared(withFields(["a", "b", "c", "d"]), withFields([]));
  const found = changes.filter(({ kind }) => kind === "answer_field_now_optional");
  expect(found.map(({ where }) => where)).toEqual(["a", "b", "c", "d"].map((name) => `answer 200: ${name}`));
  expect(new Set(found.map(({ fingerprint }) => fingerprint)).size).toBe(4);
});
