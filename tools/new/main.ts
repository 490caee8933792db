import { execFileSync } from "node:child_process";
import path from "node:path";
import { WrongUse, exitingWith } from "../../base/exit.ts";
import { newClause } from "./clause.ts";
import { newField } from "./field.ts";
import { Project } from "./project.ts";
import { newQuota } from "./quota.ts";
import { newVersion } from "./version.ts";
import { newWord } from "./word.ts";

/** What can be scaffolded: the names of its arguments, and what writes it and says what to do next. */
const kinds: Readonly<
  Record<string, readonly [args: string, write: (project: Project, args: readonly string[]) => string]>
> = {
  clause: ["AREA SUBJECT QUOTE", newClause],
  field: ["AREA OPERATION SCHEMA NAME TYPE NOTES", newField],
  word: ["VOCABULARY WORD", newWord],
  quota: ["OPERATION REQUESTS", newQuota],
  version: ["VERSION", newVersion],
};

const usage = `${Object.entries(kinds)
  .map(([kind, [args]]) => `npm run new -- ${kind} ${args}`)
  .join("\n")}

  clause   with a check and a mutant to fill in:     CALL unknown-words "words that the contract has once"
  field    an optional field of an answer:           CALL call CallSuccess provider_name string "Name of the provider"
  word     a stored word, with its migration:        ReasonCode provider.quota_exceeded
  quota    another quota of an operation:            probe 60
  version  the next version of the contract, which any change of a released document needs first: YYYY-MM-DD.N`;

await exitingWith(() => {
  const [kind = "", ...args] = process.argv.slice(2);
  const [names, write] = kinds[kind] ?? [];
  if (write === undefined || args.length !== names!.split(" ").length || args.includes(""))
    throw new WrongUse(usage);
  const project = new Project();
  const next = write(project, args);
  const repository = path.resolve(import.meta.dirname, "../..");
  const formatter = path.join(repository, "node_modules/prettier/bin/prettier.cjs");
  execFileSync(process.execPath, [formatter, "--write", "--log-level", "warn", ...project.changed], {
    cwd: repository,
    stdio: "inherit",
  });
  console.log(`${project.changed.join("\n")}\n\n${next}`);
  return Promise.resolve(0);
});
