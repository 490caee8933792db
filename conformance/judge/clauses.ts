import { clauses, type ClauseId } from "../../generated/clauses.ts";
import { readings, type Reading } from "../../generated/readings.ts";

/** One obligation of the contract, as spec/clauses states it. */
export interface Clause {
  id: ClauseId;
  level: "must" | "should";
  text: string;
  source: string;
}

const byId = new Map<string, Clause>((clauses as readonly Clause[]).map((clause) => [clause.id, clause]));

/** A clause by its id. @throws RangeError for an id that the contract does not have. */
export function clauseOf(id: string): Clause {
  const clause = byId.get(id);
  if (clause === undefined) throw new RangeError(`there is no clause ${id}`);
  return clause;
}

const readingById = new Map<string, Reading>(readings.map((reading) => [reading.id, reading]));

/** An open question of the contract by its id; undefined where there is none. */
export const readingOf = (id: string): Reading | undefined => readingById.get(id);
