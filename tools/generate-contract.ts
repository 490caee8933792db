import { readFile } from "node:fs/promises";
import { format } from "prettier";
import { parse } from "yaml";
import type { JsonObject } from "../base/data.ts";
import type { OpenApiDocument } from "./bundle.ts";
import { answersOf, type Field } from "./contract/answers.ts";
import { asFacts } from "./contract/facts.ts";
import { operationTable } from "./contract/operations.ts";
import { objectOf } from "./contract/schema.ts";
import { listName, vocabulariesOf, vocabularyText, type Vocabulary } from "./contract/vocabularies.ts";

/** The facts in spec/ outside the OpenAPI document. */
export interface PlainFacts {
  constants: Record<string, { value: string | number; says: string }>;
  needs: {
    tools: Record<string, string>;
    capabilities: Record<string, string>;
    others: Record<string, string>;
  };
}

const specFolder = new URL("../spec/", import.meta.url);

const readYaml = async (name: string): Promise<unknown> =>
  parse(await readFile(new URL(name, specFolder), "utf8"));

export const readPlainFacts = async (): Promise<PlainFacts> => ({
  constants: (await readYaml("constants.yaml")) as PlainFacts["constants"],
  needs: (await readYaml("needs.yaml")) as PlainFacts["needs"],
});

/** The needs that a clause can name. */
export const needNames = ({ tools, capabilities, others }: PlainFacts["needs"]): string[] => [
  ...Object.keys(tools).map((role) => `tool.${role}`),
  ...Object.keys(capabilities).map((role) => `capability.${role}`),
  ...Object.keys(others),
];

/** The roles and features of a profile as a page. @param features those of the profile's schema, by name */
export function rolesPage(
  { tools, capabilities }: PlainFacts["needs"],
  features: Readonly<Record<string, { title?: string }>>,
): Promise<string> {
  const table = Object.entries(features)
    .filter(([, { title }]) => title !== undefined)
    .map(([name, { title }]) => `| \`${name}\` | ${title} |`)
    .join("\n");
  const names = Object.entries(features).filter(([, { title }]) => title === undefined);
  const operations = names.map(([name]) => `\`${name}\``).join(", ");
  const rows = (roles: Readonly<Record<string, string>>): string =>
    Object.entries(roles)
      .map(([role, says]) => `- \`${role}\`: ${says}`)
      .join("\n");
  return format(
    `# Roles and features of a profile

Written by \`npm run generate\` from \`spec/needs.yaml\` and the profile's schema. Do not edit.

A [profile](profile.md) names a tool or a capability for what it does. Without one for a role, the checks that need it
are unverified.

## Tools\n\n${rows(tools)}\n\n## Capabilities\n\n${rows(capabilities)}

## Features

A server may lack a feature if its profile says why, as in \`features: {feeds: {off: not implemented yet}}\`. Nothing is sent to
it then, and its checks are not applicable. A single operation can be declared off as well, by its name: ${operations}.

| feature | has |
| --- | --- |
${table}
`,
    { parser: "markdown", printWidth: 120, proseWrap: "always" },
  );
}

/** The contract's facts as a TypeScript module. */
export function contractModule(spec: OpenApiDocument, { constants, needs }: PlainFacts): Promise<string> {
  const vocabularies = vocabulariesOf(spec);
  const text = [
    'import { fact } from "../base/pinned.ts";\nimport type { ClauseId } from "./clauses.ts";',
    versionText(spec),
    ...Object.entries(constants).map(
      ([name, { value, says }]) => `/** ${says} */\nexport const ${name} = ${JSON.stringify(value)};`,
    ),
    headersText(spec),
    ...vocabularies.map(vocabularyText),
    needsText(needs),
    byName(vocabularies, operationsText(spec)),
    byName(vocabularies, answersText(spec)),
  ].join("\n\n");
  return format(asFacts(text), { parser: "typescript", printWidth: 160 });
}

