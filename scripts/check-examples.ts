import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { isObject } from "./bundle.ts";
import type { Json, JsonObject, OpenApiDocument } from "./bundle.ts";

/** An example and the schema it stands beside, each at a JSON pointer of the document. */
interface Example {
  at: string;
  schemaAt: string;
  value: Json;
}

const step = (pointer: string, name: string | number): string =>
  `${pointer}/${String(name).replaceAll("~", "~0").replaceAll("/", "~1")}`;

/** The examples of a media type, parameter or header, whichever of the two ways they are written. */
function examplesOf(holder: JsonObject, at: string): Example[] {
  if (!isObject(holder["schema"])) return [];
  const schemaAt = step(at, "schema");
  const one = holder["example"];
  const many = isObject(holder["examples"]) ? holder["examples"] : {};
  return [
    ...(one === undefined ? [] : [{ at: step(at, "example"), schemaAt, value: one }]),
    ...Object.entries(many).flatMap(([name, example]) =>
      isObject(example) && example["value"] !== undefined
        ? [{ at: step(step(at, "examples"), name), schemaAt, value: example["value"] }]
        : [],
    ),
  ];
}

/** Every example of the document. Examples are not looked for inside examples, nor inside schemas. */
function* findExamples(value: Json, at: string): Generator<Example> {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* findExamples(item, step(at, index));
  } else if (isObject(value)) {
    yield* examplesOf(value, at);
    for (const [name, item] of Object.entries(value)) {
      if (!["schema", "schemas", "example", "examples"].includes(name))
        yield* findExamples(item, step(at, name));
    }
  }
}

/**
 * Holds every example of the spec against the schema it stands beside.
 *
 * @returns one sentence for each example that breaks its schema, with its JSON pointer
 */
export function checkExamples(spec: OpenApiDocument): string[] {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false });
  formats.default(ajv);
  ajv.addSchema(spec, "spec");
  const problems: string[] = [];
  for (const { at, schemaAt, value } of findExamples(spec, "#")) {
    const validate = ajv.compile({ $ref: `spec${encodeURI(schemaAt)}` });
    if (!validate(value)) problems.push(`${at}: ${ajv.errorsText(validate.errors, { dataVar: "example" })}`);
  }
  return problems;
}
