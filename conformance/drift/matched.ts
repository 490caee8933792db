import { canonical } from "../../base/data.ts";
import type { Schema, Side } from "./schema.ts";
import type { Sets } from "./sets.ts";
import { isAnyType } from "./types.ts";

/** The alternatives of one side, each with the one of the other side that means the same. */
export type Partners = ReadonlyMap<Schema, Schema>;

/** Maximum number of alternatives looked at as the changed form of one. */
const maxLooked = 64;

/**
 * The alternatives of both sides that mean the same: by name, by words, by title, by tag, by constants, by what they
 * admit, by the fields that they require or have, by position.
 * @param areEqual whether both sides admit the same in all, so that nothing can have changed its form
 */
export function matched(
  sets: Sets,
  before: readonly Schema[],
  after: readonly Schema[],
  areEqual = false,
): Partners {
  const { side } = sets;
  const found = new Map<Schema, Schema>();
  const free = new Set(after);
  const take = (find: (one: Schema) => Schema | undefined): void => {
    for (const one of before) {
      const other = found.has(one) ? undefined : find(one);
      if (other === undefined) continue;
      found.set(one, other);
      free.delete(other);
    }
  };
  const by = (
    keyOf: (schema: Schema) => string | undefined,
    fits = (_one: Schema, _other: Schema) => true,
  ): void => {
    const index = Map.groupBy(free, keyOf);
    index.delete(undefined);
    take((one) => {
      const left = index.get(keyOf(one))?.filter((other) => free.has(other)) ?? [];
      return left.slice(0, 16).find((other) => fits(one, other));
    });
  };
  const shapeOf = (schema: Schema): string =>
    canonical([
      [...(isAnyType(schema.types) ? [] : schema.types)].toSorted(),
      [...schema.fields(side).keys()].toSorted(),
    ]);
  by(({ name }) => name);
  by((schema) => canonical(schema.shown, 5000));
  by((schema) => textOf(schema.all("title")));
  by((schema) => {
    const [tag] = schema.tags(side);
    return tag && canonical([tag[0], [...tag[1]]]);
  });
  by((schema) => textOf(constantsOf(schema, side)));
  by(shapeOf, (one, other) => sets.areAlike(one, other));
  if (areEqual) return found;
  by(shapeOf);
  by((schema) => textOf([...schema.required(side)].toSorted()));
  take((one) => closest(one, free, side));
  take((one) => {
    const other = after[before.indexOf(one)];
    return other !== undefined && free.has(other) && areRelated(one, other, side) ? other : undefined;
  });
  return found;
}

/** A list as text; undefined when it is empty, which tells nothing. */
const textOf = (list: readonly unknown[]): string | undefined =>
  list.length === 0 ? undefined : canonical(list);

/** The fields of which one value is listed, required or not. */
const constantsOf = (schema: Schema, side: Side): [name: string, value: unknown][] =>
  [...schema.fields(side)]
    .flatMap(([name, { values }]): [string, unknown][] => (values?.length === 1 ? [[name, values[0]]] : []))
    .toSorted(([one], [other]) => (one < other ? -1 : 1));

/** Whether two schemas have a type in common, and a field where they have fields. */
function areRelated(one: Schema, other: Schema, side: Side): boolean {
  const [fields, others] = [new Set(one.fields(side).keys()), new Set(other.fields(side).keys())];
  const areBare = fields.size === 0 && others.size === 0;
  return !one.types.isDisjointFrom(other.types) && (areBare || !fields.isDisjointFrom(others));
}

/** The alternative that shares the most fields, if more than half. */
function closest(one: Schema, free: ReadonlySet<Schema>, side: Side): Schema | undefined {
  const fields = new Set(one.fields(side).keys());
  const shareOf = (other: Schema): number => {
    const others = other.fields(side);
    return fields.intersection(others).size / Math.max(fields.size, others.size);
  };
  const likely = [...free].slice(0, maxLooked).filter((other) => shareOf(other) > 0.5);
  return likely.toSorted((best, other) => shareOf(other) - shareOf(best))[0];
}
