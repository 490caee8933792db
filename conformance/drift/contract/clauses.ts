import path from "node:path";
import { WrongUse } from "../../../cli/exit.ts";
import type { Place } from "../change.ts";
import { entriesOf, isObject, itemsOf, member, type JsonObject } from "../json.ts";
import type { Tree } from "../source.ts";
import { Text } from "../text.ts";

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
