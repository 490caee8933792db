import type { RequestListener } from "node:http";
import { basePath } from "../../generated/contract.ts";
import { choose, throwFor } from "./dice.ts";
import type { Faults } from "./faults.ts";
import { struck, strikeInWords, type Limits, type Strike } from "./strike.ts";

type Kind = Strike["kind"];

/** How often each fault strikes the requests of an operation. See docs/traffic.md. */
const shares: Readonly<Record<string, Readonly<Partial<Record<Kind, number>>>>> = {
  "POST /search": { limited: 0.08, late: 0.1, lost: 0.03 },
  "POST /tools/by-ids": { limited: 0.08, late: 0.1, lost: 0.05 },
  "POST /tools/probe": { limited: 0.08, late: 0.1, refused: 0.08 },
  "POST /tools/execute": { lost: 0.1, cut: 0.05, limited: 0.08, late: 0.1, failed: 0.05 },
  "POST /capabilities/query": { lost: 0.08, late: 0.1, refused: 0.05, failed: 0.05 },
  "GET /auth/usage/history/v2": { refused: 0.05, late: 0.05, empty: 0.1, lost: 0.03 },
  "GET /auth/usage/history/v2/summary": { refused: 0.05, late: 0.05, lost: 0.03 },
  "GET /auth/usage/history/v2/export": { refused: 0.05, late: 0.05, lost: 0.03 },
  "GET /auth/credits/ledger": { refused: 0.05, late: 0.05, empty: 0.1, lost: 0.03 },
  "GET /auth/credits/ledger/export": { refused: 0.05, late: 0.05, lost: 0.03 },
};

const retryAfterSeconds = 2;
const lateMs = { min: 200, max: 1500 };

/**
 * Wraps a listener with faults. The n-th request of an operation has the same fault in every run of a seed.
 */
export function unfriendly(listener: RequestListener, faults: Faults, limits: Limits): RequestListener {
  const counts = new Map<string, number>();
  return (request, response) => {
    const operation = operationAt(request);
    const chances = Object.hasOwn(shares, operation) ? shares[operation] : undefined;
    if (chances === undefined) return listener(request, response);
    const count = (counts.get(operation) ?? 0) + 1;
    counts.set(operation, count);
    const kind = choose<Kind>(throwFor(faults.seed, operation, count), chances);
    if (kind === null) return listener(request, response);
    const strike = strikeOf(kind, operation, throwFor(faults.seed, "details", operation, count));
    faults.add(operation, count, strikeInWords(strike));
    struck(listener, request, response, { strike, operation, limits });
  };
}

/** Method and path below the base URL, as in `POST /search`; empty elsewhere. */
const operationAt = ({ method = "", url = "" }: { method?: string; url?: string }): string => {
  const path = url.replace(/\?.*$/s, "");
  return path.startsWith(basePath) ? `${method} ${path.slice(basePath.length)}` : "";
};

/** @param thrown from 0 to 1, decides what a kind leaves open */
function strikeOf(kind: Kind, operation: string, thrown: number): Strike {
  switch (kind) {
    case "late":
      return { kind, ms: Math.round(lateMs.min + thrown * (lateMs.max - lateMs.min)) };
    case "limited":
      return { kind, retryAfterSeconds };
    case "failed":
      return { kind, status: thrown < 0.5 ? 500 : 503 };
    case "refused":
      if (operation.startsWith("GET ")) return { kind, status: 503 };
      return { kind, status: operation === "POST /tools/probe" ? 504 : 408 };
    default:
      return { kind };
  }
}
