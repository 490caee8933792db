import { readdir, readFile } from "node:fs/promises";
import { format } from "prettier";
import { yamlReader } from "../../base/yaml/schema.ts";
import { asFacts } from "../contract/facts.ts";
import { listOf, type Reading, type ReadingsFile } from "./read.ts";

export type { ReadingsFile };
import { readingsSchema } from "./schemas.ts";

const repository = new URL("../../", import.meta.url);
const folder = "spec/readings/";

/** @throws YamlError if a file does not match its schema */
export async function readReadings(): Promise<ReadingsFile[]> {
  const read = yamlReader<ReadingsFile["value"]>(readingsSchema);
  const names = (await readdir(new URL(folder, repository))).filter((name) => name.endsWith(".yaml"));
  const files = names.map(async (name) =>
    read(folder + name, await readFile(new URL(folder + name, repository), "utf8")),
  );
  const firstId = ({ value }: ReadingsFile): string => value.readings[0]?.id ?? "";
  return (await Promise.all(files)).toSorted((one, other) => firstId(one).localeCompare(firstId(other)));
}

/** The readings as a TypeScript module. */
export function readingsModule(files: readonly ReadingsFile[]): Promise<string> {
  const rows = files.flatMap(({ value: { title, readings } }) =>
    readings.map((reading) => JSON.stringify({ ...reading, title, quote: listOf(reading.quote) })),
  );
  return format(
    asFacts(`import { fact } from "../base/pinned.ts";

/** An open question of the contract. A server may follow any of its answers; the suite reports which, and fails none. */
export interface Reading {
  readonly id: string;
  readonly title: string;
  readonly question: string;
  /** The words of the contract that leave it open. */
  readonly quote: readonly string[];
  /** The lawful answers by their short names. */
  readonly answers: Readonly<Record<string, string>>;
  /** The reference server's answer. */
  readonly reference: string;
  /** How a client sees which answer a server gives, or why it cannot. */
  readonly seen: string | { readonly not_observable: string };
}

/** Every reading, by its number. */
export const readings = [
${rows.join(",\n")},
] as const satisfies readonly Reading[];

/** The id of a reading. */
export type ReadingId = (typeof readings)[number]["id"];

/** The names of a reading's answers. */
export type AnswerOf<Id extends ReadingId> = keyof Extract<(typeof readings)[number], { readonly id: Id }>["answers"];
`),
    { parser: "typescript", printWidth: 160 },
  );
}

/** The readings as a page. */
export function readingsPage(files: readonly ReadingsFile[]): Promise<string> {
  const sections = files.map(
    ({ value: { title, readings } }) => `## ${title}\n\n${readings.map(readingText).join("\n\n")}`,
  );
  return format(
    `# Readings

Written by \`npm run generate\` from \`spec/readings\`. Do not edit.

The contract leaves these questions open, or answers them in two ways. It permits several answers to each; a server may follow any of
them, and the suite fails none. The reference server's answer is in **bold**.

${sections.join("\n\n")}
`,
    { parser: "markdown", printWidth: 120, proseWrap: "always" },
  );
}

function readingText({ id, question, quote, answers, reference, seen }: Reading): string {
  const rows = Object.entries(answers).map(
    ([name, text]) => `- ${name === reference ? `**\`${name}\`**` : `\`${name}\``}: ${text}`,
  );
  const quotes = listOf(quote).map((text) => `> ${text.replaceAll("*", "\\*")}`);
  const sight = typeof seen === "string" ? `Seen by: ${seen}` : `Not seen: ${seen.not_observable}`;
  return [`### ${id}: ${question}`, quotes.join("\n>\n"), rows.join("\n"), sight].join("\n\n");
}
