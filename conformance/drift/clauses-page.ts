import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { releasedVersions, releaseFile } from "../../contract/pinned.ts";
import { WrongUse } from "../../cli/exit.ts";
import { compareClauses, type ClauseFinding } from "./compare-contract.ts";
import { clausesIn, readClauses, type ContractClause } from "./contract-clauses.ts";
import { plain } from "../judge/plain.ts";
import { text } from "./report-markdown.ts";
import { readSource } from "./source.ts";

/** One side's clauses: a released version, or any source of `drift spec` with a spec/clauses. */
export async function clausesOf(name: string): Promise<ContractClause[]> {
  const file = releaseFile(name, "clauses.json");
  if (releasedVersions().includes(name) && existsSync(file)) {
    return clausesIn(file, readFileSync(file, "utf8"));
  }
  const { tree, project } = await readSource(name);
  const clauses = readClauses(tree, path.posix.join(project, "spec/clauses"));
  if (clauses === null) throw new WrongUse(`${name} has no spec/clauses beside it`);
  return clauses;
}

const sections: readonly { title: string; says: string; kinds: RegExp }[] = [
  { title: "New", says: "Nothing asked for this before.", kinds: /^clause_added/ },
  { title: "Stricter", says: "What was recommended is an obligation.", kinds: /^clause_raised/ },
  {
    title: "Other numbers",
    says: "A quota or a constant has another value.",
    kinds: /^(quota|trial|claim)_/,
  },
  {
    title: "Worded otherwise",
    says: "Whether the same is asked for is for a person to say.",
    kinds: /^clause_(reworded|changed_party)$/,
  },
  { title: "Looser", says: "What was an obligation is a recommendation.", kinds: /^clause_lowered/ },
  { title: "Void", says: "Nobody asks for this any more.", kinds: /^clause_removed/ },
];

/** A clause's text with its code spans; everything else that Markdown could take for a mark is escaped. */
const prose = (value: string): string =>
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
  const lineOf = ({ where }: ClauseFinding): string => {
    const id = where.replace("clause ", "");
    const [was, is] = [before!.get(id), after!.get(id)];
    const first = `- **${id}** ${said((is ?? was)!)}`;
    return was !== undefined && is !== undefined ? `${first}\n  - before: ${said(was)}` : first;
  };
  const parts = sections.flatMap(({ title, says, kinds }) => {
    const ofKind = findings.filter(({ kind }) => kinds.test(kind));
    return ofKind.length === 0
      ? []
      : [`## ${title} (${ofKind.length})`, says, [...new Set(ofKind.map(lineOf))].join("\n")];
  });
  const head = `# From contract ${text(oldName)} to ${text(newName)}`;
  return `${[head, ...(parts.length > 0 ? parts : ["No clause asks for anything else."])].join("\n\n")}\n`;
}
