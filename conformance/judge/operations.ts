/** The contract's 21 operations: method and path below the base URL, in the order of the contract. */
export const operations = {
  discover: ["POST", "/search"],
  inspect: ["POST", "/tools/by-ids"],
  probe: ["POST", "/tools/probe"],
  call: ["POST", "/tools/execute"],
  queryCapability: ["POST", "/capabilities/query"],
  getCapability: ["GET", "/capabilities/{capability_id}"],
  registerAnonymous: ["POST", "/agent/anonymous-register"],
  startClaim: ["POST", "/agent/claim"],
  verifyClaim: ["POST", "/agent/claim-verify"],
  getCredits: ["GET", "/auth/credits"],
  listLedger: ["GET", "/auth/credits/ledger"],
  exportLedger: ["GET", "/auth/credits/ledger/export"],
  getLedgerEntry: ["GET", "/auth/credits/ledger/{entry_id}"],
  getLedgerReadiness: ["GET", "/auth/credits/ledger-readiness"],
  listSettlements: ["GET", "/auth/account/settlement-history"],
  getCreditsSpent: ["GET", "/auth/usage/credits-spent"],
  listUsage: ["GET", "/auth/usage/history/v2"],
  exportUsage: ["GET", "/auth/usage/history/v2/export"],
  listUsageFeed: ["GET", "/auth/usage/history/v2/summary"],
  getUsageEvent: ["GET", "/auth/usage/history/v2/{event_id}"],
  verifyToken: ["POST", "/auth/verify-token"],
} as const satisfies Record<string, readonly [method: string, path: string]>;

export type OperationId = keyof typeof operations;

/** The four operations of the core path, which the contract puts under a quota. */
export const limitedOperations = ["discover", "inspect", "probe", "call"] as const satisfies OperationId[];

/** The operations that need no credential. */
export const openOperations: readonly OperationId[] = ["registerAnonymous", "startClaim", "verifyClaim"];

const table = Object.entries(operations).map(([id, [method, path]]) => ({
  id: id as OperationId,
  method,
  // A literal segment wins over a parameter, as `ledger/export` over `ledger/{entry_id}`.
  rank: path.includes("{") ? 1 : 0,
  pattern: new RegExp(`^${path.replace(/\{[^}]+\}/, "[^/]+")}$`),
}));
table.sort((one, other) => one.rank - other.rank);

/** Which operation a method and a path below the base URL are; null for none of the contract. */
export function operationOf(method: string, path: string): OperationId | null {
  return table.find((row) => row.method === method && row.pattern.test(path))?.id ?? null;
}

/** The path of an operation below the base URL, its one parameter filled in and percent-encoded. */
export function pathOf(operation: OperationId, parameter = ""): string {
  return operations[operation][1].replace(/\{[^}]+\}/, encodeURIComponent(parameter));
}
