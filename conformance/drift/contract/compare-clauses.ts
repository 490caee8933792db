import { isDeepStrictEqual } from "node:util";
import { contractChange, type Change } from "../change.ts";
import type { Kind } from "../kinds.ts";
import { paired } from "../paired.ts";
import type { ContractClause } from "./clauses.ts";

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
    const { level, party } = was ?? is;
    const [comes, goes] = comings[`${level} ${party}`];
    if (was === undefined) return [changeOf(comes, was, is, undefined, said(is))];
    return is === undefined ? [changeOf(goes, was, is, said(was), undefined)] : changesOf(was, is);
  });
}

/** What changed in a clause that both contracts have. */
function changesOf(was: ContractClause, is: ContractClause): Change[] {
  const found: Change[] = [];
  const add = (kind: Kind, old: unknown, now: unknown): unknown =>
    found.push(changeOf(kind, was, is, old, now));
  if (was.party !== is.party) add("clause_changed_party", was.party, is.party);
  if (was.level !== is.level) {
    const how = is.level === "must" ? "raised" : "lowered";
    add(is.party === "client" ? `clause_${how}_client` : `clause_${how}`, was.level, is.level);
  }
  if (was.text !== is.text) add("clause_reworded", was.text, is.text);
  else if (!isDeepStrictEqual(was.rest, is.rest)) add("clause_moved", was.rest, is.rest);
  return found;
}

function changeOf(
  kind: Kind,
  was: ContractClause | undefined,
  is: ContractClause | undefined,
  old: unknown,
  now: unknown,
): Change {
  const { id, operations } = (is ?? was)!;
  const places = { at: is?.place ?? null, was_at: was?.place ?? null };
  return contractChange(kind, { where: `clause ${id}`, operations, old, new: now, ...places });
}
