import { isDeepStrictEqual } from "node:util";
import type { ContractClause } from "./clauses.ts";
import { shownValue, type Change } from "../change.ts";
import { kinds, type Kind } from "../kinds.ts";

/** A finding about a clause, whose lines are already known. */
export type ClauseFinding = Omit<Change, "ignored" | "also" | "traffic">;

/** Compares the numbered clauses of two contracts: their ids, levels, wording and constants. */
export function compareClauses(
  old: readonly ContractClause[],
  now: readonly ContractClause[],
): ClauseFinding[] {
  const after = new Map(now.map((clause) => [clause.id, clause]));
  const before = new Set(old.map(({ id }) => id));
  return [
    ...old.flatMap((was) => {
      const is = after.get(was.id);
      return is === undefined ? [removed(was)] : changesOf(was, is);
    }),
    ...now.filter(({ id }) => !before.has(id)).map(added),
  ];
}

const said = (clause: ContractClause): string => `${clause.level}: ${clause.text}`;

function removed(was: ContractClause): ClauseFinding {
  const kind =
    was.party === "client"
      ? "clause_removed_client"
      : was.level === "must"
        ? "clause_removed"
        : "clause_removed_should";
  return finding(kind, was, undefined, [said(was), undefined]);
}

function added(is: ContractClause): ClauseFinding {
  const kind =
    is.level === "should"
      ? "clause_added_should"
      : is.party === "client"
        ? "clause_added_client"
        : "clause_added";
  return finding(kind, undefined, is, [undefined, said(is)]);
}

/** What changed in a clause that both contracts have. */
function changesOf(was: ContractClause, is: ContractClause): ClauseFinding[] {
  const found: ClauseFinding[] = [];
  const add = (kind: Kind, ...values: [unknown, unknown]): unknown =>
    found.push(finding(kind, was, is, values));
  if (was.party !== is.party) add("clause_changed_party", was.party, is.party);
  if (was.level !== is.level) {
    const how = is.level === "must" ? "raised" : "lowered";
    add(is.party === "client" ? `clause_${how}_client` : `clause_${how}`, was.level, is.level);
  }
  if (was.text !== is.text) add("clause_reworded", was.text, is.text);
  else if (!isDeepStrictEqual(was.rest, is.rest)) add("clause_moved", was.rest, is.rest);
  return found;
}

function finding(
  kind: Kind,
  was: ContractClause | undefined,
  is: ContractClause | undefined,
  [before, after]: [unknown, unknown],
): ClauseFinding {
  const clause = (is ?? was)!;
  const [changeClass, why] = kinds[kind];
  return {
    kind,
    class: changeClass,
    side: "contract",
    operations: clause.operations,
    where: `clause ${clause.id}`,
    old: shownValue(before),
    new: shownValue(after),
    why,
    at: is?.place ?? null,
    was_at: was?.place ?? null,
  };
}
