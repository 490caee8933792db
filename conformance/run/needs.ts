import type { OperationId } from "../../generated/contract.ts";
import type { Need } from "./check.ts";
import type { Profile } from "../server/profile.ts";
import type { AccountLeases } from "../server/account-leases.ts";

/** The operation that makes use of what a need names; null where none or several do. */
export function operationOf(need: Need): OperationId | null {
  switch (need) {
    case "capability.query":
    case "capability.timeout":
    case "capability.unroutable":
      return "queryCapability";
    case "capability.detail":
      return "getCapability";
    case "mailbox":
      return "startClaim";
    default:
      return null;
  }
}

/** The part of a need that is missing, with the profile line that supplies it; null when the need is met. */
export function lacks(
  need: Need,
  profile: Profile,
  leases: AccountLeases,
): { reason: string; remedy: string } | null {
  const { credentials, emails } = profile;
  const missing = (there: unknown, what: string, remedy: string) =>
    there === undefined ? { reason: `${what} is not given`, remedy } : null;
  if (need.startsWith("tool.")) {
    const role = need.slice("tool.".length) as keyof Profile["tools"];
    return missing(profile.tools[role], `a tool of the role ${role}`, `tools: {${role}: TOOL_ID}`);
  }
  if (need.startsWith("capability.")) {
    const name = need.slice("capability.".length) as keyof Profile["capabilities"];
    return missing(
      profile.capabilities[name],
      `a capability (${name})`,
      `capabilities: {${name}: CAPABILITY_ID}`,
    );
  }
  switch (need) {
    case "other_account":
      return leases.several
        ? null
        : { reason: "a second account is not given", remedy: "credentials: {other_account: KEY}" };
    case "second_key":
      return missing(
        credentials.account && credentials.second_key_of_account,
        "a second key of the account",
        "credentials: {account: KEY, second_key_of_account: KEY}",
      );
    case "mailbox":
      return missing(profile.mailbox, "a mailbox", "mailbox: {smtp_listen: HOST:PORT}");
    case "formal_email":
      return missing(emails.formal, "the e-mail of a formal account", "emails: {formal: ADDRESS}");
    case "blocked_domain":
      return missing(emails.blocked_domain, "a blocked e-mail domain", "emails: {blocked_domain: DOMAIN}");
    case "time":
      return missing(profile.clock, "a clock to set ahead", "clock: {url: ADDRESS}");
    case "object_storage":
      // Only a download shows whether its certificate is a public one.
      return null;
    default:
      return missing(
        credentials[need as keyof Profile["credentials"]],
        `a credential (${need})`,
        need === "delegation"
          ? "credentials: {delegation: {token: TOKEN, run_id: ID, provider_id: ID}}"
          : `credentials: {${need}: KEY}`,
      );
  }
}
