/** Bounds of a schema, to keep it readable and quick to make, whatever the content. Anything is allowed beyond. */
const maxDepth = 8;
const maxProperties = 200;
const maxNameCharacters = 200;
/** The most values observed, and names in the whole schema. */
const maxObserved = 100_000;
const maxNames = 1_000;

interface Shape {
  types: Set<string>;
  objects: number;
  properties: Map<string, Property>;
  items: Shape | null;
  /** Whether the budget ended within it. */
  isPartial: boolean;
}

/** A member of objects. */
interface Property {
  shape: Shape;
  /** The number of objects in which it was observed, and the last one. */
  seen: number;
  last: number;
}

/**
 * A JSON schema that the given content satisfies: types, properties with those common to all objects as `required`, and
 * one schema for all items of an array. It contains field names but no values. Content that was only partly
 * observed may be anything.
 */
export function inferContentSchema(content: unknown): Record<string, unknown> {
  const shape = emptyShape();
  observe(shape, content, 0, { values: maxObserved, names: maxNames });
  return describe(shape);
}

/** The observations that are left. */
interface Budget {
  values: number;
  names: number;
}

const emptyShape = (): Shape => ({
  types: new Set(),
  objects: 0,
  properties: new Map(),
  items: null,
  isPartial: false,
});

function observe(shape: Shape, value: unknown, depth: number, budget: Budget): void {
  budget.values -= 1;
  if (budget.values < 0) shape.isPartial = true;
  else if (value === null) shape.types.add("null");
  else if (Array.isArray(value)) {
    shape.types.add("array");
    if (depth >= maxDepth) return;
    shape.items ??= emptyShape();
    for (const item of value) {
      observe(shape.items, item, depth + 1, budget);
      if (shape.items.isPartial) return;
    }
  } else if (typeof value === "object") {
    shape.types.add("object");
    shape.objects += 1;
    if (depth >= maxDepth) return;
    for (const name in value) {
      if (budget.values <= 0) break;
      const property = shape.properties.get(name) ?? newProperty(shape, name, budget);
      if (property === null) {
        budget.values -= 1;
        continue;
      }
      property.seen += 1;
      property.last = shape.objects;
      observe(property.shape, (value as Record<string, unknown>)[name], depth + 1, budget);
    }
    if (budget.values <= 0) markUnseen(shape, value);
  } else if (typeof value === "number") shape.types.add(Number.isInteger(value) ? "integer" : "number");
  else shape.types.add(typeof value);
}

/** Marks the members that the last object of a shape has, but that were not observed. */
function markUnseen({ properties, objects }: Shape, value: object): void {
  for (const [name, { shape, last }] of properties) {
    if (last !== objects && Object.hasOwn(value, name)) shape.isPartial = true;
  }
}

/** The shape of a member that was not seen before; null if the schema does not name it. */
function newProperty({ properties }: Shape, name: string, budget: Budget): Property | null {
  if (properties.size >= maxProperties || name.length > maxNameCharacters || budget.names <= 0) return null;
  budget.names -= 1;
  const property = { shape: emptyShape(), seen: 0, last: 0 };
  properties.set(name, property);
  return property;
}

function describe(shape: Shape): Record<string, unknown> {
  if (shape.isPartial) return {};
  if (shape.types.has("number")) shape.types.delete("integer");
  const types = [...shape.types].sort();
  if (types.length === 0) return {};
  const schema: Record<string, unknown> = { type: types.length === 1 ? types[0] : types };
  if (shape.properties.size > 0) {
    schema.properties = Object.fromEntries(
      [...shape.properties].map(([name, property]) => [name, describe(property.shape)]),
    );
    const required = [...shape.properties].filter(([, { seen }]) => seen === shape.objects);
    if (required.length > 0) schema.required = required.map(([name]) => name);
  }
  if (shape.items && shape.items.types.size > 0) schema.items = describe(shape.items);
  return schema;
}
