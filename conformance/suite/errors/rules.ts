import { limitedOperations, type OperationId } from "../../../generated/contract.ts";
import { holds, onStatus, rule, type Rule } from "../../judge/rule.ts";
import { isFields, type Seen } from "../../judge/seen.ts";

/** Operations for whose 401 the contract describes no body. */
const openRefusals: readonly OperationId[] = ["inspect", "probe", "queryCapability", "getCapability"];

/**
 * Statuses whose body is the error object or, on Call, Inspect and Discover, a failure body with possibly more fields.
 */
const errorObject = (seen: Seen): Record<string, unknown> | null => {
  if (seen.operation === null || !isFields(seen.body)) return null;
  const always = (seen.status === 401 && !openRefusals.includes(seen.operation)) || seen.status === 429;
  return always || (seen.status >= 400 && seen.body["status"] === "failure") ? seen.body : null;
};

/** Discover may send its failure body in place of the error object. */
const isDiscoverFailure = (seen: Seen, body: Record<string, unknown>): boolean =>
  seen.operation === "discover" && seen.status === 401 && typeof body["search_id"] === "string";

const limited: readonly OperationId[] = limitedOperations;

/** Capability query may fail with 500, and capability detail answers as it does. */
const mayFail: readonly OperationId[] = ["queryCapability", "getCapability"];

/** The format of errors in every answer. */
export const rules: Rule[] = [
  rule("ERRO-17", "an operation is not answered with 500", (seen) =>
    seen.operation === null || mayFail.includes(seen.operation)
      ? null
      : holds(seen.status !== 500, "a status that the contract lists", seen.status),
  ),
  rule("ERRO-01", "an error object says failure, with a message", (seen) => {
    const body = errorObject(seen);
    if (!body || isDiscoverFailure(seen, body)) return null;
    const { status, message } = body;
    return holds(
      status === "failure" && typeof message === "string" && message.trim() !== "",
      'status "failure" and a message that says what is wrong',
      { status, message },
    );
  }),
  rule("ERRO-02", "status_code and data of an error object are an integer and null", (seen) => {
    const body = errorObject(seen);
    if (!body || (body["status_code"] === undefined && body["data"] === undefined)) return null;
    const { status_code: code = 0, data = null } = body;
    return holds(Number.isInteger(code) && data === null, "an integer status_code, data null", {
      status_code: code,
      data,
    });
  }),
  onStatus(
    [400],
    rule("ERRO-06", "a 400 of an audit or ledger query is the envelope, with -7 and no data", (seen) => {
      if (seen.operation !== "listUsage" && seen.operation !== "listLedger") return null;
      // A request without a query has no invalid one: it is refused for another fault.
      if (seen.query.size === 0) return null;
      const { status, status_code: code, data } = isFields(seen.body) ? seen.body : {};
      const isEnvelope = status === "failure" && code === -7 && data === null;
      return holds(isEnvelope, 'status "failure", status_code -7 and data null', seen.body);
    }),
  ),
  onStatus(
    [429],
    rule("ERRO-03", "a 429 is the error object", (seen) => {
      if (!limited.includes(seen.operation!)) return null;
      const body = isFields(seen.body) ? seen.body : {};
      return holds(
        body["status"] === "failure" && typeof body["message"] === "string",
        'the error object: status "failure" and a message',
        seen.body,
      );
    }),
  ),
  onStatus(
    [429],
    rule("ERRO-04", "a 429 carries Retry-After", (seen) =>
      seen.operation !== null
        ? holds(seen.headers["retry-after"] !== undefined, "header Retry-After", undefined)
        : null,
    ),
  ),
];
