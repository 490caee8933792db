import path from "node:path";
import { WrongUse } from "../../../cli/exit.ts";
import { type Place, changeOf, type Change } from "../change.ts";
import { entriesOf, isObject, itemsOf, member, type JsonObject, paired } from "../json.ts";
import type { Tree } from "../source.ts";
import { Text } from "../text.ts";
import { isDeepStrictEqual } from "node:util";
import type { Kind } from "../kinds.ts";

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
 * Reads the clauses of a folder, such as spec/clauses.
 * @returns null when the folder has none
 * @throws WrongUse naming file and line of an entry that is not a clause
 */
export function readClauses(tree: Tree, folder: string): ContractClause[] | null {
  const found = tree
    .list(folder)
    .toSorted()
    .filter((name) => name.endsWith(".yaml"))
    .flatMap((name) => {
      const file = path.posix.join(folder, name);
      return clausesIn(tree.shown(file), tree.read(file) ?? "");
    });
  const ids = new Map<string, Place>();
  for (const { id, place } of found) {
    const twin = ids.get(id);
    if (twin) throw new WrongUse(`${place.file}:${place.line}: ${id} is also at ${twin.file}:${twin.line}`);
    ids.set(id, place);
  }
  return found.length === 0 ? null : found;
}

/**
 * The clauses in force in one file: an area of spec/clauses, or the list pinned by a release.
 * @throws WrongUse naming file and line of an entry that is not a clause
 */
export function clausesIn(file: string, content: string): ContractClause[] {
  const text = new Text(file, content);
  const isList = Array.isArray(text.value);
  const entries = isList ? text.value : isObject(text.value) ? text.value["clauses"] : [];
  return itemsOf(entries).flatMap((entry, index) => {
    const place = { file, line: text.lineOf(`${isList ? "" : "/clauses"}/${index}`) };
    return member(entry, "until") === undefined ? clauseOf(entry, place) : [];
  });
}

function clauseOf(entry: unknown, place: Place): ContractClause {
  const { id, level, text, party, operation, ...rest } = Object.fromEntries(entriesOf(entry));
  if (typeof id !== "string" || typeof text !== "string" || (level !== "must" && level !== "should")) {
    throw new WrongUse(
      `${place.file}:${place.line}: a clause has an id, a text, and the level must or should; see spec/clauses/README.md`,
    );
  }
  const operations = (Array.isArray(operation) ? operation : [operation]).filter(
    (one) => typeof one === "string",
  );
  return { id, level, text, party: party === "client" ? "client" : "server", operations, rest, place };
}

/** The kinds of a clause that comes, and of one that goes. */
const comings = {
  "must server": ["clause_added", "clause_removed"],
  "should server": ["clause_added_should", "clause_removed_should"],
  "must client": ["clause_added_client", "clause_removed_client"],
  "should client": ["clause_added_should", "clause_removed_client"],
} as const satisfies Record<string, [comes: Kind, goes: Kind]>;

/** Compares the numbered clauses of two contracts: their ids, levels, wording and constants. */
export function compareClauses(old: readonly ContractClause[], now: readonly ContractClause[]): Change[] {
  const byId = (clauses: readonly ContractClause[]) => new Map(clauses.map((clause) => [clause.id, clause]));
  const said = ({ level, text }: ContractClause): string => `${level}: ${text}`;
  return [...paired(byId(old), byId(now))].flatMap(([was, is]) => {
    const { level, party, id } = was ?? is;
    const { operations } = (is ?? was)!;
    const about = { where: `clause ${id}`, operations, at: is?.place ?? null, was_at: was?.place ?? null };
    const [comes, goes] = comings[`${level} ${party}`];
    if (was === undefined) return changeOf(comes, { ...about, new: said(is) });
    if (is === undefined) return changeOf(goes, { ...about, old: said(was) });
    return differences(was, is).map(([kind, before, after]) =>
      changeOf(kind, { ...about, old: before, new: after }),
    );
  });
}

/** What changed in a clause that both contracts have. */
function differences(was: ContractClause, is: ContractClause): [kind: Kind, old: unknown, now: unknown][] {
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
