import { operationIds, operations, type OperationId, type Parameter } from "../../../generated/contract.ts";
import { sentJson } from "../../judge/exchange.ts";
import { has, observe, type Observer } from "../../judge/observer.ts";
import { isFields, memberOf, type Seen } from "../../judge/seen.ts";

const withBody = operationIds.filter((id) => operations[id].method === "POST");

/** A body member that the operation does not define. */
const unknownMember = ({ operation, sent }: Seen): string | undefined => {
  const known: Readonly<Record<string, Parameter>> = operations[operation as OperationId].body;
  return Object.keys(sent).find((name) => !Object.hasOwn(known, name));
};

const nullCorrelation = ({ sent }: Seen): string | undefined =>
  ["session_id", "search_id"].find((name) => sent[name] === null);

/** Whether a refusal mentions a name, however its JSON is written. */
const names = ({ body }: Seen, name: string): boolean => JSON.stringify(body ?? null).includes(name);

const isErrorObject = (body: unknown): boolean =>
  has(body, "error") || (has(body, "message") && memberOf(body, "status") === "failure");

export const observers: readonly Observer[] = [
  observe("R-002", ["inspect", "probe", "call", "getCapability", "queryCapability"], ({ status, body }) => {
    if (status !== 401 || !isFields(body)) return null;
    const code = body["status_code"];
    return code === undefined ? "absent" : code === status ? "http_status" : "own_code";
  }),
  observe(
    "R-007",
    withBody.filter((id) => id !== "call"),
    ({ status, body }) => {
      if (status !== 422) return null;
      const detail = memberOf(body, "detail");
      if (!Array.isArray(detail)) return null;
      return detail.every((issue) => has(issue, "loc", "msg", "type")) ? "detail_list" : "other";
    },
  ),
  observe("R-011", ["listUsage", "listLedger"], (seen) =>
    seen.status !== 400 ? null : [...seen.query.keys()].some((name) => names(seen, name)) ? "named" : "other",
  ),
  observe("R-012", ["getUsageEvent", "getLedgerEntry"], ({ status, body }) => {
    if (status === 404) return "404";
    if (status === 200) return memberOf(body, "status") === "failure" ? "envelope" : null;
    return status === 400 || status === 403 || status === 410 ? "other" : null;
  }),
  observe("R-013", withBody, ({ exchange, status }) => {
    const { body } = exchange.request;
    if (body === null || body === "" || sentJson(exchange) !== undefined) return null;
    if (status === 422) return "422";
    if (status === 400) return "400";
    return status > 400 && ![401, 413, 415, 429].includes(status) && status < 500 ? "other" : null;
  }),
  observe("R-014", null, ({ exchange: { request }, status, headers, body }) => {
    if (!request.url.includes("/api/v1/") || ![404, 405].includes(status)) return null;
    return isErrorObject(body) && (status === 404 || headers["allow"] !== undefined) ? "http" : "other";
  }),
  observe(
    "R-015",
    withBody.filter((id) => id !== "queryCapability"),
    (seen) => {
      const name = unknownMember(seen);
      if (name === undefined) return null;
      return seen.status === 200 ? "ignored" : seen.status === 422 && names(seen, name) ? "refused" : null;
    },
  ),
  observe("R-016", ["discover", "inspect", "call", "queryCapability"], (seen) => {
    const name = nullCorrelation(seen);
    if (name === undefined) return null;
    return seen.status === 200 ? "absent" : seen.status === 422 && names(seen, name) ? "refused" : null;
  }),
  observe("R-018", operationIds, ({ status, headers, body }) => {
    if (![413, 415, 503].includes(status)) return null;
    return isErrorObject(body) && (status !== 503 || headers["retry-after"] !== undefined)
      ? "error_object"
      : "other";
  }),
  observe("R-165", ["listUsage", "listLedger"], ({ exchange: { request }, status }) => {
    if (!/[?&](start|end)_date=[^&]*T[^&]*\+\d/.test(request.url)) return null;
    return status === 200 ? "lenient" : status === 400 || status === 422 ? "refused" : null;
  }),
];
