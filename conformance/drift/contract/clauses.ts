import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import { existsSync, readFileSync } from "node:fs";
import { WrongUse } from "../../../base/exit.ts";
import { releasedVersions, releaseFile } from "../../../base/pinned.ts";
import { markdown } from "../../../base/escaped.ts";
import { plain } from "../../../base/plain.ts";
import type { YamlFile } from "../../../base/yaml/file.ts";
import { type Place, changeOf, type Change, type Kind } from "../change.ts";
import { entriesOf, itemsOf, member, paired, type JsonObject } from "../../../base/data.ts";
import { parsedIn, readSource, type Reach, type Source } from "../source.ts";
import { parsed } from "../../../base/yaml/text.ts";

/** A clause as written in a file of spec/clauses. */
export interface ContractClause {
  id: string;
  level: "must" | "should";
  text: string;
  party: "client" | "server";
  operations: string[];
  /** The rest of the clause: its quote, its basis, how it is observed. */
  rest: JsonObject;
  place: Place;
}

/**
 * Reads the clauses next to a document, in spec/clauses.
 * @returns null when there are none
 * @throws WrongUse naming file and line of an entry that is not a clause
 */
export function readClauses({ tree, project }: Pick<Source, "tree" | "project">): ContractClause[] | null {
  const folder = path.posix.join(project, "spec/clauses");
  const names = tree.list(folder).filter((name) => name.endsWith(".yaml"));
  const files = names.toSorted().map((name) => parsedIn(tree, path.posix.join(folder, name)));
  const found = files.flatMap((file) => (file === undefined ? [] : clausesIn(file)));
  for (const [id, clauses] of Map.groupBy(found, (clause) => clause.id)) {
    const [first, again] = clauses.map(({ place }) => `${place.file}:${place.line}`);
    if (again !== undefined) throw new WrongUse(`${again}: ${id} is also at ${first}`);
  }
  return found.length === 0 ? null : found;
}

/**
 * The clauses in force in one file: an area of spec/clauses, or the list pinned by a release.
 * @throws WrongUse naming file and line of an entry that is not a clause
 */
function clausesIn({ name: file, value, lineOf }: YamlFile): ContractClause[] {
  const [entries, steps] = Array.isArray(value) ? [value, []] : [member(value, "clauses"), ["clauses"]];
  return itemsOf(entries).flatMap((entry, index) => {
    const place = { file, line: lineOf([...steps, index]) };
    return member(entry, "until") === undefined ? clauseOf(entry, place) : [];
  });
}

function clauseOf(entry: unknown, place: Place): ContractClause {
  const { id, level, text, party, operation, ...rest } = Object.fromEntries(entriesOf(entry));
  if (typeof id !== "string" || typeof text !== "string" || (level !== "must" && level !== "should")) {
    const advice = "a clause has an id, a text, and the level must or should; see spec/clauses/README.md";
    throw new WrongUse(`${place.file}:${place.line}: ${advice}`);
  }
  const operations = [operation].flat().filter((name) => typeof name === "string");
  return { id, level, text, party: party === "client" ? "client" : "server", operations, rest, place };
}

/** What two contracts have under each id. */
function pairs(old: readonly ContractClause[], now: readonly ContractClause[]) {
  const [before, after] = [old, now].map((clauses) => new Map(clauses.map((clause) => [clause.id, clause])));
  return [...paired(before!, after!)];
}

/** Compares the numbered clauses of two contracts: their ids, levels, wording and constants. */
export const compareClauses = (old: readonly ContractClause[], now: readonly ContractClause[]): Change[] =>
  pairs(old, now).flatMap(([was, is]) => {
    const { id, operations } = (is ?? was)!;
    const about = { where: `clause ${id}`, operations, at: is?.place ?? null, was_at: was?.place ?? null };
    return differences(was, is).map(([kind, before, after]) =>
      changeOf(kind, { ...about, old: before, new: after }),
    );
  });

