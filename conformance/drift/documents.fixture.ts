import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll } from "vitest";
import type { Json, JsonObject } from "../../base/data.ts";

const bodyOf = (schema: Json): JsonObject => ({ content: { "application/json": { schema } } });

/** An operation to which clients send a schema. */
export const sending = (schema: Json): JsonObject => ({ requestBody: bodyOf(schema), responses: {} });

/** An operation that is answered with a schema. */
export const answering = (schema: Json): JsonObject => ({ responses: { "200": bodyOf(schema) } });

/** A document of version 1 with some paths, and what else is given. */
export const documentWith = (paths: JsonObject, more: JsonObject = {}): JsonObject => ({
  openapi: "3.1.0",
  info: { title: "T", version: "1" },
  paths,
  ...more,
});

/** A folder for the files of a test, which is gone after its tests. `write` writes one, JSON unless it is a text. */
export function temporaryFiles() {
  const folder = mkdtempSync(join(tmpdir(), "drift-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const write = (name: string, content: unknown): string => {
    const file = join(folder, name);
    const isText = typeof content === "string" || Buffer.isBuffer(content);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, isText ? content : JSON.stringify(content, null, 2));
    return file;
  };
  return { folder, write };
}
