import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { releasedVersions, releaseFile } from "../../../cli/pinned.ts";
import { WrongUse } from "../../../cli/exit.ts";
import type { Change } from "../change.ts";
import { compareClauses, clausesIn, readClauses, type ContractClause } from "./clauses.ts";
import { plain } from "../../../cli/plain.ts";
import { text } from "../report-markdown.ts";
import { readSource } from "../source.ts";

/** One side's clauses: a released version, or any source of `drift spec` with a spec/clauses. */
export async function clausesOf(name: string): Promise<ContractClause[]> {
  const file = releaseFile(name, "clauses.json");
  if (releasedVersions().includes(name) && existsSync(file)) {
    return clausesIn(file, readFileSync(file, "utf8"));
  }
  const { tree, project } = await readSource(name).catch((error: unknown) => {
    if (!(error instanceof WrongUse)) throw error;
    const known = releasedVersions().join(", ");
    throw new WrongUse(`${error.message}; it is not a released version either; those are ${known}`, {
      cause: error,
    });
  });
  const clauses = readClauses(tree, path.posix.join(project, "spec/clauses"));
  if (clauses === null) throw new WrongUse(`${name} has no spec/clauses beside it`);
  return clauses;
}

/** The sections of the page, each with the changes of clauses that it lists. */
const sections: readonly (readonly [title: string, says: string, kinds: RegExp])[] = [
  ["New", "The contract did not ask for these before.", /^clause_added/],
  ["Stricter", "These were recommendations and are obligations now.", /^clause_raised/],
  ["Other numbers", "Only a number in their words changed.", /^numbers$/],
  [
    "Reworded",
    "A person has to decide whether these ask for the same as before.",
    /^clause_(reworded|changed)/,
  ],
  ["Looser", "These were obligations and are recommendations now.", /^clause_lowered/],
  ["Void", "The contract no longer asks for these.", /^clause_removed/],
];

/** A clause's text with its code spans; everything else that Markdown could take for a mark is escaped. */
export const prose = (value: string): string =>
  plain(value)
    .split(/(`[^`]+`)/)
    .map((part, index) => (index % 2 === 1 ? part : text(part)))
    .join("");

/** What changed for an implementer between two versions of the contract, as a Markdown page. */
export function clausesPage(
  [oldName, old]: readonly [name: string, clauses: readonly ContractClause[]],
  [newName, now]: readonly [name: string, clauses: readonly ContractClause[]],
): string {
  const [before, after] = [old, now].map((clauses) => new Map(clauses.map((one) => [one.id, one])));
  const findings = compareClauses(old, now);
  const said = (clause: ContractClause): string =>
    `${clause.level}${clause.party === "client" ? ", of the client" : ""}: ${prose(clause.text)}`;
  const lineOf = ({ where }: Change): string => {
    const id = where.replace("clause ", "");
    const [was, is] = [before!.get(id), after!.get(id)];
    const first = `- **${id}** ${said((is ?? was)!)}`;
    return was !== undefined && is !== undefined ? `${first}\n  - before: ${said(was)}` : first;
  };
  const numberless = (text: unknown): string => String(text).replace(/\d+(?:\.\d+)?/g, "#");
  const kindOf = ({ kind, where }: Change): string => {
    const [was, is] = [before, after].map((clauses) => clauses!.get(where.replace("clause ", ""))?.text);
    return kind === "clause_reworded" && numberless(was) === numberless(is) ? "numbers" : kind;
  };
  const parts = sections.flatMap(([title, says, kinds]) => {
    const changes = findings.filter((change) => kinds.test(kindOf(change)));
    if (changes.length === 0) return [];
    return [`## ${title} (${changes.length})`, says, [...new Set(changes.map(lineOf))].join("\n")];
  });
  const head = `# From contract ${text(oldName)} to ${text(newName)}`;
  return `${[head, ...(parts.length > 0 ? parts : ["No clause changed."])].join("\n\n")}\n`;
}
