import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { parseArgs } from "node:util";
import openapiTS, { astToString } from "openapi-typescript";
import { format } from "prettier";
import { stringify } from "yaml";
import { schemaAddress } from "../base/described.ts";
import { catalogSchema } from "../reference-server/catalog/shape.ts";
import { bundle } from "./bundle.ts";
import { recordSizes } from "./check-sizes.ts";
import type { OpenApiDocument } from "./bundle.ts";
import { readClauses, type Written } from "./clauses/read.ts";
import { readingsModule, readingsPage, readReadings, type ReadingsFile } from "./clauses/readings.ts";
import { clausesSchema, notClausesSchema, readingsSchema, type KnownNames } from "./clauses/schemas.ts";
import { kindsPage } from "./docs/kinds-page.ts";
import { serversPage } from "./servers/page.ts";
import { groupsOf, operationsOf, type SpecOperation } from "./contract/operations.ts";
import { policySchema } from "../conformance/drift/policy.ts";
import { profileSchema, type ProfileFacts } from "../conformance/server/profile-schema.ts";
import { reportSchemas } from "./report-schemas.ts";
import { clausesModule } from "./generate-clauses.ts";
import { contractModule, headerNames, needNames, readPlainFacts, rolesPage } from "./generate-contract.ts";

const repository = path.resolve(import.meta.dirname, "..");

const pretty = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

const header = "// Written by `npm run generate` from spec/. Do not edit.\n\n";

/** The spec as one document with local references only. */
export const readSpec = (): Promise<OpenApiDocument> =>
  bundle(path.join(repository, "spec/openapi/root.yaml"));

/** The table of the reference server's operations: each file has its operation's name in kebab-case. */
function operationsModule(operations: readonly SpecOperation[]): Promise<string> {
  const ids = operations.map(({ id }) => id);
  const fileOf = (id: string): string => id.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return format(
    [
      `import type { Operations } from "../http/operation.ts";`,
      ...ids.toSorted().map((id) => `import { ${id} } from "./${fileOf(id)}.ts";`),
      "",
      "/** Every operation of the spec with the function that answers it. */",
      `export const operations: Operations = { ${ids.join(", ")} };`,
    ].join("\n"),
    { parser: "typescript", printWidth: 110 },
  );
}

/** The additions to nginx's own answers; reference-server/deploy/nginx.conf includes the file. */
const nginxConfig = (spec: OpenApiDocument): string =>
  `# Written by \`npm run generate\` from spec/. Do not edit.
add_header ${headerNames(spec).get("ApiVersion")} ${String(spec.info["version"])} always;
`;

/** The names that clauses may use: operations, needs and readings. */
async function readNames(readings: readonly ReadingsFile[]): Promise<KnownNames> {
  const [spec, { needs }] = await Promise.all([readSpec(), readPlainFacts()]);
  const operations = operationsOf(spec);
  return {
    operations: operations.map(({ id }) => id),
    groups: groupsOf(operations),
    needs: needNames(needs),
    readings: readings.flatMap(({ value }) => value.readings.map(({ id }) => id)),
  };
}

/** @throws YamlError with the problems of every file of clauses or readings that does not match its schema */
export async function readWritten(): Promise<Written> {
  const readings = await readReadings();
  return readClauses(await readNames(readings), readings);
}

/**
 * Derives every generated file from spec/, in memory.
 *
 * @param ofReports whether the schemas of reports are among them, which take half of the time
 * @returns each file's path in the repository, and its content; equal specs give equal contents
 * @throws Error with every quote that is not in the contract
 */
export async function generate({ ofReports = true } = {}): Promise<Map<string, string>> {
  const [spec, written] = await Promise.all([readSpec(), readWritten()]);
  const json = pretty(spec);
  const types = await openapiTS(json, {
    rootTypes: true,
    rootTypesNoSchemaPrefix: true,
    silent: true,
    emptyObjectsUnknown: true,
  });
  return new Map([
    ["generated/openapi.json", json],
    ["generated/openapi.yaml", stringify(spec, { aliasDuplicateObjects: false, lineWidth: 0 })],
    ["generated/api.ts", header + astToString(types)],
    ["generated/clauses.ts", header + (await clausesModule(written))],
    ["generated/contract.ts", header + (await contractModule(spec, await readPlainFacts()))],
    ["generated/readings.ts", header + (await readingsModule(written.readings))],
    ["generated/nginx.conf", nginxConfig(spec)],
    ["reference-server/operations/index.ts", header + (await operationsModule(operationsOf(spec)))],
    ["generated/schemas/clauses.json", pretty(clausesSchema(await readNames(written.readings)))],
    ["generated/schemas/not-clauses.json", pretty(notClausesSchema)],
    ["generated/schemas/readings.json", pretty(readingsSchema)],
    ["generated/schemas/catalog.json", pretty(catalogSchema)],
    ["generated/schemas/drift-policy.json", pretty(policySchema)],
    [
      "generated/schemas/profile.json",
      pretty({
        $id: schemaAddress("profile"),
        ...profileSchema(await profileFacts(spec, written)),
      }),
    ],
    ...(ofReports ? reportFiles() : []),
    ["docs/readings.md", await readingsPage(written.readings)],
    ["docs/drift-kinds.md", kindsPage()],
    ["docs/servers.md", await serversPage()],
    ["docs/roles.md", await rolesPage((await readPlainFacts()).needs, await featuresOf(spec, written))],
  ]);
}

