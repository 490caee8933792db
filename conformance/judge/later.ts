import { newestFact } from "../../base/pinned.ts";
import { operations, type Operation, type OperationId, type Parameter } from "../../generated/contract.ts";

type Operations = Readonly<Record<string, Operation>>;

/** The named parts of a request. */
interface Parts {
  query?: Readonly<Record<string, unknown>> | undefined;
  headers?: Readonly<Record<string, unknown>> | undefined;
  body?: unknown;
}

/**
 * The part of a request that only a later version of the contract has: an operation, a parameter, or a value of one. A
 * server of the judged version owes it no answer. Null where there is none; what no version has is sent on purpose.
 */
export function laterPart(
  operation: OperationId,
  { query = {}, headers = {}, body }: Parts,
  judged: Operations = operations,
  newest = newestFact("operations") as Operations,
): string | null {
  if (judged === newest) return null;
  const [then, now] = [judged[operation], newest[operation]!];
  if (then === undefined) return `operation ${operation}`;
  const fields = typeof body === "object" && body !== null ? body : {};
  return (
    laterIn(query, then.query, now.query) ??
    laterIn(headers, lowerCased(then.headers), lowerCased(now.headers)) ??
    laterIn(fields, then.body, now.body)
  );
}

type Declared = Operation["query"];

const lowerCased = (declared: Declared): Declared =>
  Object.fromEntries(Object.entries(declared).map(([name, value]) => [name.toLowerCase(), value]));

function laterIn(sent: object, then: Declared, now: Declared): string | null {
  for (const [name, value] of Object.entries(sent)) {
    const [before, after] = [then[name], now[name]];
    if (value === undefined || after === undefined) continue;
    if (before === undefined) return `parameter ${name}`;
    const known = valuesOf(before);
    const later = [value]
      .flat()
      .find((value) => valuesOf(after)?.includes(value) && known?.includes(value) === false);
    if (later !== undefined) return `value ${String(later)} of ${name}`;
  }
  return null;
}

const valuesOf = ({ enum: values, values: said, items }: Parameter): readonly unknown[] | undefined =>
  values ?? said ?? items?.enum;
