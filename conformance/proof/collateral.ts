import { clauses, type ClauseId } from "../../generated/clauses.ts";
import { operations, type OperationId } from "../../generated/contract.ts";
import type { Finding } from "../judge/finding.ts";

const operationsOf = new Map<string, readonly string[]>(
  clauses.map(({ id, ...clause }) => [id, "operation" in clause ? [clause.operation].flat() : ["all"]]),
);

/** Reads of an account, which show the effects of every other operation. */
const isRead = (id: string): boolean => operations[id as OperationId].method === "GET";

/**
 * Whether a failing check or rule has met the fault of the clause's mutant: it requested an operation that the clause
 * covers, or read an account where such an operation leaves traces. Any other should not fail.
 */
export function hasMet(clause: ClauseId, { exchanges }: Pick<Finding, "exchanges">): boolean {
  const about = operationsOf.get(clause)!;
  if (about.includes("all")) return true;
  const leavesTraces = !about.every(isRead);
  return exchanges.some(
    ({ operation }) => operation === null || about.includes(operation) || (leavesTraces && isRead(operation)),
  );
}
