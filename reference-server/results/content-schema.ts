/** The depth and the number of names beyond which anything is allowed, so that the schema stays readable. */
const maxDepth = 8;
const maxProperties = 200;

interface Shape {
  types: Set<string>;
  objects: number;
  properties: Map<string, { shape: Shape; seen: number }>;
  items: Shape | null;
}

/**
 * A JSON schema that the given content satisfies: types, properties with those common to all objects as `required`, and
 * one schema for all items of an array. It contains field names but no values.
 */
export function inferContentSchema(content: unknown): Record<string, unknown> {
  const shape = emptyShape();
  observe(shape, content, 0);
  return describe(shape);
}

const emptyShape = (): Shape => ({ types: new Set(), objects: 0, properties: new Map(), items: null });

function observe(shape: Shape, value: unknown, depth: number): void {
  if (value === null) shape.types.add("null");
  else if (Array.isArray(value)) {
    shape.types.add("array");
    if (depth >= maxDepth) return;
    shape.items ??= emptyShape();
    for (const item of value) observe(shape.items, item, depth + 1);
  } else if (typeof value === "object") {
    shape.types.add("object");
    shape.objects += 1;
    if (depth >= maxDepth) return;
    for (const [name, member] of Object.entries(value)) {
      let property = shape.properties.get(name);
      if (!property) {
        if (shape.properties.size >= maxProperties) continue;
        shape.properties.set(name, (property = { shape: emptyShape(), seen: 0 }));
      }
      property.seen += 1;
      observe(property.shape, member, depth + 1);
    }
  } else if (typeof value === "number") shape.types.add(Number.isInteger(value) ? "integer" : "number");
  else shape.types.add(typeof value);
}

function describe(shape: Shape): Record<string, unknown> {
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