/** What changed in a clause, or by its coming or going. */
function differences(was?: ContractClause, is?: ContractClause): [kind: Kind, old: unknown, now: unknown][] {
  if (was === undefined || is === undefined) {
    const { level, party, text } = (was ?? is)!;
    const ofClients = party === "client" ? "_client" : "";
    const asAdvice = level === "should" ? "_should" : "";
    return was === undefined
      ? [[`clause_added${asAdvice || ofClients}`, undefined, `${level}: ${text}`]]
      : [[`clause_removed${ofClients || asAdvice}`, `${level}: ${text}`, undefined]];
  }
  const found: [Kind, unknown, unknown][] = [];
  if (was.party !== is.party) found.push(["clause_changed_party", was.party, is.party]);
  if (was.level !== is.level) {
    const how = is.level === "must" ? "raised" : "lowered";
    found.push([is.party === "client" ? `clause_${how}_client` : `clause_${how}`, was.level, is.level]);
  }
  if (was.text !== is.text) found.push(["clause_reworded", was.text, is.text]);
  else if (!isDeepStrictEqual(was.rest, is.rest)) found.push(["clause_moved", was.rest, is.rest]);
  return found;
}

/** One side's clauses: a released version, or any source of `drift spec` with a spec/clauses. */
export async function clausesOf(name: string, reach: Reach = {}): Promise<ContractClause[]> {
  const known = releasedVersions();
  const file = releaseFile(name, "clauses.json");
  if (known.includes(name) && existsSync(file)) return clausesIn(parsed(file, readFileSync(file, "utf8")));
  const source = await readSource(name, reach).catch((cause: unknown) => {
    if (!(cause instanceof WrongUse)) throw cause;
    const advice = `it is not a released version either; those are ${known.join(", ")}`;
    throw new WrongUse(`${cause.message}; ${advice}`, { cause });
  });
  const clauses = readClauses(source);
  if (clauses === null) throw new WrongUse(`${name} has no spec/clauses next to it`);
  return clauses;
}

/** The sections of the page, each with what it says and the kinds of change that it lists. */
const sections: Readonly<Record<string, readonly [says: string, kinds: RegExp]>> = {
  New: ["The contract did not ask for these before.", /^clause_added/],
  Stricter: ["These were recommendations and are obligations now.", /^clause_raised/],
  "Other numbers": ["Only a number in their words changed.", /^numbers$/],
  Reworded: ["Whether these ask for the same is for a person to decide.", /^clause_(reworded|changed)/],
  Looser: ["These were obligations and are recommendations now.", /^clause_lowered/],
  Void: ["The contract no longer asks for these.", /^clause_removed/],
};

/** A clause's text with its code spans; everything else that Markdown could take for a mark is escaped. */
export const prose = (value: string): string =>
  plain(value)
    .split(/(`[^`]+`)/)
    .map((part, index) => (index % 2 === 1 ? part : markdown(part)))
    .join("");

/** What changed for an implementer between two versions of the contract, as a Markdown page. */
export function clausesPage(
  [oldName, old]: readonly [name: string, clauses: readonly ContractClause[]],
  [newName, now]: readonly [name: string, clauses: readonly ContractClause[]],
): string {
  const said = ({ level, party, text: words }: ContractClause): string =>
    `${level}${party === "client" ? ", of the client" : ""}: ${prose(words)}`;
  const numberless = (words: unknown): string => String(words).replace(/\d+(?:\.\d+)?/g, "#");
  const changes = pairs(old, now).flatMap(([was, is]) => {
    const clause = (is ?? was)!;
    const before = was === undefined || is === undefined ? "" : `\n  - before: ${said(was)}`;
    const line = `- **${clause.id}** ${said(clause)}${before}`;
    return differences(was, is).map(([kind, one, other]) => {
      const isNumber = kind === "clause_reworded" && numberless(one) === numberless(other);
      return { line, kind: isNumber ? "numbers" : kind };
    });
  });
  const parts = Object.entries(sections).flatMap(([title, [says, kinds]]) => {
    const lines = changes.flatMap(({ line, kind }) => (kinds.test(kind) ? line : []));
    return lines.length === 0 ? [] : [`## ${title} (${lines.length})`, says, [...new Set(lines)].join("\n")];
  });
  const head = `# From contract ${markdown(oldName)} to ${markdown(newName)}`;
  return `${[head, ...(parts.length > 0 ? parts : ["No clause changed."])].join("\n\n")}\n`;
}
