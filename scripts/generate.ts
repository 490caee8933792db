import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { parseArgs } from "node:util";
import openapiTS, { astToString } from "openapi-typescript";
import { stringify } from "yaml";
import { bundle } from "./bundle.ts";
import type { OpenApiDocument } from "./bundle.ts";
import { readClauses, type Written } from "./clauses/read.ts";
import { clausesSchema, notClausesSchema, type KnownNames } from "./clauses/schemas.ts";
import { operationsOf } from "./contract/operations.ts";
import { clausesModule } from "./generate-clauses.ts";
import { contractModule, needNames, readPlainFacts } from "./generate-contract.ts";

const repository = path.resolve(import.meta.dirname, "..");
const generatedFolder = path.join(repository, "generated");

const pretty = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

const header = "// Written by `npm run generate` from spec/. Do not edit.\n\n";

/** The spec as one document with local references only. */
export const readSpec = (): Promise<OpenApiDocument> =>
  bundle(path.join(repository, "spec/openapi/root.yaml"));

/** What the clauses may name: operations and needs. */
async function readNames(): Promise<KnownNames> {
  const [spec, { needs }] = await Promise.all([readSpec(), readPlainFacts()]);
  return { operations: operationsOf(spec).map(({ id }) => id), needs: needNames(needs), readings: [] };
}

/** @throws YamlError with the problems of every file of clauses that is not what its schema says */
export const readWritten = async (): Promise<Written> => readClauses(await readNames());

/**
 * Derives every file of generated/ from spec/, in memory.
 *
 * @returns file name and content; equal specs give equal contents
 */
export async function generate(): Promise<Map<string, string>> {
  const spec = await readSpec();
  const json = pretty(spec);
  const types = await openapiTS(json, {
    rootTypes: true,
    rootTypesNoSchemaPrefix: true,
    silent: true,
    emptyObjectsUnknown: true,
  });
  return new Map([
    ["openapi.json", json],
    ["openapi.yaml", stringify(spec, { aliasDuplicateObjects: false, lineWidth: 0 })],
    ["api.ts", header + astToString(types)],
    ["clauses.ts", header + (await clausesModule(await readWritten()))],
    ["contract.ts", header + (await contractModule(spec, await readPlainFacts()))],
    ["schemas/clauses.json", pretty(clausesSchema(await readNames()))],
    ["schemas/not-clauses.json", pretty(notClausesSchema)],
  ]);
}

/** The generated files whose committed content is not what spec/ gives now. */
export async function staleFiles(): Promise<string[]> {
  const stale: string[] = [];
  for (const [name, content] of await generate()) {
    const committed = await readFile(path.join(generatedFolder, name), "utf8").catch(() => undefined);
    if (committed !== content) stale.push(name);
  }
  return stale;
}

/**
 * Pins the document of a version at its release; from then on `npm run check` refuses another document of that version.
 *
 * @param folder where the pinned documents stand, one file a version
 * @returns the file
 * @throws Error when another document was released under the version
 */
export async function pinRelease(folder: string, version: string, document: string): Promise<string> {
  const file = path.join(folder, `${version}.json`);
  const released = await readFile(file, "utf8").catch(() => undefined);
  if (released !== undefined && released !== document) {
    throw new Error(
      `${path.relative("", file)} was released with another content: raise info.version in spec/openapi/root.yaml`,
    );
  }
  await mkdir(folder, { recursive: true });
  await writeFile(file, document);
  return file;
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { release: { type: "boolean", default: false } } });
  await mkdir(path.join(generatedFolder, "schemas"), { recursive: true });
  const files = await generate();
  for (const [name, content] of files) await writeFile(path.join(generatedFolder, name), content);
  console.log(`generated/: ${[...files.keys()].join(", ")}`);
  if (!values.release) return;
  const document = files.get("openapi.json")!;
  const { info } = JSON.parse(document) as { info: { version: string } };
  const file = await pinRelease(path.join(generatedFolder, "released"), info.version, document);
  console.log(`pinned: ${path.relative(repository, file)}`);
}

if (import.meta.main) {
  await main().catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  });
}
