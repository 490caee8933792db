import { holds } from "./holds.ts";
import { canonical, type Json } from "../../cli/data.ts";
import { mayBe, type BoundName, type boundTypes, type Schema, type Side } from "./schema.ts";

const maxSamples = 48;
const maxDepth = 4;

const texts = ["", "a", "b", "aa", "A", "-", "0", "1.5", "2026-01-31", "2026-01-31T00:00:00Z"];
const longer = ["x@example.org", "00000000-0000-4000-8000-000000000000", "https://example.org/"];

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
  const inside = (inner: Schema): Json[] => candidates(inner, side, depth > 1 ? 2 : 8, depth + 1);
  const edges = (about: keyof typeof boundTypes): number[] =>
    ([`min${about}`, `max${about}`] as BoundName[])
      .flatMap((name) => schema.bound(name)?.value ?? [])
      .filter((edge) => about === "imum" || edge <= 1000);
  const byType: Record<string, () => Json[]> = {
    object: () => {
      const needed = schema.required(side);
      const names = [...new Set([...needed, ...schema.fields(side).keys()])].slice(0, 40);
      const known = names.map((name) => [name, inside(schema.field(name, side))] as const);
      const filled = known.filter(([, some]) => some.length > 0);
      const [whole = {}, ...others] = [0, 1, 2, 3].map((turn) =>
        Object.fromEntries(filled.map(([name, some]) => [name, some[turn % some.length]!])),
      );
      const least = Object.fromEntries(Object.entries(whole).filter(([name]) => needed.has(name)));
      const each = known.flatMap(([name, some]) =>
        some.slice(0, 6).map((value) => ({ ...least, [name]: value })),
      );
      const further = { "another field": 1 };
      return [least, whole, ...each, ...others, { ...least, ...further }, { ...whole, ...further }];
    },
    array: () => {
      const items = [...schema.firstItems, schema.item(Infinity)].map(inside);
      const lists = [0, 1, 2, ...edges("Items").filter((edge) => edge <= 20)].flatMap((length) =>
        [0, 1, 2, 3, -1].map((turn) =>
          Array.from({ length }, (_, index) => {
            const known = items[index] ?? items.at(-1)!;
            return known[turn < 0 ? 0 : (turn + index) % known.length];
          }),
        ),
      );
      return lists.filter((list): list is Json[] => !list.includes(undefined));
    },
    string: () => {
      const [least = 0] = edges("Length");
      return [
        ...texts.map((text) => text.padEnd(least, "a")),
        ...edges("Length").map((one) => "a".repeat(one)),
        ...longer,
      ];
    },
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
