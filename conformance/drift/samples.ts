import { holds } from "./holds.ts";
import { canonical, type Json, type JsonObject } from "./json.ts";
import { mayBe, type BoundName, type Schema, type Side } from "./schema.ts";

const maxSamples = 48;
const maxDepth = 4;
/** Maximum length of a sample. */
const maxLength = 20;

const texts = ["", "a", "b", "aa", "0", "1.5", "2026-01-31", "2026-01-31T00:00:00Z", "x@example.org"];
const longer = ["00000000-0000-4000-8000-000000000000", "https://example.org/", "A", "-"];

/** Some values that a schema surely admits, at the edges of what it says. */
export function samplesOf(schema: Schema, side: Side): Json[] {
  const found = new Map(candidates(schema, side, 4 * maxSamples).map((value) => [canonical(value), value]));
  return [...found.values()].filter((value) => holds(schema, value, side) === true).slice(0, maxSamples);
}

/** Values to try: any of them may be refused. */
function candidates(schema: Schema, side: Side, max: number, depth = 0): Json[] {
  const { values, cases, isNothing } = schema;
  if (depth > maxDepth || isNothing) return [];
  if (values !== null) return values.slice(0, max);
  if (cases !== null) {
    const each = cases.length > 6 ? 2 : 8;
    return cases.slice(0, max).flatMap((one) => candidates(one, side, each, depth));
  }
  const bound = (name: BoundName): number[] => [schema.bound(name)?.value ?? []].flat();
  const inside = (inner: Schema): Json[] => candidates(inner, side, depth > 1 ? 2 : 8, depth + 1);
  const found: Json[] = [];
  if (mayBe(schema, "object")) found.push(...objects(schema, side, inside));
  if (mayBe(schema, "array"))
    found.push(...lists(schema, [...bound("minItems"), ...bound("maxItems")], inside));
  if (mayBe(schema, "string")) {
    const [least = 0, ...most] = [...bound("minLength"), ...bound("maxLength")].filter((one) => one < 1000);
    found.push(
      ...texts.map((text) => text.padEnd(least, "a")),
      ...most.map((one) => "a".repeat(one)),
      ...longer,
    );
  }
  if (mayBe(schema, "number")) {
    const edges = [...bound("minimum"), ...bound("maximum")];
    const steps = schema.all("multipleOf").map(Number);
    found.push(...edges.flatMap((edge) => [0, 1, -1, 0.5, -0.5].map((by) => edge + by)));
    found.push(...steps.flatMap((one) => [one, -one, Math.ceil((edges[0] ?? 0) / one) * one]));
    found.push(0, 1, -1, 2, 1.5, 1e6);
  }
  if (mayBe(schema, "boolean")) found.push(true, false);
  return [...found, null].slice(0, max);
}

type Inside = (schema: Schema) => Json[];

/** Lists of the lengths at the edges, of other items in a row and of the same. */
function lists(schema: Schema, edges: readonly number[], inside: Inside): Json[][] {
  const first = schema.firstItems.length;
  const lengths = [0, 1, ...edges, 2, first].filter((length) => length <= maxLength);
  const items = [...schema.firstItems, schema.item(Infinity)].map(inside);
  const all = lengths.flatMap((length) =>
    [0, 1, 2, 3, -1].map((turn) =>
      Array.from({ length }, (_, index) => {
        const known = items[Math.min(index, first)]!;
        return known[turn < 0 ? 0 : (turn + index) % known.length];
      }),
    ),
  );
  return all.filter((list): list is Json[] => !list.includes(undefined));
}

/** Objects with what they need, with each other field, with all, and with one that is not declared. */
function objects(schema: Schema, side: Side, inside: Inside): JsonObject[] {
  const needed = [...schema.required(side)];
  const names = [...new Set([...needed, ...schema.fields(side).keys()])].slice(0, 40);
  const known = names.map((name) => [name, inside(schema.field(name, side))] as const);
  const filled = known.filter(([, values]) => values.length > 0);
  const all = [0, 1, 2, 3].map((turn) =>
    Object.fromEntries(filled.map(([name, values]) => [name, values[turn % values.length]!])),
  );
  const least = Object.fromEntries(Object.entries(all[0]!).filter(([name]) => needed.includes(name)));
  const others = known.flatMap(([name, values]) =>
    values.slice(0, 6).map((value) => ({ ...least, [name]: value })),
  );
  const further = { "another field": 1 };
  return [least, all[0]!, ...others, ...all.slice(1), { ...least, ...further }, { ...all[0], ...further }];
}
