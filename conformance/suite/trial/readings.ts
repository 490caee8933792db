import { dataOf, has, observe, type Observer } from "../../judge/observer.ts";
import { memberOf, type Seen } from "../../judge/seen.ts";

const named =
  (...names: string[]) =>
  (seen: Seen): "reference" | "other" | null => {
    const data = dataOf(seen);
    return data === undefined ? null : has(data, ...names) ? "reference" : "other";
  };

export const observers: readonly Observer[] = [
  observe("R-130", "registerAnonymous", ({ exchange: { request }, status }) => {
    if (request.body !== null && request.body !== "{}") return null;
    return status === 200 ? "optional" : status === 422 ? "required" : null;
  }),
  observe("R-131", "registerAnonymous", named("agent_id", "trial_credits", "expires_at")),
  observe("R-133", "startClaim", (seen) => {
    const data = dataOf(seen);
    if (data === undefined) return null;
    const members =
      memberOf(data, "claim_status") === "blocked" ? ["reason"] : ["email_masked", "code_expires_at"];
    return has(data, "claim_status", ...members) ? "reference" : "other";
  }),
  observe("R-134", "verifyClaim", named("account_id", "account_type", "email")),
  observe("R-136", ["startClaim", "verifyClaim"], ({ sent, status, body }) => {
    if (!["claim_code", "email"].every((name) => typeof sent[name] === "string" && sent[name] !== ""))
      return null;
    if (status === 200) return memberOf(body, "status") === "failure" ? "envelope" : null;
    return status === 422 ? "422" : status >= 400 && status < 500 && status !== 429 ? "other" : null;
  }),
];
