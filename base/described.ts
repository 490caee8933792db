import { readFileSync } from "node:fs";

/** The files written by verbs that a JSON Schema of the package describes. */
export type Described =
  "report" | "plan" | "mutants" | "drift" | "load" | "finding" | "certificate" | "reconciliation";

/** The version of the package. */
export const { version } = JSON.parse(
  readFileSync(new URL("../package.json", import.meta.url), "utf8"),
) as Record<"version", string>;

/** The public address of a JSON Schema in this version of the package; it is in `generated/schemas`. */
export const schemaAddress = (schema: Described | "profile"): string =>
  `https://unpkg.com/capability-contract@${version}/dist/generated/schemas/${schema}.json`;

/** The JSON text of a file, which names its schema first. */
export function jsonText(schema: Described, content: object): string {
  const $schema = schemaAddress(schema);
  // Content from an earlier file names the schema of that file.
  return `${JSON.stringify(Object.assign({ $schema }, content, { $schema }), null, 2)}\n`;
}
