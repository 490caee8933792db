import { holds } from "./holds.ts";
import { canonical, type Json, type JsonObject } from "./json.ts";
import { mayBe, type Schema, type Side } from "./schema.ts";

const maxSamples = 48;
const maxDepth = 4;

const texts = ["", "a", "b", "aa", "0", "1.5", "2026-01-31", "2026-01-31T00:00:00Z", "x@example.org"];
const longer = ["00000000-0000-4000-8000-000000000000", "https://example.org/", "A", "-"];

/** Some values that a schema surely admits, at the edges of what it says. */
export function samplesOf(schema: Schema, side: Side): Json[] {
  const known = new Set<string>();
  const found: Json[] = [];
  for (const value of candidates(schema, side, 0)) {
    const key = canonical(value);
    if (known.has(key) || holds(schema, value, side) !== true) continue;
    known.add(key);
    if (found.push(value) >= maxSamples) break;
  }
  return found;
}

/** Values to try: any of them may be refused. */
function* candidates(schema: Schema, side: Side, depth: number): Generator<Json> {
  if (depth > maxDepth || schema.isNothing) return;
  const { values, cases } = schema;
  if (values !== null) return yield* values.slice(0, maxSamples);
  if (cases !== null) {
    for (const one of cases.slice(0, maxSamples))
      yield* take(candidates(one, side, depth), cases.length > 6 ? 2 : 8);
    return;
  }
  if (mayBe(schema, "object")) yield* objects(schema, side, depth);
  if (mayBe(schema, "array")) yield* lists(schema, side, depth);
  if (mayBe(schema, "string")) yield* textsOf(schema);
  if (mayBe(schema, "number")) yield* numbers(schema);
  if (mayBe(schema, "boolean")) yield* [true, false];
  yield null;
}

function* take<T>(values: Iterable<T>, max: number): Generator<T> {
  let left = max;
  for (const value of values) {
    if (left-- === 0) return;
    yield value;
  }
}

function* textsOf(schema: Schema): Generator<string> {
  const [min, max] = [schema.bound("minLength")?.value ?? 0, schema.bound("maxLength")?.value];
  if (min < 1000) {
    yield* texts.map((text) => text.padEnd(min, "a"));
    if (max !== undefined && max < 1000) yield "a".repeat(max);
  }
  yield* longer;
}

function* numbers(schema: Schema): Generator<number> {
  const [min, max] = [schema.bound("minimum")?.value, schema.bound("maximum")?.value];
  for (const edge of [min, max])
    if (edge !== undefined) yield* [edge, edge + 1, edge - 1, edge + 0.5, edge - 0.5];
  const step = schema.all("multipleOf").map(Number);
  for (const one of step) yield* [one, -one, Math.ceil((min ?? 0) / one) * one];
  yield* [0, 1, -1, 2, 1.5, 1e6];
}

function* lists(schema: Schema, side: Side, depth: number): Generator<Json[]> {
  yield [];
  const min = Math.min(schema.bound("minItems")?.value ?? 0, 20);
  const max = schema.bound("maxItems")?.value;
  const known = new Map<number, Json[]>();
  const at = (index: number): Json[] => {
    const place = Math.min(index, schema.firstItems.length);
    if (!known.has(place)) known.set(place, [...take(candidates(schema.item(place), side, depth + 1), 8)]);
    return known.get(place)!;
  };
  const lengths = new Set([
    1,
    min,
    2,
    ...(max === undefined ? [] : [Math.min(max, 20)]),
    schema.firstItems.length,
  ]);
  for (const length of lengths) {
    for (let turn = 0; turn < 4; turn += 1) {
      const list = Array.from(
        { length },
        (_, index) => at(index)[(turn + index) % Math.max(1, at(index).length)],
      );
      if (!list.includes(undefined)) yield list as Json[];
    }
    const [only] = at(0);
    if (only !== undefined && length > 1) yield Array.from({ length }, () => only);
  }
}

function* objects(schema: Schema, side: Side, depth: number): Generator<JsonObject> {
  const fields = schema.fields(side);
  const needed = [...schema.required(side)];
  const known = new Map<string, Json[]>();
  const at = (name: string): Json[] => {
    if (!known.has(name))
      known.set(name, [...take(candidates(schema.field(name, side), side, depth + 1), depth > 1 ? 2 : 8)]);
    return known.get(name)!;
  };
  const of = (names: readonly string[], turn: number): JsonObject =>
    Object.fromEntries(
      names.flatMap((name) => {
        const values = at(name);
        return values.length === 0 ? [] : [[name, values[turn % values.length]!]];
      }),
    );
  const names = [...new Set([...needed, ...fields.keys()])].slice(0, 40);
  yield of(needed, 0);
  yield of(names, 0);
  for (const name of names)
    for (const value of at(name).slice(0, 6)) yield { ...of(needed, 0), [name]: value };
  for (let turn = 1; turn < 4; turn += 1) yield of(names, turn);
  yield { ...of(needed, 0), "another field": 1 };
  yield { ...of(names, 0), "another field": "a" };
}