/** Replaces a vocabulary's words with the name of its list. */
const byName = (vocabularies: Vocabulary[], text: string): string =>
  vocabularies.reduce(
    (written, { name, values }) =>
      written
        .replaceAll(`"enum":${JSON.stringify(values)}`, `"enum":${listName(name)}`)
        .replaceAll(`"values":${JSON.stringify(values)}`, `"values":${listName(name)}`),
    text,
  );

/** @throws Error if the version header promises another version than the document's */
function versionText(spec: OpenApiDocument): string {
  const version = spec.info["version"];
  const promised = objectOf(objectOf(spec.components["headers"]?.["ApiVersion"])["schema"])["const"];
  if (version !== promised)
    throw new Error(
      `the version is ${String(version)} in spec/openapi/root.yaml and ${String(promised)} in headers.yaml; make them equal`,
    );
  return `/** The version of the contract. */\nexport const contractVersion = ${JSON.stringify(version)};`;
}

/** The response headers of the spec: the HTTP name of each, by component. */
export function headerNames(spec: OpenApiDocument): Map<string, string> {
  const names = new Map<string, string>();
  const collect = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    for (const [name, child] of Object.entries(value as JsonObject)) {
      const reference = objectOf(child)["$ref"];
      if (typeof reference === "string" && reference.startsWith("#/components/headers/"))
        names.set(reference.split("/").at(-1)!, name);
      else collect(child);
    }
  };
  collect(spec.paths);
  collect(spec.components["responses"]);
  return names;
}

function headersText(spec: OpenApiDocument): string {
  const rows = [...headerNames(spec)].sort(([one], [other]) => (one < other ? -1 : 1));
  return `/** The names of the response headers. */\nexport const responseHeaders = {${rows
    .map(
      ([component, name]) =>
        `\n  ${component.charAt(0).toLowerCase()}${component.slice(1)}: ${JSON.stringify(name)},`,
    )
    .join("")}\n} as const;`;
}

function needsText({ tools, capabilities, others }: PlainFacts["needs"]): string {
  const table = (name: string, rows: Record<string, string>): string =>
    `export const ${name} = {${Object.entries(rows)
      .map(([key, says]) => `\n  ${key}: ${JSON.stringify(says)},`)
      .join("")}\n} as const;`;
  return `/** The roles that a profile gives to tools, each with what a tool of the role does. */
${table("toolRoles", tools)}
export type ToolRole = keyof typeof toolRoles;

/** The roles that a profile gives to capabilities. */
${table("capabilityRoles", capabilities)}
export type CapabilityRole = keyof typeof capabilityRoles;

/** What else a clause or a check may need from a profile. */
${table("otherNeeds", others)}

/** The needs as a clause or a check names them. */
export const needNames = ${JSON.stringify(needNames({ tools, capabilities, others }))} as const;
export type Need = (typeof needNames)[number];`;
}

function operationsText(spec: OpenApiDocument): string {
  const table = operationTable(spec);
  const where = (test: (operation: JsonObject) => boolean): string =>
    JSON.stringify(Object.keys(table).filter((id) => test(objectOf(table[id]))));
  return `export type JsonType = "string" | "number" | "integer" | "boolean" | "object" | "array" | "null";
export type JsonScalar = string | number | boolean | null;

/** A parameter of a request, or a field of its body. */
export interface Parameter {
  readonly types: readonly JsonType[];
  readonly required: boolean;
  /** The contract does not name it: only the reference takes it. */
  readonly open?: true;
  readonly const?: JsonScalar;
  readonly enum?: readonly JsonScalar[];
  readonly default?: JsonScalar;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly pattern?: string;
  readonly format?: string;
  /** What it takes, where any other value is answered with 400 and not by the schema. */
  readonly values?: readonly string[];
  readonly items?: Omit<Parameter, "required">;
}

/** An operation of the contract. */
export interface Operation {
  readonly method: "GET" | "POST";
  /** Below the base URL; \`{name}\` stands for a path parameter. */
  readonly path: string;
  readonly needsCredential: boolean;
  /** The body of a success. */
  readonly answer: "envelope" | "object" | "csv";
  /** The default quota of an account; null where the contract names none. */
  readonly rateLimit: { readonly requests: number; readonly windowSeconds: number } | null;
  /** The type of the usage event that it leaves. */
  readonly eventType: EventType | null;
  /** What a request changes; null where it costs nothing and leaves no more than a usage event. */
  readonly changes: "credits" | "accounts" | null;
  readonly pathParameters: Readonly<Record<string, Parameter>>;
  readonly query: Readonly<Record<string, Parameter>>;
  readonly headers: Readonly<Record<string, Parameter>>;
  readonly body: Readonly<Record<string, Parameter>>;
}

/** Every operation, in the order of the contract. */
export const operations = ${tableText(table, 3)} as const satisfies Readonly<Record<string, Operation>>;
export type OperationId = keyof typeof operations;
export const operationIds = Object.keys(operations) as OperationId[];

/** The operations that the contract puts under a quota. */
export const limitedOperations = ${where(({ rateLimit }) => rateLimit !== null)} as const;
export type LimitedOperation = (typeof limitedOperations)[number];

/** The operations that need no credential. */
export const openOperations = ${where(({ needsCredential }) => needsCredential === false)} as const;
export type OpenOperation = (typeof openOperations)[number];

/** The operations whose success body is the envelope. */
export const envelopeOperations = ${where(({ answer }) => answer === "envelope")} as const;
export type EnvelopeOperation = (typeof envelopeOperations)[number];`;
}

