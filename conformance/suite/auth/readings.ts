import { limitedOperations } from "../../../generated/contract.ts";
import { credentialOf, dataOf, has, observe, type Observer } from "../../judge/observer.ts";

export const observers: readonly Observer[] = [
  observe("R-003", "discover", ({ status, body }) =>
    status !== 401 || !has(body, "search_id") ? null : has(body, "message") ? "both" : "failed_search",
  ),
  observe("R-067", limitedOperations, (seen) => {
    if (credentialOf(seen) !== "delegation") return null;
    return seen.status === 401 ? "capabilities" : seen.status === 200 ? "other" : null;
  }),
  observe("R-081", "verifyToken", (seen) => {
    if (seen.status !== 200 || !has(seen.exchange.request.headers, "authorization")) return null;
    return has(dataOf(seen), "is_valid", "is_expired", "payload") ? "header" : "other";
  }),
  observe("R-082", "verifyToken", (seen) => {
    if (credentialOf(seen) !== "expired_jwt") return null;
    return seen.status === 200 ? "200" : seen.status === 401 ? "401" : null;
  }),
  observe("R-140", ["listUsage", "listLedger"], (seen) => {
    if (credentialOf(seen) !== "jwt") return null;
    return seen.status === 200 ? "all" : seen.status === 401 || seen.status === 403 ? "credits" : null;
  }),
];
