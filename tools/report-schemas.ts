import path from "node:path";
import {
  DEFAULT_CONFIG,
  createFormatter,
  createParser,
  createProgram,
  EnumType,
  SchemaGenerator,
  type CompletedConfig,
  type SubNodeParser,
} from "ts-json-schema-generator";
import ts from "typescript";
import type { JsonSchema } from "../base/yaml/schema.ts";
import { schemaAddress, type Described } from "../base/described.ts";

const repository = path.resolve(import.meta.dirname, "..");

/** The type of each file of JSON that a verb writes: where it is declared, and its name. */
const types: Readonly<Record<Described, readonly [module: string, type: string]>> = {
  report: ["conformance/report/report", "Report"],
  plan: ["conformance/run/plan", "Plan"],
  mutants: ["conformance/proof/hand", "Matrix"],
  drift: ["conformance/drift/change", "DriftReport"],
  load: ["load/report/load-report", "LoadReport"],
  finding: ["conformance/traffic/proxy-main", "LiveFinding"],
  certificate: ["conformance/certify/certificate", "Certificate"],
  reconciliation: ["conformance/reconcile/reconciliation", "Reconciliation"],
};

const modules = Object.values(types).map(([module]) => module);

const config: CompletedConfig = {
  ...DEFAULT_CONFIG,
  path: path.join(repository, `{${modules.join(",")}}.ts`),
  tsconfig: path.join(repository, "tsconfig.json"),
  skipTypeCheck: true,
  topRef: false,
  additionalProperties: false,
};

/** The JSON Schemas of the files that verbs write, from their types, by name. */
export function reportSchemas(): Map<Described, JsonSchema> {
  const program = createProgram(config);
  const parser = createParser(program, config, (chain) =>
    chain.addNodeParser(inferredTexts(program.getTypeChecker())),
  );
  const generator = new SchemaGenerator(program, parser, createFormatter(config), config);
  return new Map(
    (Object.entries(types) as [Described, readonly [string, string]][]).map(([name, [, type]]) => [
      name,
      named(name, generator.createSchema(type) as JsonSchema),
    ]),
  );
}

/** The schema with its address, and with the member by which a file names it. */
function named(name: Described, { properties, ...schema }: JsonSchema): JsonSchema {
  const own = { type: "string", description: "The address of this schema." };
  return {
    $id: schemaAddress(name),
    ...schema,
    properties: { $schema: own, ...(properties as Record<string, JsonSchema>) },
  };
}

/** Parses types that mean a list of texts, such as `keyof typeof VALUE`, by what the compiler infers for them. */
function inferredTexts(checker: ts.TypeChecker): SubNodeParser {
  const textsOf = (node: ts.Node): string[] => {
    const type = checker.getTypeFromTypeNode(node as ts.TypeNode);
    const members = type.isUnion() ? type.types : [type];
    return members.every((member) => member.isStringLiteral()) ? members.map(({ value }) => value) : [];
  };
  return {
    supportsNode: (node) =>
      (ts.isTypeOperatorNode(node) || ts.isIndexedAccessTypeNode(node) || ts.isTypeReferenceNode(node)) &&
      textsOf(node).length > 0,
    createType: (node) => new EnumType(`texts-${node.getText()}`, textsOf(node)),
  };
}
