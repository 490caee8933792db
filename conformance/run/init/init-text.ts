import { schemaAddress } from "../../../base/described.ts";
import {
  limitedOperations,
  operations,
  toolRoles,
  type LimitedOperation,
} from "../../../generated/contract.ts";
import type { Feature, Profile, Role, Use } from "../../server/profile.ts";
import type { features } from "../../server/profile-schema.ts";

/** What the suite learned about a server by querying it. */
export interface Findings {
  /** Whether a trial account could be registered. */
  trial: boolean;
  tools: Profile["tools"];
  capabilities: Profile["capabilities"];
  /** The quotas named by the rate-limit headers. */
  quotas: Partial<Record<LimitedOperation, number>>;
  /** Features whose operation answered like an unknown address, with the request that was sent. */
  absent: Partial<Record<Feature, string>>;
}

const credentialLines: readonly [sentence: string, setting: string][] = [
  ["An account with credits; many checks want it to own a thousand.", "account: KEY"],
  ["A second account, to show that neither sees what is the other's.", "other_account: KEY"],
  [
    "Another key of `account`, to show that limits and history belong to the account.",
    "second_key_of_account: KEY",
  ],
  ["Keys of further accounts, so that checks can run side by side.", "pool: [KEY, KEY]"],
  [
    "An unused account with ledger and usage rows of every kind: it shows what filters select.",
    "every_kind: KEY",
  ],
  ["An account without credits.", "exhausted: KEY"],
  ["A key of a trial account after its 7 days.", "expired_trial: KEY"],
  ["A key that was valid once and is no longer.", "revoked: KEY"],
  ["A signed token that opens the account endpoints.", "jwt: TOKEN"],
  ["Such a token after its time.", "expired_jwt: TOKEN"],
  [
    "A delegation token of this account, and the run and provider that it is bound to.",
    "delegation: { token: TOKEN, run_id: RUN_ID, provider_id: PROVIDER_ID }",
  ],
];

const featureSentences: Record<(typeof features)[number], string> = {
  trial: "Anonymous trial accounts.",
  claim: "Binding an e-mail to a trial account.",
  capabilities: "Capability query and detail.",
  delegation: "Delegation tokens.",
  jwt: "Signed tokens in addition to API keys.",
  rate_limits: "Rate limits and their headers.",
  truncation: "Truncated results with a download URL.",
  projection: "`respond_with` on Call.",
  exports: "CSV exports of usage and ledger.",
  feeds: "The usage summary feed.",
  readiness: "Ledger readiness.",
  settlement_history: "Settlement history.",
  usage: "The usage audit, as a whole.",
  ledger: "The credits ledger, as a whole.",
  chinese: "Discover in Chinese.",
};

/**
 * A profile as YAML: known settings are filled in, all others are commented out, each under a sentence that explains
 * it.
 */
