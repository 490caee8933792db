import { limitedOperations, type OperationId } from "../operations.ts";
import { holds, rule, type Rule } from "./rule.ts";
import { isFields, type Seen } from "./seen.ts";

/** Statuses whose body is the error object, or (on Call, Inspect, Discover) a failure body that may hold more. */
const errorObject = (seen: Seen): Record<string, unknown> | null => {
  if (seen.operation === null || !isFields(seen.body)) return null;
  const always = seen.status === 401 || seen.status === 429;
  return always || (seen.status >= 400 && seen.body["status"] === "failure") ? seen.body : null;
};

/** Discover's failure body may stand in the place of the error object. */
const isDiscoverFailure = (seen: Seen, body: Record<string, unknown>): boolean =>
  seen.operation === "discover" && seen.status === 401 && typeof body["search_id"] === "string";

const limited: readonly OperationId[] = limitedOperations;

/** The shape of errors, wherever one crosses the wire. */
export const errors: Rule[] = [
  rule("ERRO-01", "an error object says failure", (seen) => {
    const body = errorObject(seen);
    if (!body || isDiscoverFailure(seen, body)) return null;
    return holds(body["status"] === "failure", 'status "failure"', body["status"]);
  }),
  rule("ERRO-02", "an error object has a message", (seen) => {
    const body = errorObject(seen);
    if (!body || isDiscoverFailure(seen, body)) return null;
    const message = body["message"];
    return holds(
      typeof message === "string" && message.trim() !== "",
      "a message that says what is wrong",
      message,
    );
  }),
  rule("ERRO-03", "the status_code of an error object is an integer", (seen) => {
    const code = errorObject(seen)?.["status_code"];
    return code === undefined || code === null
      ? null
      : holds(Number.isInteger(code), "an integer status_code", code);
  }),
  rule("ERRO-04", "the data of an error object is null", (seen) => {
    const body = errorObject(seen);
    if (!body || body["data"] === undefined) return null;
    return holds(body["data"] === null, "data null", body["data"]);
  }),
  rule("ERRO-05", "a 429 is the error object", (seen) => {
    if (seen.status !== 429 || !limited.includes(seen.operation!)) return null;
    const body = isFields(seen.body) ? seen.body : {};
    return holds(
      body["status"] === "failure" && typeof body["message"] === "string",
      'the error object: status "failure" and a message',
      seen.body,
    );
  }),
  rule("ERRO-06", "a 429 carries Retry-After", (seen) =>
    seen.status === 429 && seen.operation !== null
      ? holds(seen.headers["retry-after"] !== undefined, "header Retry-After", undefined)
      : null,
  ),
];
