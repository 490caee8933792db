import path from "node:path";
import { bundle as join, createConfig, lint, loadConfig } from "@redocly/openapi-core";
import type { JsonObject } from "../base/data.ts";

/** The parts of an OpenAPI document that this project uses. */
export interface OpenApiDocument extends JsonObject {
  info: JsonObject;
  paths: { [path: string]: JsonObject };
  components: { [kind: string]: JsonObject };
}

/** The order of the kinds of components in a bundle. */
const componentKinds = ["schemas", "parameters", "headers", "responses", "securitySchemes"];

/**
 * Joins the files of the spec into one document with only local references: each file, or member of a file, that is
 * referred to becomes the component of its name, and a path file is inlined.
 *
 * @param root the file with the document's outline
 * @returns the document with its components sorted by name, so that equal specs give equal documents
 * @throws Error naming the place of each dangling reference
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

/** The linter's findings in a document, as sentences, by the rules of tools/redocly.yaml. */
export async function lintDocument(file: string): Promise<string[]> {
  const config = await loadConfig({ configPath: path.join(import.meta.dirname, "redocly.yaml") });
  return (await lint({ ref: file, config })).map(sentenceOf);
}

type Problem = Awaited<ReturnType<typeof join>>["problems"][number];

const sentenceOf = ({ message, location: [at] }: Problem): string =>
  `${path.relative("", at?.source.absoluteRef ?? "")} at ${at?.pointer ?? "#"}: ${message}`;
