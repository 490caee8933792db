import { Ajv2020 } from "ajv/dist/2020.js";
import type { ErrorObject, ValidateFunction } from "ajv";
import { stepsOf } from "../data.ts";
import { suggestion } from "./nearest.ts";
import { parseYaml, YamlError, type YamlFile, type YamlPath } from "./file.ts";

/** A JSON Schema. `description` says what is right, and completes the message about an invalid value. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Parses a YAML text of one kind of file. */
export type YamlReader<T> = (name: string, text: string) => YamlFile & { readonly value: T };

/**
 * Creates a parser for the files that a schema describes.
 * @param environment if given, `${NAME}` in a text stands for a variable of it
 * @returns a function that throws a YamlError with every problem of the file
 */
export function yamlReader<T>(
  schema: JsonSchema,
  { environment }: { environment?: NodeJS.ProcessEnv } = {},
): YamlReader<T> {
  // Most programs that could read such a file never do, and compiling is most of the cost of importing a reader.
  let compiled: ValidateFunction | undefined;
  return (name, text) => {
    const parsed = parseYaml(name, text);
    const file = environment === undefined ? parsed : filledIn(parsed, environment);
    const keepsSchema = (compiled ??= compile(schema));
    if (keepsSchema(file.value)) return file as YamlFile & { readonly value: T };
    throw new YamlError(problemsOf(file, keepsSchema.errors ?? []));
  };
}

/** @throws YamlError for a variable that is not set */
function filledIn(file: YamlFile, environment: NodeJS.ProcessEnv): YamlFile {
  const unset: string[] = [];
  const filled = (value: unknown, path: YamlPath): unknown => {
    if (typeof value === "string") {
      return value.replaceAll(/\$\{([A-Za-z_]\w*)\}/g, (whole, name: string) => {
        const set = environment[name];
        if (set === undefined || set === "")
          unset.push(problemAt(file, path, `${whole} is not set in the environment`));
        return set ?? whole;
      });
    }
    if (Array.isArray(value)) return value.map((member, index) => filled(member, [...path, index]));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [name, filled(member, [...path, name])]),
    );
  };
  const value = filled(file.value, []);
  if (unset.length > 0) throw new YamlError(unset);
  return { ...file, value };
}

function compile(schema: JsonSchema): ValidateFunction {
  const ajv = new Ajv2020({
    allErrors: true,
    verbose: true,
    strict: false,
    // The schemas are ours: validating them against the JSON Schema meta-schema would take a third of the time.
    validateSchema: false,
    meta: false,
  });
  return ajv.compile(schema);
}

/** A problem at a place of a file, as one line. */
export function problemAt(file: YamlFile, path: YamlPath, message: string): string {
  const place = path.length === 0 ? "" : `${path.join(".")}: `;
  return `${file.name}:${file.lineOf(path)}: ${place}${message}`;
}

/** Keywords with errors that only follow from others. */
const consequences = new Set(["if", "anyOf", "oneOf", "allOf"]);

function problemsOf(file: YamlFile, errors: readonly ErrorObject[]): string[] {
  const causes = errors.filter(({ keyword }) => !consequences.has(keyword));
  const shown = causes.length > 0 ? causes : errors;
  return [...new Set(shown.map((error) => problemAt(file, ...explained(error))))];
}

/** The place of an error, and its message. */
function explained({
  instancePath,
  keyword,
  params,
  parentSchema,
  message,
}: ErrorObject): [YamlPath, string] {
  const path = stepsOf(instancePath);
  const right = parentSchema?.["description"] as string | undefined;
  switch (keyword) {
    case "additionalProperties": {
      const name = String(params["additionalProperty"]);
      return [
        [...path, name],
        unknownName(name, Object.keys((parentSchema?.["properties"] ?? {}) as object), right),
      ];
    }
    case "required":
      return [path, `${String(params["missingProperty"])} is missing`];
    case "enum": {
      const values = [...new Set((params["allowedValues"] as unknown[]).map(String))];
      return [path, `must be ${tooManyToName(values) && right ? right : `one of ${values.join(", ")}`}`];
    }
    case "type":
      return [path, `must be ${right ?? typeNames(params["type"])}`];
    default:
      return [path, right === undefined ? (message ?? "is wrong") : `must be ${right}`];
  }
}

/** Whether a list is too long to name in a message. */
const tooManyToName = (values: readonly string[]): boolean => values.length > 30;

function unknownName(name: string, known: readonly string[], right: string | undefined): string {
  if (known.length === 0) return "not known here";
  if (!tooManyToName(known)) return `not known here; known are ${known.join(", ")}`;
  return `not known here${right === undefined ? "" : `; must be ${right}`}.${suggestion(name, known)}`;
}

const names: Readonly<Record<string, string>> = {
  object: "a mapping",
  array: "a list",
  integer: "a whole number",
  number: "a number",
  string: "a text",
  boolean: "true or false",
};

/** The types in words, without the null that stands for an empty mapping. */
const typeNames = (type: unknown): string =>
  [type]
    .flat()
    .filter((name) => name !== "null")
    .map((name) => names[String(name)] ?? String(name))
    .join(" or ");