/** The schemas of the files that verbs write, which follow from the modules on disk. */
const reportFiles = (): [string, string][] =>
  [...reportSchemas()].map(([name, schema]) => [`generated/schemas/${name}.json`, pretty(schema)]);

/** The features that the profile's schema knows. */
async function featuresOf(
  spec: OpenApiDocument,
  written: Written,
): Promise<Readonly<Record<string, { title?: string }>>> {
  const { properties } = profileSchema(await profileFacts(spec, written)) as unknown as {
    properties: { features: { properties: Record<string, { title?: string }> } };
  };
  return properties.features.properties;
}

/** The facts of the contract that a profile uses, from the current spec/. */
async function profileFacts(spec: OpenApiDocument, { readings }: Written): Promise<ProfileFacts> {
  const { needs } = await readPlainFacts();
  return {
    toolRoles: needs.tools,
    capabilityRoles: needs.capabilities,
    operations: operationsOf(spec).map(({ id }) => id),
    limitedOperations: groupsOf(operationsOf(spec))["limited"]!,
    readings: readings.flatMap(({ value }) => value.readings),
  };
}

/** The generated files with committed content that differs from spec/. @param files the content from spec/ */
export async function staleFiles(files: Awaited<ReturnType<typeof generate>>): Promise<string[]> {
  const stale: string[] = [];
  for (const [name, content] of files) {
    const committed = await readFile(path.join(repository, name), "utf8").catch(() => undefined);
    if (committed !== content) stale.push(name);
  }
  return stale;
}

/** The files that a release pins besides its document: clauses, readings, facts as data, and the contract text. */
async function releaseFilesOf(): Promise<Map<string, string>> {
  const load = (name: string): Promise<object> =>
    import(new URL(`../generated/${name}.ts`, import.meta.url).href) as Promise<object>;
  const { clauses, areaTitles } = (await load("clauses")) as { clauses: unknown; areaTitles: unknown };
  const { readings } = (await load("readings")) as { readings: unknown };
  const lines = (list: unknown): string =>
    `[\n${(list as unknown[]).map((value) => JSON.stringify(value)).join(",\n")}\n]\n`;
  const { needNames: _, ...contract } = (await load("contract")) as Record<string, unknown>;
  const facts = Object.entries({ ...contract, areaTitles });
  return new Map([
    ["clauses.json", lines(clauses)],
    ["readings.json", lines(readings)],
    [
      "facts.json",
      `{\n${facts.map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`).join(",\n")}\n}\n`,
    ],
    ["contract.md", await readFile(path.join(repository, "spec/contract.md"), "utf8")],
  ]);
}

/**
 * Pins a version at its release: its document as `VERSION.json`, and further files in a folder of its name. From then
 * on `npm run check` refuses another document of that version.
 *
 * @param folder the folder of the releases
 * @returns the files
 * @throws Error if a file was released under the version with other content
 */
export async function pinRelease(
  folder: string,
  version: string,
  document: string,
  others: ReadonlyMap<string, string> = new Map(),
): Promise<string[]> {
  const files = new Map([[path.join(folder, `${version}.json`), document]]);
  for (const [name, content] of others) files.set(path.join(folder, version, name), content);
  for (const [file, content] of files) {
    const released = await readFile(file, "utf8").catch(() => undefined);
    if (released !== undefined && released !== content) {
      throw new Error(
        `${path.relative("", file)} was released with another content: raise info.version in spec/openapi/root.yaml`,
      );
    }
  }
  for (const [file, content] of files) {
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, content);
  }
  return [...files.keys()];
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { release: { type: "boolean", default: false } } });
  for (const folder of ["generated/schemas", "docs"])
    await mkdir(path.join(repository, folder), { recursive: true });
  const files = await generate();
  const stale = await staleFiles(files);
  const write = (name: string, content: string) => writeFile(path.join(repository, name), content);
  for (const [name, content] of files) await write(name, content);
  // The types of reports read the facts and the clauses, which may just have changed.
  if (stale.some((name) => name.endsWith(".ts")))
    for (const [name, content] of reportFiles()) await write(name, content);
  console.log([...files.keys()].join("\n"));
  if (!values.release) return;
  const document = files.get("generated/openapi.json")!;
  const { info } = JSON.parse(document) as { info: { version: string } };
  const folder = path.join(repository, "generated/released");
  const pinned = await pinRelease(folder, info.version, document, await releaseFilesOf());
  console.log(pinned.map((file) => `pinned: ${path.relative(repository, file)}`).join("\n"));
  const { version } = JSON.parse(await readFile(path.join(repository, "package.json"), "utf8")) as {
    version: string;
  };
  console.log(`sizes of ${version}: ${recordSizes(version)}`);
}

if (import.meta.main) {
  await main().catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  });
}
