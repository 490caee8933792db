import { literally } from "../../base/escaped.ts";
import { WrongUse } from "../../base/exit.ts";
import { operations } from "../../generated/contract.ts";
import type { Project } from "./project.ts";

const types = ["string", "number", "integer", "boolean"];

/** Why some mutants of the spec may survive. */
const dispositions = "conformance/proof/spec/dispositions.yaml";

/**
 * Writes an optional field of an answer: its row in the contract, its clause, its place in the schema, and the reason
 * why mutants of its value may survive.
 * @returns what to do next
 */
export function newField(
  project: Project,
  [prefix, operation, schema, name, type, notes]: readonly string[],
): string {
  if (!(operation! in operations))
    throw new WrongUse(`unknown operation ${operation}; known: ${Object.keys(operations).join(", ")}`);
  if (!types.includes(type!)) throw new WrongUse(`unknown type ${type}; known: ${types.join(", ")}`);
  if (!/^[a-z][a-z0-9_]*$/.test(name!))
    throw new WrongUse(`${name} is not the name of a field; write it as provider_name`);
  const file = `spec/openapi/schemas/${schema}.yaml`;
  const known = [...project.read(file).matchAll(/^ {2}(\w+):/gm)].map(([, field]) => field!);
  if (known.includes(name!)) throw new WrongUse(`${schema} has ${name} already`);
  const quote = `${name} | ${type} | ${notes}`;
  project.replace("spec/contract.md", lastRowOf(project, known), `$&\n| ${quote} |`);
  const text = `TODO: what an answer with \`${name}\` promises.`;
  const id = project.addClause(prefix!, { text, quote, operation: operation! });
  const lines = [`type: ${type}`, `description: ${JSON.stringify(notes)}`, `x-clause: ${id}`];
  project.replace(file, /^properties:\n/, `$&  ${name}:\n${lines.map((line) => `    ${line}\n`).join("")}`);
  project.append(
    dispositions,
    `- of: field ${operation} 200 (.*\\.)?${name} (constant|null)
  is: permitted
  quote: ${JSON.stringify(quote)}
  because: "TODO: why a server may always send one value, or null"
`,
  );
  const path = operation!.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return `Replace the TODO of the clause, and in ${dispositions} that of what a right server may do;
or remove the reason, and write a check that fails on it. Give the field to the examples in spec/openapi/paths/${path}.yaml, and send it in
reference-server/operations/${path}.ts. Where it must always be there, list it in the schema under required. Then
  npm run generate && npm run format
  npm run mutants -- --only ${name} --publish --excuse
  npm run examples
  npm run check -- --fast`;
}

/** The last row of the table of the contract that has most of some fields. */
function lastRowOf(project: Project, fields: readonly string[]): RegExp {
  const tables = project.read("spec/contract.md").match(/(?:^\|.*\|$\n?)+/gm) ?? [];
  const rowsIn = (table: string): string[] =>
    table.split("\n").filter((row) => fields.some((field) => row.startsWith(`| ${field} |`)));
  const [best] = tables.toSorted((one, other) => rowsIn(other).length - rowsIn(one).length);
  if (best === undefined || rowsIn(best).length < fields.length / 2)
    throw new WrongUse(`spec/contract.md has no table with these fields: ${fields.join(", ")}`);
  const rows = best.trimEnd().split("\n");
  // One row may appear in several tables; two in sequence do not.
  const [before, last] = rows.slice(-2).map((row) => literally(row)) as [string, string];
  return new RegExp(`^${before}\n${last}$`);
}
