import { canonical } from "../../base/data.ts";
import { Pairing } from "./pairing.ts";
import type { Schema, Side } from "./schema.ts";
import type { Sets } from "./sets.ts";
import { isAnyType } from "./types.ts";

/** The alternatives of one side, each with the one of the other side that means the same. */
export type Partners = ReadonlyMap<Schema, Schema>;

/** Maximum number of alternatives looked at as the changed form of one. */
const maxLooked = 64;

/**
 * The alternatives of both sides that mean the same: by name, by words, by title, by constants and tags, by what they
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
  const pairing = new Pairing(before, after);
  const by = (
    keyOf: (schema: Schema) => string | undefined,
    fits = (_one: Schema, _other: Schema) => true,
  ): void => pairing.by(keyOf, (one, free) => free.slice(0, 16).find((other) => fits(one, other)));
  const shapeOf = (schema: Schema): string =>
    canonical([
      [...(isAnyType(schema.types) ? [] : schema.types)].toSorted(),
      [...schema.fields(side).keys()].toSorted(),
    ]);
  by(({ name }) => name);
  by((schema) => canonical(schema.shown, 5000));
  by((schema) => textOf(schema.all("title")));
  // What two alternatives of a side have tells nothing.
  const marks = [before, after].map((list) => [...new Set(list)].flatMap((schema) => marksOf(schema, side)));
  const shared = new Set(marks.flatMap(repeated));
  by((schema) => marksOf(schema, side).find((mark) => !shared.has(mark)));
  by(shapeOf, (one, other) => sets.areAlike(one, other));
  if (areEqual) return pairing.pairs;
  by(shapeOf);
  // Components with other names are the same by more than that.
  const areCalledOtherwise = (one: Schema, other: Schema): boolean =>
    one.name !== undefined && other.name !== undefined;
  by(
    (schema) => textOf([...schema.required(side)].toSorted()),
    (one, other) => !areCalledOtherwise(one, other),
  );
  pairing.each((schema) => closest(schema, pairing.after, side));
  pairing.each((schema) => {
    const other = after[before.indexOf(schema)];
    const isFree = other !== undefined && pairing.after.has(other) && !areCalledOtherwise(schema, other);
    return isFree && areRelated(schema, other, side) ? other : undefined;
  });
  return pairing.pairs;
}

/** A list as text; undefined when it is empty, which tells nothing. */
const textOf = (list: readonly unknown[]): string | undefined =>
  list.length === 0 ? undefined : canonical(list);

/** The texts that a list has more than once. */
function repeated(list: readonly string[]): string[] {
  const times = Map.groupBy(list, (value) => value);
  return [...times].flatMap(([value, { length }]) => (length > 1 ? [value] : []));
}

/** The fields for which one value is listed, or which are required with some, as text. */
const marksOf = (schema: Schema, side: Side): string[] =>
  [...schema.fields(side)].flatMap(([name, { values }]) =>
    values?.length === 1 || (values && schema.required(side).has(name)) ? canonical([name, values]) : [],
  );

/** Whether two schemas have a type in common, and a field where they have fields. */
function areRelated(one: Schema, other: Schema, side: Side): boolean {
  const [fields, others] = [new Set(one.fields(side).keys()), new Set(other.fields(side).keys())];
  const areBare = fields.size === 0 && others.size === 0;
  return !one.types.isDisjointFrom(other.types) && (areBare || !fields.isDisjointFrom(others));
}

/** The alternative that shares the most fields, if more than half. */
function closest(schema: Schema, free: ReadonlySet<Schema>, side: Side): Schema | undefined {
  const fields = new Set(schema.fields(side).keys());
  const shareOf = (other: Schema): number => {
    const others = other.fields(side);
    return fields.intersection(others).size / Math.max(fields.size, others.size);
  };
  const likely = [...free].slice(0, maxLooked).filter((other) => shareOf(other) > 0.5);
  return likely.toSorted((best, other) => shareOf(other) - shareOf(best))[0];
}
