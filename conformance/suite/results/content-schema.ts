import { extname } from "node:path";
import { evaluated, type Limits } from "../../judge/evaluated.ts";
import { isFields } from "../../judge/seen.ts";
import type { Given } from "./content-schema-worker.ts";

const worker = new URL(`content-schema-worker${extname(import.meta.url)}`, import.meta.url);

/**
 * Whether a `content_schema` is a JSON schema, of the draft that it names or of any, that some content satisfies. A
 * schema of an unknown draft, or one that refers to another document, is given the benefit of the doubt.
 * @throws Unverifiable when that cannot be found out in bounded time and memory
 */
export async function isSatisfied(schema: unknown, content: unknown, limits?: Limits): Promise<boolean> {
  if (!isFields(schema)) return false;
  return evaluated(worker, { schema, content } satisfies Given, "content_schema", limits);
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
