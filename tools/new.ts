import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { parse } from "yaml";
import { WrongUse, exitingWith } from "../base/exit.ts";
import { contractVersion } from "../generated/contract.ts";

const repository = path.resolve(import.meta.dirname, "..");
const usage = `npm run new -- clause AREA SUBJECT "QUOTE"
  AREA     the prefix of an area, such as CALL: the clause takes its next free number
  SUBJECT  the name of the files of its check and its mutant, such as unknown-words
  QUOTE    the contract's words, which stand there once`;

interface Area {
  area: string;
  prefix: string;
  clauses: { id: string }[];
}

/** The file of an area, by its prefix. @throws WrongUse for a prefix that no area has */
function areaOf(prefix: string): { file: string; area: Area } {
  const folder = path.join(repository, "spec/clauses");
  const files = readdirSync(folder).filter((name) => name.endsWith(".yaml"));
  const areas = files.map((name) => {
    const file = path.join(folder, name);
    return { file, area: parse(readFileSync(file, "utf8")) as Area };
  });
  const found = areas.find(({ area }) => area.prefix === prefix);
  if (found !== undefined) return found;
  throw new WrongUse(
    `${prefix} is not an area; areas are ${areas.map(({ area }) => area.prefix).join(", ")}`,
  );
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ");

/** @throws WrongUse for words that the contract does not have, or has more than once */
function requireQuote(quote: string): void {
  const contract = oneLine(readFileSync(path.join(repository, "spec/contract.md"), "utf8"));
  const count = contract.split(oneLine(quote)).length - 1;
  if (count === 0) throw new WrongUse(`spec/contract.md does not say: ${quote}`);
  if (count > 1) throw new WrongUse(`spec/contract.md says this ${count} times; quote more of it: ${quote}`);
}

const clauseText = (id: string, quote: string): string => `  - id: ${id}
    level: must
    text: "TODO: what a server does, in a sentence."
    quote: ${JSON.stringify(quote)}
    basis: stated
    since: ${contractVersion}
    operation: all
    seen: blackbox
`;

const checkText = (id: string): string => `import { check } from "../../run/check.ts";

export const checks = [
  check("${id}", "TODO: what it shows, in a sentence", async ({ account, expect }) => {
    expect((await account.ask("getCredits")).at("TODO")).toBe("TODO");
  }),
];
`;

const mutantText = (
  id: string,
): string => `import { mutant, onStatus, withSuccess } from "../../changes/mutant.ts";

export const mutants = [
  mutant("${id}", "TODO: does what is wrong", onStatus("getCredits", 200, withSuccess({}))),
];
`;

/** Writes a clause, its check and its mutant, to be filled in. @returns the files, from the repository's root */
function newClause(prefix: string, subject: string, quote: string): string[] {
  const { file, area } = areaOf(prefix);
  if (!/^[a-z][a-z0-9-]*$/.test(subject))
    throw new WrongUse(
      `${subject} cannot name a file: use lower-case words with hyphens, such as unknown-words`,
    );
  requireQuote(quote);
  const last = Math.max(...area.clauses.map(({ id }) => Number(id.split("-")[1])));
  const id = `${prefix}-${String(last + 1).padStart(2, "0")}`;
  const room = path.join(repository, "conformance/suite", area.area);
  const written: [string, string][] = [
    [path.join(room, `${subject}.checks.ts`), checkText(id)],
    [path.join(room, `${subject}.mutants.ts`), mutantText(id)],
  ];
  for (const [name] of written)
    if (existsSync(name)) throw new WrongUse(`${path.relative(repository, name)} is there already`);
  writeFileSync(file, `${readFileSync(file, "utf8").trimEnd()}\n${clauseText(id, quote)}`);
  for (const [name, text] of written) writeFileSync(name, text);
  return [file, ...written.map(([name]) => name)].map((name) => path.relative(repository, name));
}

await exitingWith(() => {
  const [what, prefix, subject, quote, ...rest] = process.argv.slice(2);
  if (what !== "clause" || !prefix || !subject || !quote || rest.length > 0) throw new WrongUse(usage);
  console.log(newClause(prefix, subject, quote).join("\n"));
  console.log(
    "\nReplace each TODO, then: npm run generate && npx tsc --noEmit && npm run mutants -- --only ID",
  );
  return Promise.resolve(0);
});
