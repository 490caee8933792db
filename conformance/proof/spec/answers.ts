import { responseHeaders } from "../../../generated/contract.ts";
import { onAnswers, onHeaders, withStatus, type Change } from "../../changes/mutant.ts";
import { namedAnswers } from "./document.ts";
import type { SpecMutant } from "./mutant.ts";

/** For each status, those that a confused server answers instead. */
const confused: Record<number, readonly number[]> = {
  200: [202],
  400: [409, 200],
  401: [403, 200],
  402: [400, 200],
  403: [400, 200],
  404: [410, 200],
  408: [504, 200],
  422: [400, 200],
  429: [503, 200],
  500: [200],
  502: [500, 200],
  503: [500, 200],
  504: [500, 200],
};

/** Each status that the contract names, replaced. */
export const statusMutants: readonly SpecMutant[] = namedAnswers.flatMap(({ operation, status }) =>
  (confused[status] ?? []).map((other) => ({
    id: `status ${operation} ${status} as ${other}`,
    family: "status" as const,
    operation,
    way: "replaced",
    change: onAnswers(
      (request, answer) => request.operation === operation && answer.status === status,
      withStatus(other),
    ),
  })),
);

const lower = (name: string): string => name.toLowerCase();
const { apiVersion, rateLimitLimit, rateLimitRemaining, rateLimitReset, retryAfter } = responseHeaders;

/** The ways to break a header, computed from its old value; undefined removes it. */
const ofHeader: Record<string, Record<string, (value: string) => string | undefined>> = {
  [lower(apiVersion)]: { "left out": () => undefined, constant: () => "2020-01-01.1" },
  [lower(rateLimitLimit)]: {
    "left out": () => undefined,
    constant: () => "1000",
    "in another unit": (value) => String(Number(value) * 60),
  },
  [lower(rateLimitRemaining)]: {
    "left out": () => undefined,
    constant: () => "5",
    "in another unit": (value) => String(Number(value) * 60),
  },
  [lower(rateLimitReset)]: {
    "left out": () => undefined,
    constant: () => "1700000000",
    "in another unit": (value) => String(Number(value) * 1000),
    "as seconds from now": (value) => String(Math.max(1, Number(value) - Math.floor(Date.now() / 1000))),
  },
  [lower(retryAfter)]: {
    "left out": () => undefined,
    constant: () => "1",
    "in another unit": (value) => String(Number(value) * 1000),
  },
  "content-type": { "left out": () => undefined, constant: () => "application/octet-stream" },
};

/** Each header that the contract names, broken in each way. */
export const headerMutants: readonly SpecMutant[] = namedAnswers.flatMap(({ operation, status, headers }) =>
  [...new Set([...headers, "content-type"])].flatMap((header) =>
    Object.entries(ofHeader[header] ?? {}).map(([way, broken]) => ({
      id: `header ${operation} ${status} ${header} ${way}`,
      family: "header" as const,
      operation,
      way,
      change: brokenHeader(operation, status, header, broken),
    })),
  ),
);

function brokenHeader(
  operation: string,
  status: number,
  header: string,
  broken: (value: string) => string | undefined,
): Change {
  const has = (request: { operation: string | null }, answer: { status: number; headers: object }): boolean =>
    request.operation === operation && answer.status === status && header in answer.headers;
  return {
    wire: (request, answer) =>
      has(request, answer)
        ? onHeaders(has, { [header]: broken(answer.headers[header]!) }).wire!(request, answer)
        : answer,
  };
}
