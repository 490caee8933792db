import type { ReasonCode } from "../../generated/contract.ts";
import type { Exchange } from "../judge/exchange.ts";
import { usageEventsOf } from "../judge/rows.ts";
import { memberOf, seenOf, type Seen } from "../judge/seen.ts";
import type { Profile, Role } from "./profile.ts";

/** The reason code with which a Call of a role's tool ends. */
export const reasonOf = {
  empty_result: "result.empty",
  partial_success: "result.partial_success",
  provider_error: "provider.error",
  provider_http_error: "provider.http_error",
  provider_rate_limited: "provider.rate_limited",
  provider_auth: "provider.auth_or_permission",
  timeout: "transport.timeout",
  no_response: "transport.no_response",
  execution_failed: "transport.execution_failed",
  unavailable: "tool_unavailable",
  region_restricted: "region_restricted",
  oauth_required: "oauth_signin_required",
} as const satisfies Partial<Record<Role, ReasonCode>>;

/** How the Call of a tool ended when the suite tried it. */
export interface Ending {
  success: unknown;
  reasonCode: unknown;
  chargeOutcome: unknown;
}

/** The endings by which the suite found roles: it is not promised that the tools end so again. */
export type Endings = Partial<Record<Role, Ending>>;

/**
 * The first of the roles whose tool, in these exchanges, ended otherwise than when it was tried: the server is then not
 * bound to what a check of the role expects.
 */
export const endedOtherwise = (
  roles: readonly Role[],
  endings: Endings,
  tools: Profile["tools"],
  exchanges: readonly Exchange[],
): Role | undefined => {
  const seen = exchanges.map((exchange) => seenOf(exchange)).filter((answer) => answer !== null);
  return roles.find((role) => {
    const [ending, use] = [endings[role], tools[role]];
    return ending && use && seen.some((answer) => differs(answer, use.id, ending));
  });
};

function differs(seen: Seen, id: string, { success, reasonCode, chargeOutcome }: Ending): boolean {
  if (seen.operation === "call" && seen.status === 200) {
    return seen.sent["tool_id"] === id && memberOf(seen.body, "success") !== success;
  }
  // The list, with which the tool was tried: another read that differs from it is a fault.
  if (seen.operation !== "listUsage") return false;
  return usageEventsOf(seen).some(
    (event) =>
      event["tool_id"] === id &&
      event["event_type"] === "tool_execute" &&
      (event["reason_code"] !== reasonCode || event["charge_outcome"] !== chargeOutcome),
  );
}
