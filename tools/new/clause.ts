import { WrongUse } from "../../base/exit.ts";
import type { Project } from "./project.ts";

/** Writes a clause, its check and its mutant, to be filled in. @returns what to do next */
export function newClause(project: Project, [prefix, subject, quote]: readonly string[]): string {
  if (!/^[a-z][a-z0-9-]*$/.test(subject!))
    throw new WrongUse(
      `${subject} cannot name a file: use lower-case words with hyphens, such as unknown-words`,
    );
  requireQuote(project, quote!);
  const text = "TODO: what a server does, in a sentence.";
  const { area, clauses } = project.areaOf(prefix!);
  const operation = mostFrequent(clauses.flatMap((clause) => clause.operation ?? "all"));
  const id = project.addClause(prefix!, { text, quote: quote!, operation });
  project.create(`conformance/suite/${area}/${subject}.checks.ts`, checkText(id, operation));
  project.create(`conformance/suite/${area}/${subject}.mutants.ts`, mutantText(id, operation));
  return `Replace each TODO, and the operation ${operation} in all three where the clause is about another. Then
  npm run generate && npm run format
  npm run mutants -- --only ${id} --publish
  npm run examples
  npm run check -- --fast`;
}

const mostFrequent = (names: readonly string[]): string =>
  [...Map.groupBy(names, (name) => name)].sort(([, one], [, other]) => other.length - one.length)[0]![0];

const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ");

/** @throws WrongUse for words that the contract does not have, or has more than once */
function requireQuote(project: Project, quote: string): void {
  const count = oneLine(project.read("spec/contract.md")).split(oneLine(quote)).length - 1;
  if (count === 0) throw new WrongUse(`spec/contract.md does not say: ${quote}`);
  if (count > 1) throw new WrongUse(`spec/contract.md says this ${count} times; quote more of it: ${quote}`);
}

const checkText = (id: string, operation: string): string =>
  operation === "call"
    ? `import { check } from "../../run/check.ts";

export const checks = [
  check(
    "${id}",
    "TODO: what it shows, in a sentence",
    { needs: ["tool.charged"], credits: 5 },
    async ({ account, tool, expect }) => {
      const call = await account.call(tool("charged"));
      expect(call.at("TODO")).toBe("TODO");
    },
  ),
];
`
    : `import { check } from "../../run/check.ts";

export const checks = [
  check("${id}", "TODO: what it shows, in a sentence", async ({ account, expect }) => {
    expect((await account.ask("getCredits")).at("TODO")).toBe("TODO");
  }),
];
`;

const mutantText = (
  id: string,
  operation: string,
): string => `import { mutant, onPath } from "../../changes/mutant.ts";

export const mutants = [
  mutant(
    "${id}",
    "TODO: does what is wrong",
    onPath("${operation === "all" ? "getCredits" : operation}", "TODO", () => "TODO"),
  ),
];
`;
