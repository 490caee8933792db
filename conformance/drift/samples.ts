import { canonical, type Json } from "../../base/data.ts";
import { holds } from "./holds.ts";
import { mayBe, type boundTypes, type Schema, type Side } from "./schema.ts";

const maxSamples = 48;
const maxDepth = 4;
/** Maximum size of a text or list. */
const maxSize = 1000;

const texts =
  `a b aa A - 0 1.5 2026-01-31 2026-01-31T00:00:00Z x@example.org 00000000-0000-4000-8000-000000000000
  https://example.org/`.split(/\s+/);

/** Some values that a schema surely admits, at the edges of what it says. */
export function samplesOf(schema: Schema, side: Side): Json[] {
  const samples = new Map(candidates(schema, side, 4 * maxSamples).map((value) => [canonical(value), value]));
  return [...samples.values()].filter((value) => holds(schema, value, side) === true).slice(0, maxSamples);
}

/** Values to try: any of them may be refused, or a part of it. */
function candidates(schema: Schema, side: Side, max: number, depth = 0): Json[] {
  const { values, cases, isNothing } = schema;
  if (depth > maxDepth || isNothing) return [];
  if (values !== null) return values.slice(0, max);
  if (cases !== null)
    return cases
      .slice(0, max)
      .flatMap((alternative) => candidates(alternative, side, cases.length > 6 ? 2 : 8, depth));
  const inside = (inner: Schema): Json[] => candidates(inner, side, depth > 1 ? 2 : 8, depth + 1);
  const edges = (about: keyof typeof boundTypes): number[] =>
    (["min", "max"] as const).flatMap((end) => schema.bound(`${end}${about}`)?.value ?? []).map(Number);
  const sizes = (about: "Length" | "Items"): number[] => edges(about).filter((size) => size <= maxSize);
  const byType: Record<string, () => Json[]> = {
    object: () => {
      const needed = schema.required(side);
      const names = [...new Set([...needed, ...schema.fields(side).keys()])].slice(0, 40);
      const each = names.flatMap((name) =>
        inside(schema.field(name, side)).map((value) => ({ [name]: value })),
      );
      const whole = each.toReversed().reduce((fields, field) => ({ ...fields, ...field }), {});
      const least = Object.fromEntries(Object.entries(whole).filter(([name]) => needed.has(name)));
      const filled = [whole, ...each].map((fields) => ({ ...least, ...fields }));
      return [least, ...filled, ...[least, whole].map((fields) => ({ ...fields, "another field": 1 }))];
    },
    array: () => {
      const items = [...schema.firstItems, schema.item(Infinity)].map(inside);
      const lists = [0, 1, 2, ...sizes("Items")].flatMap((length) =>
        [0, 1].map((turn) =>
          Array.from({ length }, (_, index) => {
            const known = items[index] ?? items.at(-1)!;
            return known[(turn * (index + 1)) % known.length];
          }),
        ),
      );
      return lists.filter((list): list is Json[] => !list.includes(undefined));
    },
    string: () => [
      "",
      ...texts,
      ...sizes("Length").flatMap((size) => texts.map((text) => text.padEnd(size, "a"))),
    ],
    number: () => {
      const near = edges("imum").flatMap((edge) => [0, 1, -1, 0.5, -0.5].map((by) => edge + by));
      return [...near, ...schema.all("multipleOf").map(Number), 0, 1, -1, 2, 1.5, 1e6];
    },
    boolean: () => [true, false],
    null: () => [null],
  };
  const found = Object.entries(byType).flatMap(([type, find]) => (mayBe(schema, type) ? find() : []));
  return found.slice(0, max);
}
