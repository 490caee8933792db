import { createHash } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import { WrongUse } from "../../base/exit.ts";
import { migrations } from "../../reference-server/storage/migrate.ts";
import { allowing, type Widened } from "../../reference-server/storage/migrations/allowing.ts";
import type { Project } from "./project.ts";

/** The vocabularies whose words are stored, and where. */
const stored: Readonly<Record<string, readonly [table: string, column: string]>> = {
  EventType: ["usage_events", "event_type"],
  ChargeOutcome: ["usage_events", "charge_outcome"],
  ReasonCode: ["usage_events", "reason_code"],
  EntryType: ["ledger_entries", "entry_type"],
};

const folder = "reference-server/storage";

/** Adds a word to a stored vocabulary, with the migration that lets it in. @returns what to do next */
export function newWord(project: Project, [vocabulary, word]: readonly string[]): string {
  const place = stored[vocabulary!];
  if (place === undefined)
    throw new WrongUse(`${vocabulary} is not stored; these are: ${Object.keys(stored).join(", ")}`);
  if (!/^[a-z][a-z0-9_.]*$/.test(word!))
    throw new WrongUse(`${word} is not a word of a vocabulary; write it as tool_refund`);
  const [table, column] = place;
  const schema = `spec/openapi/schemas/${vocabulary}.yaml`;
  addToEnum(project, schema, word!);
  const hasMembers = /^x-members:$/m.test(project.read(schema));
  if (hasMembers)
    project.replace(schema, /^x-members:\n(?: {2}.*\n?)+/, `$&  ${word}: [failed_not_charged]\n`);
  const widened = widenedBy(table, column, word!);
  const number = String(migrations.length + 1).padStart(3, "0");
  const dashed = `${column}-${word}`.replaceAll(/[_.]/g, "-");
  const constant = dashed.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());
  const name = `${number}-${dashed}`;
  project.create(`${folder}/migrations/${name}.ts`, stepText(constant, name, word!, widened));
  project.replace(
    `${folder}/migrate.ts`,
    "import type { Migration }",
    `import { ${constant} } from "./migrations/${name}.ts";\nimport type { Migration }`,
  );
  project.replace(`${folder}/migrate.ts`, /^\];/, `  ${constant},\n];`);
  const digests = (["sqlite", "postgres"] as const).map((dialect) => digestOf(allowing(dialect, widened)));
  project.replace(
    `${folder}/upgrade.test.ts`,
    /^\]\)\("the published step/,
    `  ["${name}", "${digests.join('", "')}"],\n$&`,
  );
  project.replace(
    "docs/CHANGELOG.md",
    /^(# Changelog\n[^]*?### Schema\n\n)([^]*?)\n\n###/,
    `$1Up to step \`${name}\`.\n\n###`,
  );
  const members = hasMembers ? `, with the outcomes that ${schema} now gives it,` : "";
  return `Name ${word}${members} in spec/contract.md where it lists the others, and give it a clause:
  npm run new -- clause …
  npm run generate && npx tsc --noEmit && npm run check -- --fast
tsc and check name the places that must decide about the word. The migration is proved by
  npm test -- ${folder}/upgrade.test.ts`;
}

function addToEnum(project: Project, file: string, word: string): void {
  if (/^enum: \[/m.test(project.read(file))) project.replace(file, /^(enum: \[[^\]]*)\]/, `$1, ${word}]`);
  else project.replace(file, /^enum:\n(?: {2}- .*\n?)+/, `$&  - ${word}\n`);
}

/** The table of today's schema on SQLite, whose column may also hold a word. */
function widenedBy(table: string, column: string, word: string): Widened {
  const database = new DatabaseSync(":memory:");
  database.exec("PRAGMA foreign_keys = ON");
  for (const { statements } of migrations)
    for (const statement of statements("sqlite")) database.exec(statement);
  const rows = database
    .prepare("SELECT type, sql FROM sqlite_schema WHERE tbl_name = ? AND sql IS NOT NULL ORDER BY rowid")
    .all(table) as { type: string; sql: string }[];
  const create = rows
    .find(({ type }) => type === "table")!
    .sql.replace(/^CREATE TABLE "(\w+)"/, "CREATE TABLE $1");
  const check = new RegExp(`CHECK \\(${column} IN \\(([^)]*)\\)\\)`);
  const [old, list] = check.exec(create)!;
  const words = [...list!.matchAll(/'([^']*)'/g)].map(([, word]) => word!);
  if (words.includes(word)) throw new WrongUse(`${table}.${column} holds ${word} already`);
  return {
    table,
    column,
    words: [...words, word],
    create: create.replace(old, old.replace(/\)\)$/, `, '${word}'))`)),
    further: rows.filter(({ type }) => type !== "table").map(({ sql }) => sql),
  };
}

const digestOf = (statements: readonly string[]): string =>
  createHash("sha256").update(JSON.stringify(statements)).digest("hex").slice(0, 16);

const literal = (text: string): string => `\`${text.replaceAll("`", "\\`")}\``;

const stepText = (
  constant: string,
  name: string,
  word: string,
  { table, column, words, create, further }: Widened,
): string => `import { allowing } from "./allowing.ts";
import type { Migration } from "./migration.ts";

/** Lets \`${column}\` hold \`${word}\`. */
export const ${constant}: Migration = {
  name: "${name}",
  statements: (dialect) =>
    allowing(dialect, {
      table: "${table}",
      column: "${column}",
      words: ${JSON.stringify(words)},
      create: ${literal(create)},
      further: [
        ${further.map(literal).join(",\n        ")},
      ],
    }),
};
`;
