import { clauses, type ClauseId } from "../../generated/clauses.ts";
import { operations, type OperationId } from "../../generated/contract.ts";
import type { Finding } from "../judge/finding.ts";

const operationsOf = new Map<string, readonly string[]>(
  clauses.map(({ id, ...clause }) => [id, "operation" in clause ? [clause.operation].flat() : ["all"]]),
);

/** The reads of an account show what every other operation has done. */
const isRead = (id: string): boolean => operations[id as OperationId].method === "GET";

/**
 * Whether what turned red has met what a mutant of the clause breaks: it asked an operation that the clause is about,
 * or read an account where such an operation leaves its traces. What never did has no business to be red.
 */
export function hasMet(clause: ClauseId, { exchanges }: Pick<Finding, "exchanges">): boolean {
  const about = operationsOf.get(clause)!;
  if (about.includes("all")) return true;
  const leavesTraces = !about.every(isRead);
  return exchanges.some(
    ({ operation }) => operation === null || about.includes(operation) || (leavesTraces && isRead(operation)),
  );
}
