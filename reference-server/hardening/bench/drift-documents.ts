type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
type JsonObject = { [name: string]: Json };

/** A source of numbers from 0 to below 1, the same for the same seed. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const words =
  "account order item price currency status region owner invoice payment shipment label note tag".split(" ");

/** A document shaped like a public API's: circular references, `allOf`, nullable alternatives, long texts. */
export function publicApi(seed: number, schemaCount: number): JsonObject {
  const random = randomOf(seed);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  const text = (count: number): string => Array.from({ length: count }, () => pick(words)).join(" ");
  const reference = (): JsonObject => ({
    $ref: `#/components/schemas/S${Math.floor(random() * schemaCount)}`,
  });
  const field = (): Json => {
    const kind = random();
    if (kind < 0.4)
      return { type: "string", description: text(12), maxLength: 10 + Math.floor(random() * 90) };
    if (kind < 0.55) return { type: "integer", minimum: 0, description: text(8) };
    if (kind < 0.65) return { type: "string", enum: [...new Set([pick(words), pick(words), pick(words)])] };
    if (kind < 0.8) return { type: "array", items: reference() };
    if (kind < 0.9) return { anyOf: [reference(), { type: "null" }] };
    return reference();
  };
  const fields = (): JsonObject =>
    Object.fromEntries(
      Array.from({ length: 4 + Math.floor(random() * 16) }, (_, index) => [
        `${pick(words)}_${index}`,
        field(),
      ]),
    );
  const schemas: JsonObject = {};
  for (let index = 0; index < schemaCount; index += 1) {
    const properties = fields();
    const own = {
      type: "object",
      description: text(25),
      properties,
      required: Object.keys(properties).slice(0, 3),
    };
    schemas[`S${index}`] = random() < 0.1 ? { allOf: [reference(), own] } : own;
  }
  const body = (): JsonObject => ({ "application/json": { schema: reference() } });
  const paths: JsonObject = {};
  for (let index = 0; index < schemaCount / 2; index += 1) {
    const operation = (method: string): JsonObject => ({
      operationId: `${method}${index}`,
      description: text(40),
      parameters: [
        { name: "id", in: "path", required: true, schema: { type: "string" } },
        {
          name: "limit",
          in: "query",
          schema: { type: "integer", maximum: 100, default: 20 },
          description: text(10),
        },
      ],
      ...(method === "post" && { requestBody: { required: true, content: body() } }),
      responses: {
        "200": { description: text(5), content: body() },
        default: { description: "Error", content: body() },
      },
    });
    paths[`/${pick(words)}/r${index}/{id}`] = { get: operation("get"), post: operation("post") };
  }
  return { openapi: "3.1.0", info: { title: "Public API", version: "1" }, paths, components: { schemas } };
}

/** A copy of such a document with the given number of fields removed, retyped or bounded differently. */
export function changed(document: JsonObject, seed: number, count: number): JsonObject {
  const copy = structuredClone(document);
  const random = randomOf(seed);
  const { schemas } = copy["components"] as { schemas: Record<string, JsonObject> };
  const names = Object.keys(schemas);
  for (let index = 0; index < count; index += 1) {
    const schema = schemas[names[Math.floor((index * names.length) / count)]!]!;
    const own = (schema["allOf"] as JsonObject[] | undefined)?.[1] ?? schema;
    const properties = own["properties"] as Record<string, JsonObject>;
    const fields = Object.keys(properties);
    const name = fields[Math.floor(random() * fields.length)]!;
    if (random() < 0.3) Reflect.deleteProperty(properties, name);
    else if (random() < 0.5) properties[name] = { type: "boolean" };
    else properties[name] = { type: "string", maxLength: 7 };
  }
  return copy;
}

/** Schemas that all refer to one another, in a different order in the second of two such documents. */
export function clique(count: number, shift: number): JsonObject {
  const schemas: JsonObject = {};
  for (let index = 0; index < count; index += 1) {
    const properties: JsonObject = {};
    for (let other = 0; other < count; other += 1) {
      properties[`f${other}`] = { $ref: `#/components/schemas/S${(other + shift) % count}` };
    }
    schemas[`S${index}`] = {
      type: "object",
      properties: { ...properties, own: { type: "integer", maximum: index } },
    };
  }
  const content = { "application/json": { schema: { $ref: "#/components/schemas/S0" } } };
  const post = { requestBody: { content }, responses: { "200": { description: "All.", content } } };
  return {
    openapi: "3.1.0",
    info: { title: "Clique", version: "1" },
    paths: { "/all": { post } },
    components: { schemas },
  };
}
