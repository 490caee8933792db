import { isDeepStrictEqual } from "node:util";
import { changeOf, type Change } from "../change.ts";
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
