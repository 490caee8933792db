import { Ajv2020 } from "ajv/dist/2020.js";
import { isFields } from "../../judge/seen.ts";

/** Whether a `content_schema` is a JSON schema that some content satisfies. */
export function isSatisfied(contentSchema: unknown, content: unknown): boolean {
  if (!isFields(contentSchema)) return false;
  const { $schema: _dialect, ...schema } = contentSchema;
  try {
    return new Ajv2020({ strict: false, validateFormats: false, logger: false }).validate(schema, content);
  } catch {
    return false;
  }
}

/** The keywords under which a schema shows values; an `enum` lists what may come, not what came. */
const showing = ["examples", "example", "default", "const"];

/** What a schema shows of content, at whatever depth. */
export function valuesShownBy(schema: unknown): unknown[] {
  if (Array.isArray(schema)) return schema.flatMap(valuesShownBy);
  return Object.entries(isFields(schema) ? schema : {}).flatMap(([keyword, value]) =>
    showing.includes(keyword) ? [value] : valuesShownBy(value),
  );
}
