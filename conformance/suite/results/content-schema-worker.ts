import { parentPort } from "node:worker_threads";
import { Ajv } from "ajv";
import { Ajv2019 } from "ajv/dist/2019.js";
import { Ajv2020 } from "ajv/dist/2020.js";
import { isFields } from "../../judge/seen.ts";

/** The thread's input: a schema and a content. */
export interface Given {
  schema: Record<string, unknown>;
  content: unknown;
}

type Schema = Record<string, unknown>;

/** The contract says "JSON schema" without naming a draft. */
const dialects = [
  { name: "2020-12", Judge: Ajv2020, read: (schema: Schema) => schema },
  { name: "2019-09", Judge: Ajv2019, read: (schema: Schema) => schema },
  { name: "draft-0[67]", Judge: Ajv, read: (schema: Schema) => schema },
  { name: "draft-0[1-5]", Judge: Ajv, read: (schema: Schema) => withNumericBounds(schema) as Schema },
] as const;

/** Up to draft 5, `exclusiveMinimum` is a boolean next to `minimum`. */
function withNumericBounds(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withNumericBounds);
  if (!isFields(schema)) return schema;
  const { id: _id, ...read } = Object.fromEntries(
    Object.entries(schema).map(([name, value]) => [name, withNumericBounds(value)]),
  );
  for (const [exclusive, bound] of [
    ["exclusiveMinimum", "minimum"],
    ["exclusiveMaximum", "maximum"],
  ] as const) {
    if (typeof read[exclusive] !== "boolean") continue;
    [read[exclusive], read[bound]] = read[exclusive] ? [read[bound], undefined] : [undefined, read[bound]];
  }
  // Keywords without a value are omitted.
  return JSON.parse(JSON.stringify(read));
}

/**
 * Validates by the draft that the schema names, else by any; an unknown draft gets the benefit of the doubt. The
 * schema's own id says nothing of the content, and the judge refuses some ids.
 */
function isSatisfied({ schema: contentSchema, content }: Given): boolean {
  const { $schema: named, $id: _id, ...schema } = contentSchema;
  const known = dialects.filter(({ name }) => named === undefined || new RegExp(name).test(String(named)));
  return known.length === 0 || known.some((dialect) => satisfies(dialect, schema, content));
}

function satisfies({ Judge, read }: (typeof dialects)[number], schema: Schema, content: unknown): boolean {
  const judge = new Judge({ strict: false, ownProperties: true, validateFormats: false, logger: false });
  try {
    return judge.validate(read(schema), content);
  } catch (error) {
    return error instanceof Judge.MissingRefError;
  }
}

parentPort!.on("message", (given: Given) => parentPort!.postMessage(isSatisfied(given)));
