import { operations, type OperationId } from "../../generated/contract.ts";
import { sentJson, type Exchange } from "../judge/exchange.ts";
import type { Finding } from "../judge/finding.ts";
import { isFields } from "../judge/seen.ts";
import { culpritOf, isOfId, statusesOf, statusesWanted } from "./about.ts";

/** Statuses of an operation that is not implemented. */
export const statusesOfAbsence: readonly number[] = [404, 405, 501];

/**
 * Operations that refuse everything in one way, with the status: those that are not implemented, even where another status
 * says so, and those that are wrong in such a way. The refusal of a missing or wrong key, of a request over the quota
 * and of a body that is not a JSON object may come before; a page is not its answer.
 */
export function refusedOperations(
  exchanges: readonly Exchange[],
  findings: readonly Finding[],
): ReadonlyMap<OperationId, number> {
  const statuses = new Map<OperationId, Set<number>>();
  const words = new Map<OperationId | null, Set<string>>();
  for (const { operation, request, response } of exchanges) {
    if (response === null || [401, 429].includes(response.status)) continue;
    if (isPage(response) || (request.body !== null && !isFields(sentJson({ request })))) continue;
    words.set(operation, (words.get(operation) ?? new Set()).add(wordsOfRefusal(response)));
    if (operation !== null)
      statuses.set(operation, (statuses.get(operation) ?? new Set()).add(response.status));
  }
  const nowhere = words.get(null) ?? new Set();
  const refused = new Map<OperationId, number>();
  for (const [operation, [status, ...others]] of statuses) {
    if (status === undefined || others.some((other) => !statusesOfAbsence.includes(other))) continue;
    if (others.length > 0 && !statusesOfAbsence.includes(status)) continue;
    // An unknown id, a wrong code and the like are rightly refused.
    const isAbsent = statusesOfAbsence.includes(status) && !hasPathParameter(operation);
    // Where a list shows no ids, no read finds its row; but a read that is there asks for a key first.
    const isIdless = hasPathParameter(operation) && findings.some(lacksIdOf(operation));
    if (isIdless && !statusesOfAbsence.includes(status)) continue;
    const isNowhere =
      !statusesOfAbsence.includes(status) && [...words.get(operation)!].every((word) => nowhere.has(word));
    const isWrong = (finding: Finding): boolean =>
      (wantsAnother(finding, operation, status) && (!isIdless || statusesWanted(finding).includes(401))) ||
      (isNowhere && culpritOf(finding)?.operation === operation && statusesOf(finding) !== null);
    if (status >= 400 && (isAbsent || findings.some(isWrong))) refused.set(operation, status);
  }
  return refused;
}

/** Whether a finding says that the list of an operation's rows lacks the id that it reads a row by. */
const lacksIdOf =
  (operation: OperationId) =>
  (finding: Finding): boolean => {
    const list = culpritOf(finding)?.operation;
    return (
      finding.verdict === "fail" &&
      isOfId(finding) &&
      list != null &&
      operations[operation].path.startsWith(`${operations[list].path}/`)
    );
  };

/**
 * Whether a finding failed or is blocked because an operation gave this status instead of a 200, or instead of a 401,
 * which an absent operation does not give.
 */
export const wantsAnother = (finding: Finding, operation: OperationId, status: number): boolean =>
  ["fail", "blocked"].includes(finding.verdict) &&
  culpritOf(finding)?.operation === operation &&
  (finding.fact == null ||
    statusesWanted(finding).some(
      (wanted) => wanted === 200 || (wanted === 401 && statusesOfAbsence.includes(status)),
    ));

/** Causes that answers show by themselves: a page in place of the API, an operation that refuses everything. */
export function evidentKey(
  exchanges: readonly Exchange[],
  refused: ReadonlyMap<OperationId, number>,
): string | undefined {
  if (exchanges.some(({ response }) => isPage(response))) return "page";
  const operation = exchanges.find(
    (exchange) => exchange.operation && refused.has(exchange.operation),
  )?.operation;
  return operation ? `refused ${operation}` : undefined;
}

const isPage = (response: Exchange["response"]): boolean =>
  /^\s*<(?:!doctype|html)/i.test(response?.body ?? "");

/** A refusal, without what differs from one path to the next. */
const wordsOfRefusal = ({ status, body }: NonNullable<Exchange["response"]>): string =>
  `${status} ${body.replace(/\/[\w/.-]*|\b(?:GET|POST)\b|\d+/g, "")}`;

export const hasPathParameter = (operation: OperationId): boolean =>
  Object.keys(operations[operation].pathParameters).length > 0;
