import path from "node:path";
import { bundle as join, createConfig } from "@redocly/openapi-core";

/** A JSON object as it stands in an OpenAPI document. */
export type JsonObject = { [name: string]: Json };
export type Json = null | boolean | number | string | Json[] | JsonObject;

/** An OpenAPI document as far as this project walks it. */
export interface OpenApiDocument extends JsonObject {
  info: JsonObject;
  paths: { [path: string]: JsonObject };
  components: { [kind: string]: JsonObject };
}

/** The order in which the kinds of components stand in a bundle. */
const componentKinds = ["schemas", "parameters", "headers", "responses", "securitySchemes"];

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * Joins the files of the spec to one document whose references are all local: a file or a member of a file that is
 * referred to becomes the component of its name, and a path file is put where it is referred to.
 *
 * @param root the file that holds the document's outline
 * @returns the document, with its components sorted by name, so that equal specs give equal documents
 * @throws Error that names the place of each reference that leads nowhere
 */
export async function bundle(root: string): Promise<OpenApiDocument> {
  const { bundle: joined, problems } = await join({ ref: root, config: await createConfig({}) });
  if (problems.length > 0) throw new Error(problems.map(sentenceOf).join("\n"));
  const document = joined.parsed as OpenApiDocument;
  document.components = Object.fromEntries(
    componentKinds.map((kind) => [
      kind,
      Object.fromEntries(
        Object.entries(document.components[kind] ?? {}).sort(([one], [other]) => (one < other ? -1 : 1)),
      ),
    ]),
  );
  return document;
}

type Problem = Awaited<ReturnType<typeof join>>["problems"][number];

const sentenceOf = ({ message, location: [at] }: Problem): string =>
  `${path.relative("", at?.source.absoluteRef ?? "")} at ${at?.pointer ?? "#"}: ${message}`;
