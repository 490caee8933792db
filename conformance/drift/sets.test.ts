import { expect, test } from "vitest";
import { compareDocuments } from "./compare.ts";
import { changeClasses } from "./change.ts";
import { Document } from "./document.ts";
import { answering, documentWith, sending } from "./documents.fixture.ts";
import { judgeOf, mutated, randomOf, schemaOf, valueOf } from "./fuzz.fixture.ts";
import { stepsOf, valueAt, type Json, type JsonObject } from "../../base/data.ts";
import { Schemas } from "./schema.ts";
import { Sets } from "./sets.ts";

const seed = Number(process.env["DRIFT_SEED"] ?? 20_261_126);
const rounds = Number(process.env["DRIFT_ROUNDS"] ?? 150);

const documentOf = (side: "request" | "answer", schema: JsonObject): Document => {
  const post = side === "request" ? sending(schema) : answering(schema);
  return new Document("fuzz", documentWith({ "/a": { post } }));
};

/** A few hundred values, with those at the edges of the schemas. */
function valuesFor(
  random: ReturnType<typeof randomOf>,
  sets: Sets,
  schemas: readonly Parameters<Sets["samplesOf"]>[0][],
): Json[] {
  const edges = schemas.flatMap((schema) => sets.samplesOf(schema));
  return [...edges, ...Array.from({ length: 400 }, () => valueOf(random))];
}

/** A field that joins is safe by convention: no client sent another field of the same name. */
const isConvention = ({ kind }: { kind: string }): boolean => kind === "request_field_added";

test(`sets say what Ajv says, and no verdict is safe with a witness of harm (${rounds} pairs)`, () => {
  const random = randomOf(seed);
  const counts = {
    verdicts: 0,
    withWitness: 0,
    breaking: 0,
    breakingWithout: 0,
    risky: 0,
    riskyWithout: 0,
  };
  const faults: string[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const old = schemaOf(random);
    const now = random.chance(0.15)
      ? schemaOf(random)
      : mutated(random, random.chance(0.4) ? mutated(random, old) : old);
    const raws = [old, now] as const;
    const judges = raws.map(judgeOf) as [(value: Json) => boolean, (value: Json) => boolean];
    const documents = raws.map((raw) => documentOf("request", raw));
    const [before, after] = documents.map((document) =>
      new Schemas(document).of(
        valueAt(document.root, stepsOf("/paths/~1a/post/requestBody/content/application~1json/schema")),
      ),
    ) as [Parameters<Sets["samplesOf"]>[0], Parameters<Sets["samplesOf"]>[0]];
    const sets = new Sets("request");
    const values = valuesFor(random, sets, [before, after]);
    const note = (what: string): unknown => faults.push(`round ${round}: ${what}: ${JSON.stringify(raws)}`);
    for (const [index, schema] of [before, after].entries()) {
      for (const value of values) {
        const ours = sets.holds(schema, value);
        if (ours !== undefined && ours !== judges[index]!(value))
          note(`holds ${JSON.stringify(value)} in ${index}`);
      }
    }
    const lost = values.find((value) => judges[0](value) && !judges[1](value));
    const gained = values.find((value) => judges[1](value) && !judges[0](value));
    if (lost !== undefined && sets.includes(after, before)) note(`admits, but not ${JSON.stringify(lost)}`);
    if (gained !== undefined && sets.includes(before, after))
      note(`is admitted, but not ${JSON.stringify(gained)}`);
    const both = values.find((value) => judges[0](value) && judges[1](value));
    if (both !== undefined && sets.areApart(before, after))
      note(`disjoint, but both hold ${JSON.stringify(both)}`);
    for (const side of ["request", "answer"] as const) {
      const witness = side === "request" ? lost : gained;
      const found = compareDocuments(documentOf(side, old), documentOf(side, now), {
        today: "2026-11-26",
      }).list;
      const classes = found
        .filter(({ kind }) => !/^request_field_removed$|_default_/.test(kind))
        .map((change) => change.class);
      const worst = changeClasses.find((changeClass) => classes.includes(changeClass)) ?? "safe";
      const itself = compareDocuments(documentOf(side, old), documentOf(side, old), {
        today: "2026-11-26",
      }).list;
      if (itself.length > 0) note(`${side} ${itself[0]!.kind} against itself`);
      counts.verdicts += 1;
      if (witness !== undefined) counts.withWitness += 1;
      // An impossible answer was never read.
      const wasPossible = values.some((value) => judges[0](value));
      if (worst === "safe" && witness !== undefined && wasPossible && !found.some(isConvention))
        note(`${side} safe, but ${JSON.stringify(witness)}`);
      if (worst === "breaking") counts[witness === undefined ? "breakingWithout" : "breaking"] += 1;
      if (worst === "risky") counts[witness === undefined ? "riskyWithout" : "risky"] += 1;
      if (worst === "breaking" && witness === undefined) {
        const isDecided = side === "request" ? sets.includes(after, before) : sets.includes(before, after);
        const isVoid = [before, after].some((schema) => sets.samplesOf(schema).length === 0);
        if (isDecided && !isVoid)
          note(
            `${side} breaking, although the sets say that it is not: ${found.map(({ kind }) => kind).join()}`,
          );
      }
    }
  }
  if (process.env["DRIFT_ROUNDS"]) console.log(counts);
  expect(faults.slice(0, 25), `seed ${seed}`).toEqual([]);
}, 600_000);

