import type { Exchange } from "../judge/exchange.ts";
import type { OperationId } from "../../generated/contract.ts";
import { unreachable } from "./unreachable.ts";
import { countedValues, documented, type Point } from "./documented.ts";

/** How much of the spec a run has observed, counted from the spec itself. */
export interface Coverage {
  /** Points by kind. `observed` and `unreachable` do not overlap; all others are `unseen`. */
  counts: Record<Point["kind"], { documented: number; observed: number; unreachable: number }>;
  /** Documented and reachable, but not observed. */
  unseen: string[];
  /** Documented and not observed, because no judge can provoke it from outside. */
  unreachable: { point: string; reason: string }[];
}

/** The reads whose items contain the counted values. */
const audited: readonly (OperationId | null)[] = [
  "listUsage",
  "getUsageEvent",
  "listUsageFeed",
  "listLedger",
  "getLedgerEntry",
  "listSettlements",
];

/** Matches a counted field with its value in JSON; in a stored text its quotes would be escaped. */
const valuePattern = new RegExp(`"(${Object.values(countedValues).join("|")})"\\s*:\\s*"([^"\\\\]+)"`, "g");

/** A body without escaped letters, as far as it is JSON. */
function readable(body: string): string {
  if (!body.includes("\\u")) return body;
  try {
    return JSON.stringify(JSON.parse(body));
  } catch {
    return body;
  }
}

/** Every point in the form in which it is counted. */
const countable = new Set(documented.map(({ kind, name }) => (kind === "header" ? asReceived(name) : name)));

/** Counts the points of the spec that exchanges show, one by one, in memory bounded by the size of the spec. */
export class CoverageCount {
  readonly #seen = new Set<string>();

  see({ operation, response }: Exchange): void {
    if (operation === null || response === null) return;
    const status = `${operation} ${response.status}`;
    this.#note(status);
    for (const header of Object.keys(response.headers)) this.#note(`${status} ${header}`);
    if (!audited.includes(operation) || response.status !== 200) return;
    for (const [, field, value] of readable(response.body).matchAll(valuePattern))
      this.#note(`${field} ${value}`);
  }

  #note(point: string): void {
    if (countable.has(point)) this.#seen.add(point);
  }

  get coverage(): Coverage {
    const coverage: Coverage = { counts: noCounts(), unseen: [], unreachable: [] };
    for (const { kind, name } of documented) {
      const counts = coverage.counts[kind];
      counts.documented += 1;
      const why = whyUnreachable(name);
      if (this.#seen.has(kind === "header" ? asReceived(name) : name)) counts.observed += 1;
      else if (why === undefined) coverage.unseen.push(name);
      else {
        counts.unreachable += 1;
        coverage.unreachable.push({ point: name, reason: why });
      }
    }
    return coverage;
  }
}

/** Counts the points of the spec that the exchanges show. */
export function coverageOf(exchanges: readonly Exchange[]): Coverage {
  const count = new CoverageCount();
  for (const exchange of exchanges) count.see(exchange);
  return count.coverage;
}

/**
 * Why a point is unreachable; undefined when it is reachable. The headers of an unreachable status are unreachable too.
 */
export function whyUnreachable(point: string): string | undefined {
  return unreachable.find(({ points }) => points.some((listed) => matches(listed, point)))?.reason;
}

/** A listed point covers every point that begins with it; `*` matches any word. */
function matches(listed: string, point: string): boolean {
  const wanted = listed.split(" ");
  const words = point.split(" ");
  return (
    wanted.length <= words.length && wanted.every((word, index) => word === "*" || word === words[index])
  );
}

/** Header names may arrive in any case and are recorded in lower case. */
function asReceived(name: string): string {
  const [operation, status, header] = name.split(" ");
  return `${operation} ${status} ${header!.toLowerCase()}`;
}

const noCounts = (): Coverage["counts"] => ({
  status: { documented: 0, observed: 0, unreachable: 0 },
  header: { documented: 0, observed: 0, unreachable: 0 },
  value: { documented: 0, observed: 0, unreachable: 0 },
});

/** The coverage as a sentence. */
export function inWords({ counts }: Coverage): string {
  const part = (kind: Point["kind"], words: string): string => {
    const { documented: all, observed, unreachable: out } = counts[kind];
    return `${observed} of ${all - out} ${words}`;
  };
  return `${part("status", "statuses")}, ${part("header", "headers")}, ${part("value", "values")} of the spec`;
}