export function profileText(baseUrl: string, findings: Findings): string {
  const { trial, tools, capabilities, quotas, absent } = findings;
  const lines = [
    `# yaml-language-server: $schema=${schemaAddress("profile")}`,
    "# What the conformance suite knows of this server. A line `#name: value` is a setting that is switched off: take",
    "# the `#` away and fill it in. Every setting that is given lets more clauses be verified.",
    "",
    "# Ends in /api/v1.",
    `base_url: ${quoted(baseUrl)}`,
    "",
    trial
      ? "# The server registers trial accounts, which the suite does by itself; they own 50 credits each."
      : "# No trial account could be registered, so the suite has no account of its own: give at least one.",
    "# Keep the keys of production out of here; whatever they own may be spent.",
    ...section(
      "credentials",
      credentialLines.map(([sentence, setting]) => off(sentence, setting)),
    ),
    "",
    "# A tool for each role, as an id or as `{ id: ID, parameters: { … } }`. Without parameters, the suite builds some",
    "# from the tool's own contract. How a provider fails was found by one Call of each tool: keep what it always does.",
    ...section(
      "tools",
      (Object.entries(toolRoles) as [Role, string][]).map(([role, sentence]) =>
        named(sentence, role, tools[role], `${role}: TOOL_ID`),
      ),
    ),
    "",
    "# Capabilities cannot be searched for; those that are named here are on the routing cards of Discover.",
    ...section("capabilities", capabilityLines(capabilities)),
    "",
    "# Where the codes that the server mails can be read, one of three: `smtp_listen`, the suite listens for mail itself;",
    "# `directory`, a folder into which the server writes its mails; `command`, a program that prints them.",
    "#mailbox: { smtp_listen: 127.0.0.1:2525 }",
    "",
    '# How to set the server\'s clock ahead, one of two: `url`, an address that takes {"seconds": N} by POST; `command`, a',
    "# program that takes the seconds as its last argument. Without it, what only days show is not judged.",
    "#clock: { url: http://127.0.0.1:8080/-/clock }",
    "",
    ...section("object_storage", [
      off("The certificate authority of the download URLs, where it is not a public one.", "ca: ca.pem"),
    ]),
    "",
    ...section("emails", [
      off("An address that belongs to a formal account already.", "formal: someone@example.com"),
      off("A domain whose addresses the server blocks as a risk.", "blocked_domain: blocked.example"),
    ]),
    "",
    "# The quotas in requests for one window, and the window in seconds; these are the contract's.",
    ...section("limits", limitLines(quotas)),
    "",
    "# Seconds within which a usage or ledger row has appeared; measured if it is not given.",
    "#audit_lag: 5",
    "",
    "# What the server does not have, each with the reason; it is then not judged. Nothing is switched off by itself.",
    ...section(
      "features",
      (Object.entries(featureSentences) as [Feature, string][]).map(([name, sentence]) =>
        off(sentence, `${name}: { off: ${quoted(absent[name] ?? "why the server does not have it")} }`),
      ),
    ),
    "",
    "# Clauses or checks that fail today and are known to: each must fail, so that the list can only shrink.",
    "#known_failures: [CALL-07]",
    "",
  ];
  return lines.join("\n");
}

const capabilityLines = ({ query, detail, legacy }: Profile["capabilities"]): Line[] => [
  named(
    "A capability to query, with parameters that it accepts.",
    "query",
    query,
    "query: { id: CAPABILITY_ID, parameters: {} }",
  ),
  named("A capability to read; it may be the same.", "detail", detail, "detail: CAPABILITY_ID"),
  named("A legacy record, without version and hash.", "legacy", legacy, "legacy: CAPABILITY_ID"),
  off("A capability whose queries time out.", "timeout: { id: CAPABILITY_ID, parameters: {} }"),
  off("A capability whose routing is unavailable.", "unroutable: { id: CAPABILITY_ID, parameters: {} }"),
  off("A capability closed to the delegation token.", "forbidden: { id: CAPABILITY_ID, parameters: {} }"),
];

const limitLines = (quotas: Findings["quotas"]): Line[] => [
  ...limitedOperations.map((name) =>
    quotas[name] === undefined
      ? off(`No header of ${name} named a quota.`, `${name}: ${operations[name].rateLimit.requests}`)
      : on(`Named by the headers of ${name}.`, `${name}: ${quotas[name]}`),
  ),
  off(
    "How long a window is cannot be read from one answer.",
    `window: ${operations.call.rateLimit.windowSeconds}`,
  ),
];

/** One setting under its explanation. */
interface Line {
  sentence: string;
  setting: string;
  given: boolean;
}

const on = (sentence: string, setting: string): Line => ({ sentence, setting, given: true });
const off = (sentence: string, setting: string): Line => ({ sentence, setting, given: false });

/** What is known of a tool or a capability, or the setting to fill in. */
const named = (sentence: string, role: string, use: Use | undefined, setting: string): Line =>
  use === undefined
    ? off(sentence, setting)
    : on(sentence, `${role}: ${JSON.stringify({ id: use.id, parameters: use.parameters })}`);

/** A mapping; an empty one is kept as a place to fill in. */
const section = (name: string, settings: readonly Line[]): string[] => [
  `${name}:`,
  ...settings.flatMap(({ sentence, setting, given }) => [
    `  # ${sentence}`,
    `  ${given ? "" : "#"}${setting}`,
  ]),
];

const quoted = (text: string): string => JSON.stringify(text);
