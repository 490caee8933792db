import { extname } from "node:path";
import { Evaluator, type Limits } from "../../judge/evaluated.ts";
import { isFields } from "../../judge/seen.ts";
import type { Given } from "./content-schema-worker.ts";

const worker = new URL(`content-schema-worker${extname(import.meta.url)}`, import.meta.url);
const evaluator = new Evaluator<Given, boolean>(worker, "content_schema");

/**
 * Whether a `content_schema` is a valid JSON schema, of its named draft or any, that some content satisfies. A schema
 * of an unknown draft, or with a reference to another document, gets the benefit of the doubt.
 * @throws Unverifiable when this cannot be decided in bounded time and memory
 */
export async function isSatisfied(schema: unknown, content: unknown, limits?: Limits): Promise<boolean> {
  if (!isFields(schema)) return false;
  return evaluator.evaluate({ schema, content }, limits);
}

/** Keywords that show values; an `enum` lists possible values, not actual ones. */
const showing = ["examples", "example", "default", "const"];

/** The values that a schema shows of the content, at any depth. */
export function valuesShownBy(schema: unknown): unknown[] {
  if (Array.isArray(schema)) return schema.flatMap(valuesShownBy);
  return Object.entries(isFields(schema) ? schema : {}).flatMap(([keyword, value]) =>
    showing.includes(keyword) ? [value] : valuesShownBy(value),
  );
}
