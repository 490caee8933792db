import path from "node:path";
import { WrongUse } from "../../cli/exit.ts";
import type { Place } from "./change.ts";
import { entriesOf, isObject, type JsonObject } from "./json.ts";
import type { Tree } from "./source.ts";
import { Text } from "./text.ts";

/** A clause as it stands in a file of spec/clauses. */
export interface ContractClause {
  id: string;
  level: "must" | "should";
  text: string;
  party: "client" | "server";
  operations: string[];
  /** What else the clause says: its quote, its basis, how it is seen. */
  rest: JsonObject;
  place: Place;
}

/**
 * Reads the clauses of a folder, such as spec/clauses.
 * @returns null when the folder holds none
 * @throws WrongUse that names file and line of an entry that is no clause
 */
export function readClauses(tree: Tree, folder: string): ContractClause[] | null {
  const found: ContractClause[] = [];
  const ids = new Map<string, Place>();
  for (const name of tree.list(folder).toSorted()) {
    if (!name.endsWith(".yaml")) continue;
    const file = path.posix.join(folder, name);
    const text = new Text(tree.shown(file), tree.read(file) ?? "");
    const entries = isObject(text.value) ? text.value["clauses"] : undefined;
    if (!Array.isArray(entries)) continue;
    for (const [index, entry] of entries.entries()) {
      const place = { file: tree.shown(file), line: text.lineOf(`/clauses/${index}`) };
      const clause = clauseOf(entry, place);
      const twin = ids.get(clause.id);
      if (twin)
        throw new WrongUse(
          `${place.file}:${place.line}: ${clause.id} stands at ${twin.file}:${twin.line} too`,
        );
      ids.set(clause.id, place);
      found.push(clause);
    }
  }
  return found.length === 0 ? null : found;
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
