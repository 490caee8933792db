import type { RequestListener } from "node:http";
import { basePath, operations, type OperationId } from "../../generated/contract.ts";
import { choose, throwFor } from "./dice.ts";
import type { Faults } from "./faults.ts";
import { oddWaysOf } from "./odd.ts";
import { struck, strikeInWords, type Limits, type Strike } from "./strike.ts";

type Kind = Strike["kind"];

/** Faults of a read of the audit; `empty` where it shows single rows. */
const read = { refused: 0.05, late: 0.05, lost: 0.03, odd: 0.1 };
const readOfRows = { refused: 0.05, late: 0.05, empty: 0.1, lost: 0.03, odd: 0.1 };

/** How often each fault strikes the requests of an operation. See docs/traffic.md. */
const shares: Readonly<Partial<Record<OperationId, Readonly<Partial<Record<Kind, number>>>>>> = {
  discover: { limited: 0.08, late: 0.1, lost: 0.03, odd: 0.2 },
  inspect: { limited: 0.08, late: 0.1, lost: 0.05, odd: 0.2 },
  probe: { limited: 0.08, late: 0.1, refused: 0.08, odd: 0.2 },
  call: { lost: 0.1, cut: 0.05, limited: 0.08, late: 0.1, failed: 0.05, odd: 0.1 },
  queryCapability: { lost: 0.08, late: 0.1, refused: 0.05, failed: 0.05, odd: 0.1 },
  listUsage: readOfRows,
  listUsageFeed: readOfRows,
  getUsageEvent: readOfRows,
  exportUsage: readOfRows,
  listLedger: readOfRows,
  getLedgerEntry: readOfRows,
  exportLedger: readOfRows,
  listSettlements: readOfRows,
  getCredits: read,
  getCreditsSpent: read,
};

const retryAfterSeconds = 2;
const lateMs = { min: 200, max: 1500 };

/**
 * Wraps a listener with faults. The n-th request of an operation has the same fault in every run of a seed.
 */
export function unfriendly(listener: RequestListener, faults: Faults, limits: Limits): RequestListener {
  const counts = new Map<OperationId, number>();
  return (request, response) => {
    const operation = operationAt(request);
    const chances = operation === null ? undefined : shares[operation];
    if (operation === null || chances === undefined) return listener(request, response);
    const count = (counts.get(operation) ?? 0) + 1;
    counts.set(operation, count);
    const where = `${operations[operation].method} ${operations[operation].path}`;
    const kind = choose<Kind>(throwFor(faults.seed, where, count), chances);
    if (kind === null) return listener(request, response);
    const strike = strikeOf(kind, operation, throwFor(faults.seed, "details", where, count));
    faults.add(where, count, strikeInWords(strike));
    struck(listener, request, response, { strike, operation, limits });
  };
}

const table = (Object.keys(operations) as OperationId[])
  .map((id) => ({
    id,
    method: operations[id].method as string,
    path: new RegExp(`^${basePath}${operations[id].path.replace(/\{\w+\}/, "[^/]+")}$`),
  }))
  // `ledger/export` is not an entry of the ledger.
  .sort((one, other) => one.path.source.split("[").length - other.path.source.split("[").length);

const operationAt = ({ method, url = "" }: { method?: string; url?: string }): OperationId | null => {
  const path = url.replace(/\?.*$/s, "");
  return table.find((row) => row.method === method && row.path.test(path))?.id ?? null;
};

/** @param thrown from 0 to 1, decides the details that a kind leaves open */
function strikeOf(kind: Kind, operation: OperationId, thrown: number): Strike {
  switch (kind) {
    case "late":
      return { kind, ms: Math.round(lateMs.min + thrown * (lateMs.max - lateMs.min)) };
    case "limited":
      return { kind, retryAfterSeconds };
    case "failed":
      return { kind, status: thrown < 0.5 ? 500 : 503 };
    case "refused":
      if (operations[operation].method === "GET") return { kind, status: 503 };
      return { kind, status: operation === "probe" ? 504 : 408 };
    case "odd": {
      const ways = oddWaysOf(operation);
      return { kind, way: ways[Math.floor(thrown * ways.length)]! };
    }
    default:
      return { kind };
  }
}