function answersText(spec: OpenApiDocument): string {
  const rows = [...answersOf(spec)].map(([id, statuses]) => {
    const lists = [...statuses].map(
      ([status, fields]) =>
        `\n    ${status}: [${fields.map((field) => `\n      ${fieldText(field)},`).join("")}${fields.length > 0 ? "\n    " : ""}],`,
    );
    return `\n  ${id}: {${lists.join("")}\n  },`;
  });
  return `/** A value that a condition compares with; an object in the place of a value asks for something else than equality. */
export type Expected =
  | JsonScalar
  | { readonly not: JsonScalar }
  | { readonly startsWith: string }
  | { readonly present: boolean };

/**
 * A condition on an exchange. \`request\` names fields of the body and query parameters; one that is absent or null has
 * its default. \`answer\` names fields of the answer by path. A list is equal to what it includes.
 */
export interface Condition {
  readonly request?: Readonly<Record<string, Expected>>;
  readonly answer?: Readonly<Record<string, Expected>>;
}

/** A field that the contract promises in an answer. It is asked for wherever the object that holds it is there. */
export interface AnswerField {
  /** Names with dots between them; \`*\` is every member of a list. */
  readonly path: string;
  readonly types: readonly JsonType[];
  /** It is never absent. A field that is not required may also be null. */
  readonly required: boolean;
  readonly clauses: readonly ClauseId[];
  /** A check or a written rule judges it: more than the field decides whether the promise is kept. */
  readonly written?: true;
  /** The field is promised where one of these holds; always unless given. */
  readonly when?: readonly Condition[];
  /** The field is required where one of these holds. */
  readonly requiredWhen?: readonly Condition[];
  /** The schema of the spec that describes it. */
  readonly schema?: string;
  readonly const?: JsonScalar;
  readonly enum?: readonly JsonScalar[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly minProperties?: number;
  readonly pattern?: string;
  readonly format?: string;
}

/** The answers that the contract names, by operation and status, with the fields that it promises in each. */
export const answers: Readonly<Record<OperationId, Readonly<Record<number, readonly AnswerField[]>>>> = {${rows.join("")}
};`;
}

/** A row of the table of answers. */
const fieldText = ({ bounds, ...field }: Field): string => JSON.stringify({ ...field, ...bounds });

/**
 * A table as TypeScript, with one line for each entry of its first levels, so that the formatter keeps deeper levels on
 * one line.
 */
function tableText(value: unknown, levels: number): string {
  if (levels === 0 || typeof value !== "object" || value === null || Array.isArray(value))
    return JSON.stringify(value);
  const rows = Object.entries(value).map(
    ([name, child]) => `${JSON.stringify(name)}: ${tableText(child, levels - 1)},`,
  );
  return rows.length === 0 ? "{}" : `{\n${rows.join("\n")}\n}`;
}
