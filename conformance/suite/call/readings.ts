import { has, observe, type Observer } from "../../judge/observer.ts";
import { isFields, memberOf, type Seen } from "../../judge/seen.ts";
import { isUnheardOf } from "../../server/unheard-of.ts";

const toolOf = ({ query, sent }: Seen): unknown => query.get("tool_id") ?? sent["tool_id"];

const failed = ({ body }: Seen): boolean => memberOf(body, "success") === false && has(body, "error_message");

/** Tolerance for one duration rounded to seconds and to milliseconds. */
const roundingMs = 2;

export const observers: readonly Observer[] = [
  observe("R-006", "call", ({ status, body }) => {
    if (status !== 422) return null;
    if (Array.isArray(memberOf(body, "detail"))) return "validation_error";
    const details = memberOf(body, "details");
    const listed = Array.isArray(details) && details.every((detail) => has(detail, "type", "loc", "msg"));
    return memberOf(body, "success") === false && listed ? "call_body" : "other";
  }),
  observe("R-008", "call", (seen) => {
    if (toolOf(seen) !== undefined || Object.keys(seen.sent).length === 0) return null;
    return seen.status === 422 ? "422" : seen.status === 200 ? "200" : null;
  }),
  observe("R-009", "call", (seen) => {
    if (!failed(seen) || isUnheardOf(String(toolOf(seen)))) return null;
    return seen.status >= 500 ? "error" : null;
  }),
  observe("R-039", "call", ({ status, body }) => {
    if ((status !== 402 && status !== 422) || !isFields(body)) return null;
    return has(body, "execution_id", "result") ? "both" : "without";
  }),
  observe("R-041", "call", ({ exchange: { request }, status }) => {
    const mode = request.headers["x-service-cache-mode"];
    if (mode === undefined || ["default", "bypass"].includes(mode)) return null;
    return status === 200 ? "two_values" : status === 400 || status === 422 ? "other" : null;
  }),
  observe("R-048", "call", (seen) => {
    const inBody = seen.sent["tool_id"] ?? toolOf(seen);
    if (!isUnheardOf(String(toolOf(seen))) || inBody !== toolOf(seen)) return null;
    return seen.status === 200 ? "200" : seen.status === 404 ? "404" : seen.status === 422 ? "422" : null;
  }),
  observe("R-049", "call", ({ query, sent, status }) => {
    const inQuery = query.get("tool_id");
    if (inQuery === null || typeof sent["tool_id"] !== "string" || inQuery === sent["tool_id"]) return null;
    return status === 422 ? "refused" : status === 200 ? "one_wins" : null;
  }),
  observe("R-051", "call", ({ status, body }) => {
    const [seconds, milliseconds] = [memberOf(body, "execution_time"), memberOf(body, "elapsed_time_ms")];
    if (status !== 200 || typeof seconds !== "number" || typeof milliseconds !== "number") return null;
    return Math.abs(seconds * 1000 - milliseconds) <= roundingMs ? "same" : "own";
  }),
];
