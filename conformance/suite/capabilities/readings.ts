import { operations } from "../../../generated/contract.ts";
import { credentialOf, has, observe, type Observer } from "../../judge/observer.ts";
import { memberOf } from "../../judge/seen.ts";
import { isUnheardOf } from "../../server/unheard-of.ts";

const queryBody = operations.queryCapability.body;

export const observers: readonly Observer[] = [
  observe("R-060", "queryCapability", ({ sent, status }) => {
    if (Object.keys(sent).every((name) => name in queryBody)) return null;
    return status === 200 ? "lenient" : status === 422 ? "strict" : null;
  }),
  observe("R-061", "queryCapability", ({ sent: { max_credits: most }, status, body }) => {
    if (typeof most !== "number" || most > 0 || (status !== 200 && status !== 422)) return null;
    return Array.isArray(memberOf(body, "detail")) ? "refused" : "no_candidate";
  }),
  observe("R-063", ["getCapability", "queryCapability"], ({ exchange: { request }, sent, status }) => {
    const inPath = request.url.split("?")[0]!.split("/").at(-1)!;
    if (status < 400 || !isUnheardOf(String(sent["capability_id"] ?? inPath))) return null;
    return status === 404 ? "404" : status === 422 || status === 400 ? "other" : null;
  }),
  observe("R-064", "getCapability", (seen) => {
    if (credentialOf(seen) !== "delegation" || seen.query.has("run_id")) return null;
    return seen.status === 403 ? "403" : seen.status === 422 ? "422" : null;
  }),
  observe("R-065", "queryCapability", ({ sent, status, body }) => {
    if (status !== 422 || typeof sent["max_credits"] !== "number" || sent["max_credits"] <= 0) return null;
    if (Array.isArray(memberOf(body, "detail"))) return null;
    return has(body, "error") || has(body, "message") ? "error_object" : "other";
  }),
  observe("R-066", "queryCapability", ({ status, body }) =>
    status === 408 || status === 500
      ? "by_cause"
      : status === 200 && memberOf(body, "success") === false
        ? "body"
        : null,
  ),
];
