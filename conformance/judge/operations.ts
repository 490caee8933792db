import { encoded } from "../../base/address.ts";
import { operations, type OperationId } from "../../generated/contract.ts";

const table = Object.entries(operations).map(([id, { method, path }]) => ({
  id: id as OperationId,
  method: method as string,
  // A literal segment wins over a parameter: `ledger/export` over `ledger/{entry_id}`.
  rank: path.includes("{") ? 1 : 0,
  pattern: new RegExp(`^${path.replace(/\{[^}]+\}/, "[^/]+")}$`),
}));
table.sort((one, other) => one.rank - other.rank);

/** The operation of a method and a path below the base URL; null when the contract has none. */
export function operationOf(method: string, path: string): OperationId | null {
  return table.find((row) => row.method === method && row.pattern.test(path))?.id ?? null;
}

/** The path of an operation below the base URL, with its parameter percent-encoded. */
export function pathOf(operation: OperationId, parameter = ""): string {
  return operations[operation].path.replace(/\{[^}]+\}/, encoded(parameter));
}