test.each([
  ["One", "Both"],
  ["Both", "One"],
])("what %s admits does not depend on its being read before %s", (...names) => {
  const One: JsonObject = {
    minLength: 1,
    allOf: [{ maxLength: 5 }],
    anyOf: [{ pattern: "^a" }, { type: "null" }],
  };
  const Both: JsonObject = { allOf: [{ $ref: "#/components/schemas/One" }, { type: "string" }] };
  const document = new Document("order", { openapi: "3.1.0", components: { schemas: { One, Both } } });
  const schemas = new Schemas(document);
  const read = new Map(
    names.map((name) => [name, schemas.of(valueAt(document.root, ["components", "schemas", name]))] as const),
  );
  const sets = new Sets("answer");
  for (const schema of read.values()) sets.samplesOf(schema);
  expect(["a", "b"].map((value) => sets.holds(read.get("Both")!, value))).toEqual([true, false]);
});

test("two schemas that both hold null are not apart, whatever `not` excludes besides", () => {
  const texts: JsonObject[] = [{ not: {} }, {}];
  const [one, other] = texts.map((excluded) => {
    const raw: JsonObject = { oneOf: [{ type: "string", ...excluded }, { type: "null" }] };
    return new Schemas(documentOf("answer", raw)).of(raw);
  });
  expect(new Sets("answer").areApart(one!, other!)).toBe(false);
});

test("what a failed proof of recursive schemas assumed is not proved", () => {
  const listOf = (value: JsonObject): Document => {
    const fields = (name: string, more: JsonObject): JsonObject => ({
      type: "object",
      properties: { next: { $ref: `#/components/schemas/${name}` }, ...more },
    });
    const all = { First: fields("Second", { value }), Second: fields("First", {}) };
    return new Document("recursive", { openapi: "3.1.0", components: { schemas: all } });
  };
  const schemaIn = (document: Document, name: string) =>
    new Schemas(document).of(valueAt(document.root, ["components", "schemas", name]));
  const documents = ["integer", "number", "string"].map((type) => listOf({ type }));
  const [whole, number, text] = documents.map((document) => ({
    first: schemaIn(document, "First"),
    second: schemaIn(document, "Second"),
  }));
  const sets = new Sets("answer");
  expect(sets.includes(text!.first, whole!.first)).toBe(false);
  expect(sets.includes(text!.second, whole!.second)).toBe(false);
  expect(sets.includes(number!.second, whole!.second)).toBe(true);
  expect(sets.includes(number!.first, whole!.first)).toBe(true);
  expect(sets.includes(whole!.first, number!.first)).toBe(false);
});
