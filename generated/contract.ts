// Written by `npm run generate` from spec/. Do not edit.

import { fact } from "../base/pinned.ts";
import type { ClauseId } from "./clauses.ts";

/** The version of the contract. */
export const contractVersion = fact("contractVersion", "2026-09-12.1");

/** The path prefix that every base URL ends in. */
export const basePath = fact("basePath", "/api/v1");

/** Days that an anonymous trial is valid. */
export const trialDays = fact("trialDays", 7);

/** Credits that an anonymous trial begins with. */
export const trialCredits = fact("trialCredits", 50);

/** Digits of the code that is mailed when a claim starts. */
export const claimCodeDigits = fact("claimCodeDigits", 6);

/** The status_code of an invalid audit or ledger query. */
export const invalidQueryCode = fact("invalidQueryCode", -7);

/** The largest `limit` of the usage and ledger lists; a larger one is clamped or refused. */
export const largestSample = fact("largestSample", 50);

/** Samples of a summary whose request names no `limit`. */
export const defaultSample = fact("defaultSample", 10);

/** Length of a summary's window, up to now, when the request names neither date. */
export const summaryWindowHours = fact("summaryWindowHours", 24);

/** The longest window whose buckets are hours unless the request names a bucket; those of longer windows are days. */
export const hourBucketDays = fact("hourBucketDays", 3);

/** Characters of a `schema_hash`. */
export const schemaHashCharacters = fact("schemaHashCharacters", 64);

/** The names of the response headers. */
export const responseHeaders = fact("responseHeaders", {
  apiVersion: "X-Service-Api-Version",
  rateLimitLimit: "X-RateLimit-Limit",
  rateLimitRemaining: "X-RateLimit-Remaining",
  rateLimitReset: "X-RateLimit-Reset",
  retryAfter: "Retry-After",
} as const);

/** An irregularity of an event: a failed request that was charged, a settled amount without a ledger entry, or no billing snapshot. */
export const anomalies = fact("anomalies", ["failed_charged_review", "missing_ledger_link", "missing_billing_snapshot"] as const);
export type Anomaly = (typeof anomalies)[number];

/** Width of the buckets of a summary. */
export const buckets = fact("buckets", ["hour", "day", "week"] as const);
export type Bucket = (typeof buckets)[number];

/** Final charge classification. `charged`: effective success, amount above zero. `included`: effective success, amount zero. `failed_not_charged`: no effective success, amount zero. `failed_charged_review`: no effective success, amount above zero, a case for support. */
export const chargeOutcomes = fact("chargeOutcomes", ["charged", "included", "failed_not_charged", "failed_charged_review"] as const);
export type ChargeOutcome = (typeof chargeOutcomes)[number];

/** What each of the words of ChargeOutcome means. */
export const chargeOutcomeMeanings = fact("chargeOutcomeMeanings", {
  charged: { effectiveSuccess: true, positiveAmount: true },
  included: { effectiveSuccess: true, positiveAmount: false },
  failed_not_charged: { effectiveSuccess: false, positiveAmount: false },
  failed_charged_review: { effectiveSuccess: false, positiveAmount: true },
} as const satisfies Record<ChargeOutcome, object>);

/** Which movements: consume (negative), grant (positive) or any. Any other value is answered with 400 and status_code -7. */
export const directions = fact("directions", ["consume", "grant", "any"] as const);
export type Direction = (typeof directions)[number];

/** Shape of the capabilities that Discover returns. */
export const discoverViews = fact("discoverViews", ["routing", "full"] as const);
export type DiscoverView = (typeof discoverViews)[number];

/** Immutable ledger event type. `consume_tool_search` occurs only where a deployment charges Discover. */
export const entryTypes = fact("entryTypes", [
  "grant_payment_recharge",
  "grant_welcome_bonus",
  "grant_invitation_reward",
  "consume_tool_search",
  "consume_tool_execute",
  "consume_model_call",
  "consume_payment_refund",
] as const);
export type EntryType = (typeof entryTypes)[number];

/** Whether the request was carried out. */
export const envelopeStatuses = fact("envelopeStatuses", ["success", "failure"] as const);
export type EnvelopeStatus = (typeof envelopeStatuses)[number];

/** What was requested: `search` (Discover), `search_by_ids` (Inspect), `tool_execute` or `capabilities_query` (Call), `model_call` (model usage). */
export const eventTypes = fact("eventTypes", ["search", "search_by_ids", "tool_execute", "capabilities_query", "model_call"] as const);
export type EventType = (typeof eventTypes)[number];

/** Shape of the capabilities that Inspect returns. */
export const inspectViews = fact("inspectViews", ["lean", "full"] as const);
export type InspectView = (typeof inspectViews)[number];

/** Language of texts. */
export const languages = fact("languages", ["zh", "en"] as const);
export type Language = (typeof languages)[number];

/** A preset group of entry types. */
export const ledgerScopes = fact("ledgerScopes", ["account_history"] as const);
export type LedgerScope = (typeof ledgerScopes)[number];

/** What each of the words of LedgerScope stands for, in words of EntryType. */
export const ledgerScopeEntryTypes = fact("ledgerScopeEntryTypes", {
  account_history: ["grant_payment_recharge", "consume_tool_search", "consume_tool_execute", "consume_model_call"],
} as const satisfies Record<LedgerScope, readonly EntryType[]>);

/** How much a Probe may ask upstream. No value executes anything there. */
export const liveBudgets = fact("liveBudgets", ["none", "metadata", "sampled"] as const);
export type LiveBudget = (typeof liveBudgets)[number];

/** What a Probe can find out. */
export const probeChecks = fact("probeChecks", ["schema", "quote", "coverage", "sample"] as const);
export type ProbeCheck = (typeof probeChecks)[number];

/** Normalized outcome reason, stable for automation. `x-members` names its typical charge outcomes. */
export const reasonCodes = fact("reasonCodes", [
  "result.valid",
  "result.partial_success",
  "result.empty",
  "provider.error",
  "provider.http_error",
  "provider.rate_limited",
  "provider.auth_or_permission",
  "transport.timeout",
  "transport.no_response",
  "transport.execution_failed",
  "validation_error",
  "tool_unavailable",
  "region_restricted",
  "oauth_signin_required",
] as const);
export type ReasonCode = (typeof reasonCodes)[number];

/** What each of the words of ReasonCode stands for, in words of ChargeOutcome. */
export const reasonCodeChargeOutcomes = fact("reasonCodeChargeOutcomes", {
  "result.valid": ["charged", "included"],
  "result.partial_success": ["charged", "included", "failed_not_charged"],
  "result.empty": ["failed_not_charged"],
  "provider.error": ["failed_not_charged"],
  "provider.http_error": ["failed_not_charged"],
  "provider.rate_limited": ["failed_not_charged"],
  "provider.auth_or_permission": ["failed_not_charged"],
  "transport.timeout": ["failed_not_charged"],
  "transport.no_response": ["failed_not_charged"],
  "transport.execution_failed": ["failed_not_charged"],
  validation_error: ["failed_not_charged"],
  tool_unavailable: ["failed_not_charged"],
  region_restricted: ["failed_not_charged"],
  oauth_signin_required: ["failed_not_charged"],
} as const satisfies Record<ReasonCode, readonly ChargeOutcome[]>);

/** A group of event types. */
export const usageKinds = fact("usageKinds", ["discover", "call", "model"] as const);
export type UsageKind = (typeof usageKinds)[number];

/** What each of the words of UsageKind stands for, in words of EventType. */
export const usageKindEventTypes = fact("usageKindEventTypes", {
  discover: ["search", "search_by_ids"],
  call: ["tool_execute", "capabilities_query"],
  model: ["model_call"],
} as const satisfies Record<UsageKind, readonly EventType[]>);

/** The roles that a profile gives to tools, each with what a tool of the role does. */
export const toolRoles = fact("toolRoles", {
  charged: "A tool that costs credits, two at most.",
  charged_decimal: "A tool whose price is not a whole number of credits, and at most two.",
  included: "A tool that costs nothing.",
  discounted: "A tool with a price of which settlement takes something off, and leaves something.",
  policy_exempt: "A tool with a price whose calls are exempt from charge by policy.",
  provider_error: "A tool whose provider answers with an error of its own.",
  provider_http_error: "A tool whose provider answers with an HTTP error.",
  provider_rate_limited: "A tool whose provider refuses because of its rate limit.",
  provider_auth: "A tool whose provider refuses the credential or the permission.",
  empty_result: "A tool whose provider finds nothing.",
  partial_success: "A tool whose provider delivers only a part.",
  timeout: "A tool whose provider takes too long.",
  no_response: "A tool whose provider closes the connection without a response.",
  execution_failed: "A tool that fails while it is executed.",
  unavailable: "A tool that is listed and cannot be called at present.",
  region_restricted: "A tool that is not offered in the account's region.",
  oauth_required: "A tool that needs an OAuth sign-in first.",
  large_result: "A tool whose result is larger than 20480 bytes.",
  required_parameter: "A tool with a required parameter of a plain type; one of the tools above, where it has one.",
  one_of: "A tool with a one-of group among its parameters.",
  enum: "A tool with an enum among its parameters.",
  zero_parameter: "A tool with an empty parameter contract.",
  expensive: "A tool that costs more than a trial account owns.",
  slow: "A tool that takes a second or more.",
  failed_charged: "A tool whose failed calls are charged and put up for review.",
} as const);
export type ToolRole = keyof typeof toolRoles;

/** The roles that a profile gives to capabilities. */
export const capabilityRoles = fact("capabilityRoles", {
  query: "A capability that can be queried.",
  detail: "A capability whose published contract can be read.",
  legacy: "A capability without contract_version and schema_hash.",
  timeout: "A capability whose queries time out.",
  unroutable: "A capability whose routing is unavailable.",
  forbidden: "A capability of another provider than the delegation token names.",
} as const);
export type CapabilityRole = keyof typeof capabilityRoles;

/** What else a clause or a check may need from a profile. */
export const otherNeeds = fact("otherNeeds", {
  other_account: "A second account.",
  second_key: "Another key of the account.",
  every_kind:
    "An account, used by nobody else, whose ledger holds every entry type and whose events hold every type, charge outcome and anomaly, as far as the server has them.",
  exhausted: "An account without credits.",
  expired_trial: "A key of a trial account whose days are over.",
  revoked: "A key that was valid once.",
  jwt: "A signed token that opens the account endpoints.",
  expired_jwt: "A signed token whose time is over.",
  delegation: "A delegation token, with the run and the provider that it is bound to.",
  mailbox: "A place where the mail of a claim arrives.",
  formal_email: "The e-mail address of a formal account.",
  blocked_domain: "A mail domain that the risk check blocks.",
  object_storage: "Access to the storage that full results are downloaded from.",
  time: "A clock of the server that can be set ahead.",
} as const);

/** The needs as a clause or a check names them. */
export const needNames = [
  "tool.charged",
  "tool.charged_decimal",
  "tool.included",
  "tool.discounted",
  "tool.policy_exempt",
  "tool.provider_error",
  "tool.provider_http_error",
  "tool.provider_rate_limited",
  "tool.provider_auth",
  "tool.empty_result",
  "tool.partial_success",
  "tool.timeout",
  "tool.no_response",
  "tool.execution_failed",
  "tool.unavailable",
  "tool.region_restricted",
  "tool.oauth_required",
  "tool.large_result",
  "tool.required_parameter",
  "tool.one_of",
  "tool.enum",
  "tool.zero_parameter",
  "tool.expensive",
  "tool.slow",
  "tool.failed_charged",
  "capability.query",
  "capability.detail",
  "capability.legacy",
  "capability.timeout",
  "capability.unroutable",
  "capability.forbidden",
  "other_account",
  "second_key",
  "every_kind",
  "exhausted",
  "expired_trial",
  "revoked",
  "jwt",
  "expired_jwt",
  "delegation",
  "mailbox",
  "formal_email",
  "blocked_domain",
  "object_storage",
  "time",
] as const;
export type Need = (typeof needNames)[number];

export type JsonType = "string" | "number" | "integer" | "boolean" | "object" | "array" | "null";
export type JsonScalar = string | number | boolean | null;

/** A parameter of a request, or a field of its body. */
export interface Parameter {
  readonly types: readonly JsonType[];
  readonly required: boolean;
  /** The contract does not name it: only the reference takes it. */
  readonly open?: true;
  readonly const?: JsonScalar;
  readonly enum?: readonly JsonScalar[];
  readonly default?: JsonScalar;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly pattern?: string;
  readonly format?: string;
  /** What it takes, where any other value is answered with 400 and not by the schema. */
  readonly values?: readonly string[];
  readonly items?: Omit<Parameter, "required">;
}

/** An operation of the contract. */
export interface Operation {
  readonly method: "GET" | "POST";
  /** Below the base URL; `{name}` stands for a path parameter. */
  readonly path: string;
  readonly needsCredential: boolean;
  /** The body of a success. */
  readonly answer: "envelope" | "object" | "csv";
  /** The default quota of an account; null where the contract names none. */
  readonly rateLimit: { readonly requests: number; readonly windowSeconds: number } | null;
  /** The type of the usage event that it leaves. */
  readonly eventType: EventType | null;
  /** What a request changes; null where it costs nothing and leaves no more than a usage event. */
  readonly changes: "credits" | "accounts" | null;
  readonly pathParameters: Readonly<Record<string, Parameter>>;
  readonly query: Readonly<Record<string, Parameter>>;
  readonly headers: Readonly<Record<string, Parameter>>;
  readonly body: Readonly<Record<string, Parameter>>;
}

/** Every operation, in the order of the contract. */
export const operations = fact("operations", {
  discover: {
    method: "POST",
    path: "/search",
    needsCredential: true,
    answer: "object",
    rateLimit: {
      requests: 120,
      windowSeconds: 60,
    },
    eventType: "search",
    changes: null,
    pathParameters: {},
    query: {},
    headers: {
      "Accept-Language": { types: ["string"], required: false },
    },
    body: {
      query: { types: ["string"], required: true },
      limit: { types: ["integer"], required: false, default: 20, minimum: 1, maximum: 100 },
      session_id: { types: ["string", "null"], required: false },
      view: { types: ["string"], required: false, enum: discoverViews, default: "full" },
      lang: { types: ["string"], required: false, enum: languages },
    },
  },
  inspect: {
    method: "POST",
    path: "/tools/by-ids",
    needsCredential: true,
    answer: "object",
    rateLimit: {
      requests: 120,
      windowSeconds: 60,
    },
    eventType: "search_by_ids",
    changes: null,
    pathParameters: {},
    query: {},
    headers: {},
    body: {
      tool_ids: { types: ["array"], required: true, items: { types: ["string"] } },
      search_id: { types: ["string", "null"], required: false },
      session_id: { types: ["string", "null"], required: false },
      view: { types: ["string"], required: false, enum: inspectViews, default: "full" },
    },
  },
  probe: {
    method: "POST",
    path: "/tools/probe",
    needsCredential: true,
    answer: "object",
    rateLimit: {
      requests: 120,
      windowSeconds: 60,
    },
    eventType: null,
    changes: null,
    pathParameters: {},
    query: {
      tool_id: { types: ["string"], required: true },
    },
    headers: {},
    body: {
      parameters: { types: ["object"], required: false },
      checks: { types: ["array"], required: false, items: { types: ["string"], enum: probeChecks } },
      live_budget: { types: ["string"], required: false, enum: liveBudgets },
    },
  },
  call: {
    method: "POST",
    path: "/tools/execute",
    needsCredential: true,
    answer: "object",
    rateLimit: {
      requests: 200,
      windowSeconds: 60,
    },
    eventType: "tool_execute",
    changes: "credits",
    pathParameters: {},
    query: {
      tool_id: { types: ["string"], required: false },
    },
    headers: {
      "X-Service-Cache-Mode": { types: ["string"], required: false },
    },
    body: {
      tool_id: { types: ["string"], required: false },
      search_id: { types: ["string", "null"], required: false },
      session_id: { types: ["string", "null"], required: false },
      model: { types: ["string"], required: false, minLength: 1, maxLength: 128, pattern: "^[^\\s\\u0000-\\u001f\\u007f-\\u009f]+$" },
      parameters: { types: ["object"], required: true },
      max_response_size: { types: ["integer"], required: false, default: 20480 },
      respond_with: { types: ["string"], required: false, default: "full", pattern: "^(full|summary|fields:[\\s\\S]*[^\\s,][\\s\\S]*)$" },
    },
  },
  queryCapability: {
    method: "POST",
    path: "/capabilities/query",
    needsCredential: true,
    answer: "object",
    rateLimit: null,
    eventType: "capabilities_query",
    changes: "credits",
    pathParameters: {},
    query: {},
    headers: {},
    body: {
      capability_id: { types: ["string"], required: true },
      parameters: { types: ["object"], required: false },
      max_credits: { types: ["number"], required: false },
      run_id: { types: ["string"], required: false, open: true },
      provider_id: { types: ["string"], required: false, open: true },
      session_id: { types: ["string", "null"], required: false, open: true },
      search_id: { types: ["string", "null"], required: false, open: true },
    },
  },
  getCapability: {
    method: "GET",
    path: "/capabilities/{capability_id}",
    needsCredential: true,
    answer: "object",
    rateLimit: null,
    eventType: null,
    changes: null,
    pathParameters: {
      capability_id: { types: ["string"], required: true, pattern: "\\S" },
    },
    query: {
      run_id: { types: ["string"], required: false },
      provider_id: { types: ["string"], required: false },
    },
    headers: {},
    body: {},
  },
  registerAnonymous: {
    method: "POST",
    path: "/agent/anonymous-register",
    needsCredential: false,
    answer: "envelope",
    rateLimit: null,
    eventType: null,
    changes: "accounts",
    pathParameters: {},
    query: {},
    headers: {},
    body: {
      agent_name: { types: ["string"], required: false },
    },
  },
  startClaim: {
    method: "POST",
    path: "/agent/claim",
    needsCredential: false,
    answer: "envelope",
    rateLimit: null,
    eventType: null,
    changes: "accounts",
    pathParameters: {},
    query: {},
    headers: {},
    body: {
      claim_code: { types: ["string"], required: true },
      email: { types: ["string"], required: true, format: "email" },
    },
  },
  verifyClaim: {
    method: "POST",
    path: "/agent/claim-verify",
    needsCredential: false,
    answer: "envelope",
    rateLimit: null,
    eventType: null,
    changes: "accounts",
    pathParameters: {},
    query: {},
    headers: {},
    body: {
      claim_code: { types: ["string"], required: true },
      email: { types: ["string"], required: true },
      code: { types: ["string"], required: true, pattern: "^[0-9]{6}$" },
    },
  },
  getCredits: {
    method: "GET",
    path: "/auth/credits",
    needsCredential: true,
    answer: "envelope",
    rateLimit: null,
    eventType: null,
    changes: null,
    pathParameters: {},
    query: {},
    headers: {},
    body: {},
  },
  listLedger: {
    method: "GET",
    path: "/auth/credits/ledger",
    needsCredential: true,
    answer: "envelope",
    rateLimit: null,
    eventType: null,
    changes: null,
    pathParameters: {},
    query: {
      start_date: { types: ["string"], required: false, values: ["YYYY-MM-DD", "ISO 8601 datetime"] },
      end_date: { types: ["string"], required: false, values: ["YYYY-MM-DD", "ISO 8601 datetime"] },
      entry_type: { types: ["string"], required: false, enum: entryTypes },
      scope: { types: ["string"], required: false, enum: ledgerScopes },
      direction: { types: ["string"], required: false, default: "any", values: directions },
      min_credits: { types: ["number"], required: false, values: [">= 0"] },
      max_credits: { types: ["number"], required: false, values: [">= 0"] },
      page: { types: ["integer"], required: false, default: 1, minimum: 1 },
      page_size: { types: ["integer"], required: false, default: 50, minimum: 1, maximum: 500 },
      summary: { types: ["boolean"], required: false, default: false },
      bucket: { types: ["string"], required: false, values: buckets },
      limit: { types: ["integer"], required: false, minimum: 1 },
    },
    headers: {},
    body: {},
  },
  exportLedger: {
    method: "GET",
    path: "/auth/credits/ledger/export",
    needsCredential: true,
    answer: "csv",
    rateLimit: null,
    eventType: null,
    changes: null,
    pathParameters: {},
    query: {
      start_date: { types: ["string"], required: false, values: ["YYYY-MM-DD", "ISO 8601 datetime"] },
      end_date: { types: ["string"], required: false, values: ["YYYY-MM-DD", "ISO 8601 datetime"] },
      scope: { types: ["string"], required: false, enum: ledgerScopes, default: "account_history" },
    },
    headers: {},
    body: {},
  },
  getLedgerEntry: {
    method: "GET",
    path: "/auth/credits/ledger/{entry_id}",
    needsCredential: true,
    answer: "envelope",
    rateLimit: null,
    eventType: null,
    changes: null,
    pathParameters: {
      entry_id: { types: ["string"], required: true },
    },
    query: {},
    headers: {},
    body: {},
  },
  getLedgerReadiness: {
    method: "GET",
    path: "/auth/credits/ledger-readiness",
    needsCredential: true,
    answer: "envelope",
    rateLimit: null,
    eventType: null,
    changes: null,
    pathParameters: {},
    query: {
      start_date: { types: ["string"], required: false, values: ["YYYY-MM-DD", "ISO 8601 datetime"] },
      end_date: { types: ["string"], required: false, values: ["YYYY-MM-DD", "ISO 8601 datetime"] },
    },
    headers: {},
    body: {},
  },
  listSettlements: {
    method: "GET",
    path: "/auth/account/settlement-history",
    needsCredential: true,
    answer: "envelope",
    rateLimit: null,
    eventType: null,
    changes: null,
    pathParameters: {},
    query: {
      start_date: { types: ["string"], required: false, values: ["YYYY-MM-DD", "ISO 8601 datetime"] },
      end_date: { types: ["string"], required: false, values: ["YYYY-MM-DD", "ISO 8601 datetime"] },
      scope: { types: ["string"], required: false, enum: ledgerScopes, default: "account_history" },
      cursor: { types: ["string"], required: false },
      page_size: { types: ["integer"], required: false, default: 100, minimum: 1, maximum: 500 },
    },
    headers: {},
    body: {},
  },
  getCreditsSpent: {
    method: "GET",
    path: "/auth/usage/credits-spent",
    needsCredential: true,
    answer: "envelope",
    rateLimit: null,
    eventType: null,
    changes: null,
    pathParameters: {},
    query: {
      start_date: { types: ["string"], required: false, values: ["YYYY-MM-DD", "ISO 8601 datetime"] },
      end_date: { types: ["string"], required: false, values: ["YYYY-MM-DD", "ISO 8601 datetime"] },
      kind: { types: ["string"], required: false, enum: usageKinds },
      charge_outcome: { types: ["string"], required: false, enum: chargeOutcomes },
    },
    headers: {},
    body: {},
  },
  listUsage: {
    method: "GET",
    path: "/auth/usage/history/v2",
    needsCredential: true,
    answer: "envelope",
    rateLimit: null,
    eventType: null,
    changes: null,
    pathParameters: {},
    query: {
      start_date: { types: ["string"], required: false, values: ["YYYY-MM-DD", "ISO 8601 datetime"] },
      end_date: { types: ["string"], required: false, values: ["YYYY-MM-DD", "ISO 8601 datetime"] },
      event_type: { types: ["string"], required: false, enum: eventTypes },
      kind: { types: ["string"], required: false, enum: usageKinds },
      success: { types: ["boolean"], required: false },
      billable_success: { types: ["boolean"], required: false },
      outcome: { types: ["string"], required: false },
      reason_code: { types: ["string"], required: false },
      has_execution_outcome: { types: ["boolean"], required: false },
      charge_outcome: { types: ["string"], required: false, enum: chargeOutcomes },
      anomaly: { types: ["string"], required: false, enum: anomalies },
      search_id: { types: ["string"], required: false },
      execution_id: { types: ["string"], required: false },
      api_key_id: { types: ["string"], required: false, format: "uuid" },
      oauth_client_id: { types: ["string"], required: false, maxLength: 2048 },
      credential_type: { types: ["string"], required: false, maxLength: 32 },
      min_credits: { types: ["number"], required: false, values: [">= 0"] },
      max_credits: { types: ["number"], required: false, values: [">= 0"] },
      page: { types: ["integer"], required: false, default: 1, minimum: 1 },
      page_size: { types: ["integer"], required: false, default: 50, minimum: 1, maximum: 50000 },
      include_details: { types: ["boolean"], required: false, default: false },
      summary: { types: ["boolean"], required: false, default: false },
      bucket: { types: ["string"], required: false, values: buckets },
      limit: { types: ["integer"], required: false, minimum: 1 },
    },
    headers: {},
    body: {},
  },
  exportUsage: {
    method: "GET",
    path: "/auth/usage/history/v2/export",
    needsCredential: true,
    answer: "csv",
    rateLimit: null,
    eventType: null,
    changes: null,
    pathParameters: {},
    query: {
      start_date: { types: ["string"], required: false, values: ["YYYY-MM-DD", "ISO 8601 datetime"] },
      end_date: { types: ["string"], required: false, values: ["YYYY-MM-DD", "ISO 8601 datetime"] },
      event_type: { types: ["string"], required: false, enum: eventTypes },
      kind: { types: ["string"], required: false, enum: usageKinds },
      success: { types: ["boolean"], required: false },
      billable_success: { types: ["boolean"], required: false },
      outcome: { types: ["string"], required: false },
      reason_code: { types: ["string"], required: false },
      has_execution_outcome: { types: ["boolean"], required: false },
      charge_outcome: { types: ["string"], required: false, enum: chargeOutcomes },
      anomaly: { types: ["string"], required: false, enum: anomalies },
      search_id: { types: ["string"], required: false },
      execution_id: { types: ["string"], required: false },
      api_key_id: { types: ["string"], required: false, format: "uuid" },
      oauth_client_id: { types: ["string"], required: false, maxLength: 2048 },
      credential_type: { types: ["string"], required: false, maxLength: 32 },
      min_credits: { types: ["number"], required: false, values: [">= 0"] },
      max_credits: { types: ["number"], required: false, values: [">= 0"] },
    },
    headers: {},
    body: {},
  },
  listUsageFeed: {
    method: "GET",
    path: "/auth/usage/history/v2/summary",
    needsCredential: true,
    answer: "envelope",
    rateLimit: null,
    eventType: null,
    changes: null,
    pathParameters: {},
    query: {
      start_date: { types: ["string"], required: false, values: ["YYYY-MM-DD", "ISO 8601 datetime"] },
      end_date: { types: ["string"], required: false, values: ["YYYY-MM-DD", "ISO 8601 datetime"] },
      event_type: { types: ["string"], required: false, enum: eventTypes },
      kind: { types: ["string"], required: false, enum: usageKinds },
      success: { types: ["boolean"], required: false },
      billable_success: { types: ["boolean"], required: false },
      outcome: { types: ["string"], required: false },
      reason_code: { types: ["string"], required: false },
      has_execution_outcome: { types: ["boolean"], required: false },
      charge_outcome: { types: ["string"], required: false, enum: chargeOutcomes },
      anomaly: { types: ["string"], required: false, enum: anomalies },
      search_id: { types: ["string"], required: false },
      execution_id: { types: ["string"], required: false },
      api_key_id: { types: ["string"], required: false, format: "uuid" },
      oauth_client_id: { types: ["string"], required: false, maxLength: 2048 },
      credential_type: { types: ["string"], required: false, maxLength: 32 },
      min_credits: { types: ["number"], required: false, values: [">= 0"] },
      max_credits: { types: ["number"], required: false, values: [">= 0"] },
      cursor: { types: ["string"], required: false },
      page_size: { types: ["integer"], required: false, default: 100, minimum: 1, maximum: 500 },
    },
    headers: {},
    body: {},
  },
  getUsageEvent: {
    method: "GET",
    path: "/auth/usage/history/v2/{event_id}",
    needsCredential: true,
    answer: "envelope",
    rateLimit: null,
    eventType: null,
    changes: null,
    pathParameters: {
      event_id: { types: ["string"], required: true, format: "uuid" },
    },
    query: {},
    headers: {},
    body: {},
  },
  verifyToken: {
    method: "POST",
    path: "/auth/verify-token",
    needsCredential: true,
    answer: "envelope",
    rateLimit: null,
    eventType: null,
    changes: null,
    pathParameters: {},
    query: {},
    headers: {},
    body: {},
  },
} as const satisfies Readonly<Record<string, Operation>>);
export type OperationId = keyof typeof operations;
export const operationIds = Object.keys(operations) as OperationId[];

/** The operations that the contract puts under a quota. */
export const limitedOperations = fact("limitedOperations", ["discover", "inspect", "probe", "call"] as const);
export type LimitedOperation = (typeof limitedOperations)[number];

/** The operations that need no credential. */
export const openOperations = fact("openOperations", ["registerAnonymous", "startClaim", "verifyClaim"] as const);
export type OpenOperation = (typeof openOperations)[number];

/** The operations whose success body is the envelope. */
export const envelopeOperations = fact("envelopeOperations", [
  "registerAnonymous",
  "startClaim",
  "verifyClaim",
  "getCredits",
  "listLedger",
  "getLedgerEntry",
  "getLedgerReadiness",
  "listSettlements",
  "getCreditsSpent",
  "listUsage",
  "listUsageFeed",
  "getUsageEvent",
  "verifyToken",
] as const);
export type EnvelopeOperation = (typeof envelopeOperations)[number];

/** A value that a condition compares with; an object in the place of a value asks for something else than equality. */
export type Expected = JsonScalar | { readonly not: JsonScalar } | { readonly startsWith: string } | { readonly present: boolean };

/**
 * A condition on an exchange. `request` names fields of the body and query parameters; one that is absent or null has
 * its default. `answer` names fields of the answer by path. A list is equal to what it includes.
 */
export interface Condition {
  readonly request?: Readonly<Record<string, Expected>>;
  readonly answer?: Readonly<Record<string, Expected>>;
}

/** A field that the contract promises in an answer. It is asked for wherever the object that holds it is there. */
export interface AnswerField {
  /** Names with dots between them; `*` is every member of a list. */
  readonly path: string;
  readonly types: readonly JsonType[];
  /** It is never absent. A field that is not required may also be null. */
  readonly required: boolean;
  readonly clauses: readonly ClauseId[];
  /** A check or a written rule judges it: more than the field decides whether the promise is kept. */
  readonly written?: true;
  /** The field is promised where one of these holds; always unless given. */
  readonly when?: readonly Condition[];
  /** The field is required where one of these holds. */
  readonly requiredWhen?: readonly Condition[];
  /** The schema of the spec that describes it. */
  readonly schema?: string;
  readonly const?: JsonScalar;
  readonly enum?: readonly JsonScalar[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly minProperties?: number;
  readonly pattern?: string;
  readonly format?: string;
}

/** The answers that the contract names, by operation and status, with the fields that it promises in each. */
export const answers: Readonly<Record<OperationId, Readonly<Record<number, readonly AnswerField[]>>>> = fact("answers", {
  discover: {
    200: [
      { path: "query", types: ["string"], required: false, clauses: ["DISC-01"], requiredWhen: [{ answer: { error_message: { present: false } } }] },
      { path: "search_id", types: ["string"], required: true, clauses: ["DISC-02"], minLength: 1 },
      { path: "total", types: ["integer"], required: true, clauses: ["DISC-03"], minimum: 0 },
      { path: "results", types: ["array"], required: true, clauses: ["DISC-03"] },
      { path: "results.*.tool_id", types: ["string"], required: true, clauses: ["DISC-08"], when: [{ request: { view: "full" } }], minLength: 1 },
      { path: "results.*.name", types: ["string"], required: true, clauses: ["DISC-10"], when: [{ request: { view: "full" } }] },
      { path: "results.*.description", types: ["string"], required: true, clauses: ["DISC-10"], when: [{ request: { view: "full" } }] },
      { path: "results.*.provider_name", types: ["string"], required: true, clauses: ["DISC-10"], when: [{ request: { view: "full" } }] },
      { path: "results.*.params", types: ["array"], required: false, clauses: ["DISC-11"], when: [{ request: { view: "full" } }] },
      { path: "results.*.params.*.name", types: ["string"], required: false, clauses: ["DISC-12"], when: [{ request: { view: "full" } }] },
      { path: "results.*.params.*.type", types: ["string"], required: false, clauses: ["DISC-12"], when: [{ request: { view: "full" } }] },
      { path: "results.*.params.*.required", types: ["boolean"], required: false, clauses: ["DISC-12"], when: [{ request: { view: "full" } }] },
      { path: "results.*.params.*.description", types: ["string"], required: false, clauses: ["DISC-12"], when: [{ request: { view: "full" } }] },
      { path: "results.*.params.*.enum", types: ["array"], required: false, clauses: ["DISC-12"], when: [{ request: { view: "full" } }] },
      {
        path: "results.*.examples",
        types: ["object"],
        required: false,
        clauses: ["DISC-13"],
        when: [{ request: { view: "full" } }],
        schema: "ParameterExamples",
      },
      { path: "results.*.examples.sample_parameters", types: ["object"], required: false, clauses: ["DISC-13"], when: [{ request: { view: "full" } }] },
      { path: "results.*.expected_cost", types: ["string"], required: false, clauses: ["DISC-14"], when: [{ request: { view: "full" } }] },
      {
        path: "results.*.billing_rule",
        types: ["object"],
        required: false,
        clauses: ["DISC-15"],
        when: [{ request: { view: "full" } }],
        schema: "BillingRule",
      },
      { path: "results.*.billing_rule.unit", types: ["string"], required: false, clauses: ["DISC-15"], when: [{ request: { view: "full" } }] },
      { path: "results.*.billing_rule.amount_credits", types: ["number"], required: false, clauses: ["DISC-15"], when: [{ request: { view: "full" } }] },
      { path: "results.*.stats", types: ["object"], required: false, clauses: ["DISC-16"], when: [{ request: { view: "full" } }], schema: "CapabilityStats" },
      {
        path: "results.*.stats.avg_execution_time_ms",
        types: ["number"],
        required: false,
        clauses: ["DISC-16"],
        when: [{ request: { view: "full" } }],
        minimum: 0,
      },
      {
        path: "results.*.stats.success_rate",
        types: ["number"],
        required: false,
        clauses: ["DISC-17"],
        when: [{ request: { view: "full" } }],
        minimum: 0,
        maximum: 1,
      },
      { path: "results.*.tool_id", types: ["string"], required: true, clauses: ["DISC-32"], when: [{ request: { view: "routing" } }], minLength: 1 },
      {
        path: "results.*.capability",
        types: ["string", "number", "boolean", "object", "array", "null"],
        required: true,
        clauses: ["DISC-32"],
        when: [{ request: { view: "routing" } }],
      },
      {
        path: "results.*.cost_class",
        types: ["string", "number", "boolean", "object", "array", "null"],
        required: true,
        clauses: ["DISC-32"],
        when: [{ request: { view: "routing" } }],
      },
      {
        path: "results.*.reliability",
        types: ["string", "number", "boolean", "object", "array", "null"],
        required: true,
        clauses: ["DISC-32"],
        when: [{ request: { view: "routing" } }],
      },
      {
        path: "results.*.as_of_support",
        types: ["string", "number", "boolean", "object", "array", "null"],
        required: true,
        clauses: ["DISC-32"],
        when: [{ request: { view: "routing" } }],
      },
      {
        path: "elapsed_time_ms",
        types: ["number"],
        required: false,
        clauses: ["DISC-04"],
        requiredWhen: [{ answer: { error_message: { present: false } } }],
        minimum: 0,
      },
      { path: "remaining_credits", types: ["number", "null"], required: true, clauses: ["DISC-05"] },
      { path: "error_message", types: ["string", "null"], required: false, clauses: ["DISC-05"] },
    ],
    401: [
      { path: "search_id", types: ["string"], required: true, clauses: ["DISC-42"], written: true },
      { path: "total", types: ["integer"], required: true, clauses: ["DISC-41"], written: true, const: 0 },
      { path: "results", types: ["array"], required: true, clauses: ["DISC-41"], written: true, maxItems: 0 },
    ],
    422: [],
    429: [
      { path: "status", types: ["string"], required: true, clauses: ["DISC-44"], const: "failure" },
      { path: "message", types: ["string"], required: true, clauses: ["DISC-44"] },
      { path: "status_code", types: ["integer"], required: true, clauses: ["DISC-44"], const: 429 },
      { path: "data", types: ["null"], required: false, clauses: ["DISC-44"] },
    ],
  },
  inspect: {
    200: [
      { path: "search_id", types: ["string"], required: true, clauses: ["INSP-01"] },
      { path: "total", types: ["integer"], required: true, clauses: ["INSP-01"], minimum: 0 },
      { path: "results", types: ["array"], required: true, clauses: ["INSP-01"] },
      { path: "results.*.tool_id", types: ["string"], required: true, clauses: ["INSP-04"], when: [{ request: { view: "full" } }], minLength: 1 },
      { path: "results.*.name", types: ["string"], required: true, clauses: ["INSP-04"], when: [{ request: { view: "full" } }] },
      { path: "results.*.description", types: ["string"], required: true, clauses: ["INSP-04"], when: [{ request: { view: "full" } }] },
      { path: "results.*.provider_name", types: ["string"], required: true, clauses: ["INSP-04"], when: [{ request: { view: "full" } }] },
      { path: "results.*.params", types: ["array"], required: true, clauses: ["INSP-13"], when: [{ request: { view: "full" } }] },
      { path: "results.*.params.*.name", types: ["string"], required: false, clauses: ["INSP-04"], when: [{ request: { view: "full" } }] },
      { path: "results.*.params.*.type", types: ["string"], required: false, clauses: ["INSP-04"], when: [{ request: { view: "full" } }] },
      { path: "results.*.params.*.required", types: ["boolean"], required: false, clauses: ["INSP-04"], when: [{ request: { view: "full" } }] },
      { path: "results.*.params.*.description", types: ["string"], required: false, clauses: ["INSP-04"], when: [{ request: { view: "full" } }] },
      { path: "results.*.params.*.enum", types: ["array"], required: false, clauses: ["INSP-04"], when: [{ request: { view: "full" } }] },
      {
        path: "results.*.examples",
        types: ["object"],
        required: false,
        clauses: ["INSP-04"],
        when: [{ request: { view: "full" } }],
        schema: "ParameterExamples",
      },
      { path: "results.*.examples.sample_parameters", types: ["object"], required: false, clauses: ["INSP-04"], when: [{ request: { view: "full" } }] },
      { path: "results.*.expected_cost", types: ["string"], required: false, clauses: ["INSP-04"], when: [{ request: { view: "full" } }] },
      {
        path: "results.*.billing_rule",
        types: ["object"],
        required: false,
        clauses: ["INSP-04"],
        when: [{ request: { view: "full" } }],
        schema: "BillingRule",
      },
      { path: "results.*.billing_rule.unit", types: ["string"], required: false, clauses: ["INSP-04"], when: [{ request: { view: "full" } }] },
      { path: "results.*.billing_rule.amount_credits", types: ["number"], required: false, clauses: ["INSP-04"], when: [{ request: { view: "full" } }] },
      { path: "results.*.stats", types: ["object"], required: false, clauses: ["INSP-04"], when: [{ request: { view: "full" } }], schema: "CapabilityStats" },
      {
        path: "results.*.stats.avg_execution_time_ms",
        types: ["number"],
        required: false,
        clauses: ["INSP-04"],
        when: [{ request: { view: "full" } }],
        minimum: 0,
      },
      {
        path: "results.*.stats.success_rate",
        types: ["number"],
        required: false,
        clauses: ["INSP-04"],
        when: [{ request: { view: "full" } }],
        minimum: 0,
        maximum: 1,
      },
      { path: "results.*.tool_id", types: ["string"], required: true, clauses: ["INSP-11"], when: [{ request: { view: "lean" } }], minLength: 1 },
      { path: "elapsed_time_ms", types: ["number"], required: false, clauses: ["INSP-02"], minimum: 0 },
      { path: "remaining_credits", types: ["number", "null"], required: true, clauses: ["INSP-03"] },
      { path: "error_message", types: ["string", "null"], required: false, clauses: ["INSP-03"] },
    ],
    401: [],
    422: [],
    429: [
      { path: "status", types: ["string"], required: true, clauses: ["ERRO-03"], written: true, const: "failure" },
      { path: "message", types: ["string"], required: true, clauses: ["ERRO-03"], written: true },
      { path: "status_code", types: ["integer"], required: false, clauses: ["ERRO-03"], written: true },
      { path: "data", types: ["null"], required: false, clauses: ["ERRO-03"], written: true },
    ],
  },
  probe: {
    200: [
      {
        path: "schema",
        types: ["object"],
        required: false,
        clauses: ["PROB-01"],
        requiredWhen: [{ request: { checks: "schema" } }],
        schema: "ProbeSchemaCheck",
      },
      { path: "schema.valid", types: ["boolean"], required: true, clauses: ["PROB-01"] },
      { path: "quote", types: ["object"], required: false, clauses: ["PROB-02"], requiredWhen: [{ request: { checks: "quote" } }], schema: "ProbeQuote" },
      { path: "quote.estimate_credits", types: ["number", "null"], required: false, clauses: ["PROB-03"], minimum: 0 },
      { path: "quote.currency", types: ["string"], required: true, clauses: ["PROB-04"], const: "credits" },
      { path: "quote.exact", types: ["boolean"], required: true, clauses: ["PROB-04"] },
      { path: "quote.basis", types: ["string"], required: true, clauses: ["PROB-04"] },
    ],
    400: [
      { path: "status", types: ["string"], required: true, clauses: ["PROB-18"], const: "failure" },
      { path: "message", types: ["string"], required: true, clauses: ["PROB-18"] },
      { path: "status_code", types: ["integer"], required: false, clauses: ["PROB-18"] },
      { path: "data", types: ["null"], required: false, clauses: ["PROB-18"] },
    ],
    401: [],
    404: [],
    422: [],
    429: [
      { path: "status", types: ["string"], required: true, clauses: ["ERRO-03"], written: true, const: "failure" },
      { path: "message", types: ["string"], required: true, clauses: ["ERRO-03"], written: true },
      { path: "status_code", types: ["integer"], required: false, clauses: ["ERRO-03"], written: true },
      { path: "data", types: ["null"], required: false, clauses: ["ERRO-03"], written: true },
    ],
    502: [],
    504: [],
  },
  call: {
    200: [
      { path: "execution_id", types: ["string"], required: true, clauses: ["CALL-01"], when: [{ answer: { success: true } }], minLength: 1 },
      { path: "success", types: ["boolean"], required: true, clauses: ["CALL-03"], enum: [true, false] },
      { path: "result", types: ["object"], required: true, clauses: ["CALL-04"], when: [{ answer: { success: true } }], schema: "CallResult" },
      {
        path: "result.message",
        types: ["string"],
        required: true,
        clauses: ["RSLT-07"],
        when: [
          {
            request: { respond_with: { not: "summary" } },
            answer: { success: true, "result.truncated_content": { present: true }, "result.data": { present: false } },
          },
          {
            request: { respond_with: { not: "summary" } },
            answer: { success: true, "result.full_content_file_url": { present: true }, "result.data": { present: false } },
          },
        ],
      },
      {
        path: "result.truncated_content",
        types: ["string"],
        required: true,
        clauses: ["RSLT-07"],
        when: [
          {
            request: { respond_with: { not: "summary" } },
            answer: { success: true, "result.truncated_content": { present: true }, "result.data": { present: false } },
          },
          {
            request: { respond_with: { not: "summary" } },
            answer: { success: true, "result.full_content_file_url": { present: true }, "result.data": { present: false } },
          },
        ],
      },
      {
        path: "result.full_content_file_url",
        types: ["string"],
        required: true,
        clauses: ["RSLT-10"],
        when: [
          {
            request: { respond_with: { not: "summary" } },
            answer: { success: true, "result.truncated_content": { present: true }, "result.data": { present: false } },
          },
          {
            request: { respond_with: { not: "summary" } },
            answer: { success: true, "result.full_content_file_url": { present: true }, "result.data": { present: false } },
          },
        ],
        pattern: "^https://",
        format: "uri",
      },
      {
        path: "result.content_schema",
        types: ["object"],
        required: false,
        clauses: ["RSLT-15"],
        when: [
          {
            request: { respond_with: { not: "summary" } },
            answer: { success: true, "result.truncated_content": { present: true }, "result.data": { present: false } },
          },
          {
            request: { respond_with: { not: "summary" } },
            answer: { success: true, "result.full_content_file_url": { present: true }, "result.data": { present: false } },
          },
        ],
      },
      {
        path: "result.summary",
        types: ["string", "number", "boolean", "object", "array", "null"],
        required: true,
        clauses: ["RSLT-29"],
        when: [{ request: { respond_with: "summary" }, answer: { success: true } }],
      },
      {
        path: "result.content_schema",
        types: ["object"],
        required: false,
        clauses: ["RSLT-34"],
        written: true,
        when: [{ request: { respond_with: "summary" }, answer: { success: true } }],
      },
      {
        path: "result.full_content_file_url",
        types: ["string"],
        required: false,
        clauses: ["RSLT-10"],
        when: [{ request: { respond_with: "summary" }, answer: { success: true } }],
        pattern: "^https://",
        format: "uri",
      },
      { path: "error_message", types: ["string", "null"], required: false, clauses: ["CALL-05"], when: [{ answer: { success: true } }] },
      {
        path: "execution_time",
        types: ["number"],
        required: false,
        clauses: ["CALL-08"],
        when: [{ answer: { success: true } }],
        requiredWhen: [{ request: { respond_with: "full" } }],
        minimum: 0,
      },
      { path: "elapsed_time_ms", types: ["number"], required: false, clauses: ["CALL-09"], when: [{ answer: { success: true } }], minimum: 0 },
      { path: "billing", types: ["object"], required: false, clauses: ["CALL-11"], when: [{ answer: { success: true } }], schema: "BillingStatement" },
      { path: "billing.summary", types: ["string"], required: true, clauses: ["CALL-11"], when: [{ answer: { success: true } }] },
      { path: "billing.list_amount_credits", types: ["number"], required: true, clauses: ["CALL-11"], when: [{ answer: { success: true } }], minimum: 0 },
      {
        path: "cost",
        types: ["number"],
        required: false,
        clauses: ["CALL-12", "RSLT-28"],
        when: [{ answer: { success: true } }],
        requiredWhen: [{ request: { respond_with: "full" } }, { request: { respond_with: "summary" } }],
      },
      {
        path: "remaining_credits",
        types: ["number", "null"],
        required: false,
        clauses: ["CALL-13", "RSLT-28"],
        when: [{ answer: { success: true } }],
        requiredWhen: [{ answer: { success: true } }],
      },
      { path: "execution_id", types: ["string"], required: false, clauses: ["CALL-01"], when: [{ answer: { success: false } }] },
      { path: "error_message", types: ["string"], required: true, clauses: ["CALL-06"], when: [{ answer: { success: false } }] },
      { path: "execution_time", types: ["number"], required: false, clauses: ["CALL-08"], when: [{ answer: { success: false } }], minimum: 0 },
      { path: "elapsed_time_ms", types: ["number"], required: false, clauses: ["CALL-09"], when: [{ answer: { success: false } }], minimum: 0 },
      { path: "billing", types: ["object"], required: false, clauses: ["CALL-11"], when: [{ answer: { success: false } }], schema: "BillingStatement" },
      { path: "billing.summary", types: ["string"], required: true, clauses: ["CALL-11"], when: [{ answer: { success: false } }] },
      { path: "billing.list_amount_credits", types: ["number"], required: true, clauses: ["CALL-11"], when: [{ answer: { success: false } }], minimum: 0 },
      { path: "cost", types: ["number"], required: false, clauses: ["CALL-12"], when: [{ answer: { success: false } }] },
      { path: "remaining_credits", types: ["number", "null"], required: false, clauses: ["CALL-13"], when: [{ answer: { success: false } }] },
    ],
    401: [
      { path: "status", types: ["string"], required: true, clauses: ["CALL-36"], const: "failure" },
      { path: "message", types: ["string"], required: true, clauses: ["CALL-36"] },
      { path: "status_code", types: ["integer"], required: false, clauses: ["CALL-36"] },
      { path: "data", types: ["null"], required: false, clauses: ["CALL-36"] },
    ],
    402: [
      { path: "execution_id", types: ["string"], required: false, clauses: ["CALL-01"] },
      { path: "success", types: ["boolean"], required: true, clauses: ["CALL-38"], const: false },
      { path: "error_message", types: ["string"], required: true, clauses: ["CALL-38"], pattern: "\\S" },
      { path: "execution_time", types: ["number"], required: false, clauses: ["CALL-08"], written: true },
      { path: "elapsed_time_ms", types: ["number"], required: false, clauses: ["CALL-09"], written: true },
      { path: "billing", types: ["object"], required: false, clauses: ["CALL-11"], written: true, schema: "BillingStatement" },
      { path: "billing.summary", types: ["string"], required: true, clauses: ["CALL-11"], written: true },
      { path: "billing.list_amount_credits", types: ["number"], required: true, clauses: ["CALL-11"], written: true, minimum: 0 },
      { path: "cost", types: ["number"], required: false, clauses: ["CALL-12"], written: true },
      { path: "remaining_credits", types: ["number"], required: true, clauses: ["CALL-39"], const: 0 },
    ],
    422: [],
    429: [
      { path: "status", types: ["string"], required: true, clauses: ["ERRO-03"], written: true, const: "failure" },
      { path: "message", types: ["string"], required: true, clauses: ["ERRO-03"], written: true },
      { path: "status_code", types: ["integer"], required: false, clauses: ["ERRO-03"], written: true },
      { path: "data", types: ["null"], required: false, clauses: ["ERRO-03"], written: true },
    ],
  },
  queryCapability: {
    200: [
      { path: "execution_id", types: ["string"], required: true, clauses: ["CAPA-01"], minLength: 1 },
      { path: "capability_id", types: ["string"], required: true, clauses: ["CAPA-01"] },
      { path: "success", types: ["boolean"], required: true, clauses: ["CAPA-01"] },
      { path: "result", types: ["object"], required: true, clauses: ["CAPA-02"], when: [{ answer: { success: true } }] },
      { path: "result.status_code", types: ["integer"], required: true, clauses: ["CAPA-02"], when: [{ answer: { success: true } }] },
      {
        path: "result.data",
        types: ["string", "number", "boolean", "object", "array", "null"],
        required: true,
        clauses: ["CAPA-02"],
        when: [{ answer: { success: true } }],
      },
      { path: "contract_version", types: ["integer"], required: false, clauses: ["CAPA-03"] },
      { path: "schema_hash", types: ["string"], required: false, clauses: ["CAPA-04"], minLength: 64, maxLength: 64 },
      { path: "cost", types: ["number"], required: true, clauses: ["CAPA-05"], minimum: 0 },
      { path: "credits_used", types: ["number"], required: true, clauses: ["CAPA-05"], minimum: 0 },
      { path: "remaining_credits", types: ["number"], required: true, clauses: ["CAPA-05"] },
    ],
    401: [],
    402: [],
    403: [],
    404: [],
    408: [],
    422: [],
    429: [
      { path: "status", types: ["string"], required: true, clauses: ["ERRO-01", "ERRO-02"], written: true, const: "failure" },
      { path: "message", types: ["string"], required: true, clauses: ["ERRO-01", "ERRO-02"], written: true },
      { path: "status_code", types: ["integer"], required: false, clauses: ["ERRO-01", "ERRO-02"], written: true },
      { path: "data", types: ["null"], required: false, clauses: ["ERRO-01", "ERRO-02"], written: true },
    ],
    500: [],
    503: [],
  },
  getCapability: {
    200: [
      { path: "capability_id", types: ["string"], required: true, clauses: ["CAPA-20"] },
      { path: "name", types: ["string"], required: true, clauses: ["CAPA-20"] },
      { path: "description", types: ["string"], required: true, clauses: ["CAPA-20"] },
      { path: "contract_version", types: ["integer"], required: false, clauses: ["CAPA-21"] },
      { path: "schema_hash", types: ["string"], required: false, clauses: ["CAPA-21"], minLength: 1 },
      { path: "remaining_credits", types: ["number"], required: true, clauses: ["CAPA-20"] },
    ],
    401: [],
    402: [],
    403: [],
    404: [],
    408: [],
    422: [],
    429: [
      { path: "status", types: ["string"], required: true, clauses: ["ERRO-01", "ERRO-02"], written: true, const: "failure" },
      { path: "message", types: ["string"], required: true, clauses: ["ERRO-01", "ERRO-02"], written: true },
      { path: "status_code", types: ["integer"], required: false, clauses: ["ERRO-01", "ERRO-02"], written: true },
      { path: "data", types: ["null"], required: false, clauses: ["ERRO-01", "ERRO-02"], written: true },
    ],
    500: [],
    503: [],
  },
  registerAnonymous: {
    200: [
      { path: "message", types: ["string"], required: true, clauses: ["HTTP-05", "HTTP-06"], written: true, when: [{ answer: { status: "success" } }] },
      {
        path: "status_code",
        types: ["integer"],
        required: true,
        clauses: ["HTTP-05", "HTTP-07"],
        written: true,
        when: [{ answer: { status: "success" } }],
        const: 0,
      },
      {
        path: "data",
        types: ["object"],
        required: true,
        clauses: ["HTTP-05", "HTTP-09"],
        written: true,
        when: [{ answer: { status: "success" } }],
        schema: "TrialAccount",
      },
      { path: "data.api_key", types: ["string"], required: true, clauses: ["TRIA-03"], when: [{ answer: { status: "success" } }], minLength: 1 },
      { path: "data.claim_code", types: ["string"], required: true, clauses: ["TRIA-03"], when: [{ answer: { status: "success" } }], minLength: 1 },
    ],
    422: [],
    429: [
      { path: "status", types: ["string"], required: true, clauses: ["TRIA-11"], const: "failure" },
      { path: "message", types: ["string"], required: true, clauses: ["TRIA-11"] },
      { path: "status_code", types: ["integer"], required: true, clauses: ["TRIA-11"], const: 429 },
      { path: "data", types: ["null"], required: false, clauses: ["TRIA-11"] },
    ],
  },
  startClaim: {
    200: [
      { path: "message", types: ["string"], required: true, clauses: ["HTTP-05", "HTTP-06"], written: true, when: [{ answer: { status: "success" } }] },
      {
        path: "status_code",
        types: ["integer"],
        required: true,
        clauses: ["HTTP-05", "HTTP-07"],
        written: true,
        when: [{ answer: { status: "success" } }],
        const: 0,
      },
    ],
    422: [],
    429: [
      { path: "status", types: ["string"], required: true, clauses: ["TRIA-11"], const: "failure" },
      { path: "message", types: ["string"], required: true, clauses: ["TRIA-11"] },
      { path: "status_code", types: ["integer"], required: true, clauses: ["TRIA-11"], const: 429 },
      { path: "data", types: ["null"], required: false, clauses: ["TRIA-11"] },
    ],
  },
  verifyClaim: {
    200: [
      { path: "message", types: ["string"], required: true, clauses: ["HTTP-05", "HTTP-06"], written: true, when: [{ answer: { status: "success" } }] },
      {
        path: "status_code",
        types: ["integer"],
        required: true,
        clauses: ["HTTP-05", "HTTP-07"],
        written: true,
        when: [{ answer: { status: "success" } }],
        const: 0,
      },
    ],
    422: [],
    429: [
      { path: "status", types: ["string"], required: true, clauses: ["TRIA-11"], const: "failure" },
      { path: "message", types: ["string"], required: true, clauses: ["TRIA-11"] },
      { path: "status_code", types: ["integer"], required: true, clauses: ["TRIA-11"], const: 429 },
      { path: "data", types: ["null"], required: false, clauses: ["TRIA-11"] },
    ],
  },
  getCredits: {
    200: [
      { path: "message", types: ["string"], required: true, clauses: ["HTTP-05", "HTTP-06"], written: true, when: [{ answer: { status: "success" } }] },
      {
        path: "status_code",
        types: ["integer"],
        required: true,
        clauses: ["HTTP-05", "HTTP-07"],
        written: true,
        when: [{ answer: { status: "success" } }],
        const: 0,
      },
      {
        path: "data",
        types: ["object"],
        required: true,
        clauses: ["HTTP-05", "HTTP-09"],
        written: true,
        when: [{ answer: { status: "success" } }],
        schema: "Credits",
      },
    ],
    401: [],
  },
  listLedger: {
    200: [
      { path: "message", types: ["string"], required: true, clauses: ["HTTP-05", "HTTP-06"], written: true, when: [{ answer: { status: "success" } }] },
      {
        path: "status_code",
        types: ["integer"],
        required: true,
        clauses: ["HTTP-05", "HTTP-07"],
        written: true,
        when: [{ answer: { status: "success" } }],
        const: 0,
      },
      {
        path: "data",
        types: ["object"],
        required: true,
        clauses: ["HTTP-05", "HTTP-09"],
        written: true,
        when: [{ answer: { status: "success" } }],
        schema: "LedgerList",
      },
      { path: "data.items", types: ["array"], required: true, clauses: ["LEDG-21"], when: [{ answer: { status: "success" } }] },
      { path: "data.items.*.id", types: ["string", "number"], required: true, clauses: ["LEDG-01"], when: [{ answer: { status: "success" } }], minLength: 1 },
      {
        path: "data.items.*.entry_type",
        types: ["string"],
        required: true,
        clauses: ["LEDG-02"],
        when: [{ answer: { status: "success" } }],
        schema: "EntryType",
        enum: entryTypes,
      },
      {
        path: "data.items.*.amount_credits",
        types: ["number"],
        required: true,
        clauses: ["LEDG-04"],
        written: true,
        when: [{ answer: { status: "success" } }],
      },
      { path: "data.items.*.execution_id", types: ["string", "null"], required: false, clauses: ["LEDG-09"], when: [{ answer: { status: "success" } }] },
      {
        path: "data.items.*.balance_before",
        types: ["object", "null"],
        required: false,
        clauses: ["LEDG-12"],
        when: [{ answer: { status: "success" } }],
        schema: "Balance",
      },
      {
        path: "data.items.*.balance_after",
        types: ["object", "null"],
        required: false,
        clauses: ["LEDG-12"],
        when: [{ answer: { status: "success" } }],
        schema: "Balance",
      },
      { path: "data.items.*.description", types: ["string", "null"], required: false, clauses: ["LEDG-09"], when: [{ answer: { status: "success" } }] },
      { path: "data.items.*.created_at", types: ["string", "number"], required: true, clauses: ["LEDG-16"], when: [{ answer: { status: "success" } }] },
      { path: "data.total", types: ["integer"], required: true, clauses: ["LEDG-23"], when: [{ answer: { status: "success" } }], minimum: 0 },
      { path: "data.page", types: ["integer"], required: true, clauses: ["LEDG-21"], when: [{ answer: { status: "success" } }], minimum: 1 },
      { path: "data.page_size", types: ["integer"], required: true, clauses: ["LEDG-21"], when: [{ answer: { status: "success" } }], minimum: 1 },
      { path: "data.summary", types: ["object"], required: true, clauses: ["LEDG-25"], when: [{ request: { summary: true }, answer: { status: "success" } }] },
      { path: "data.summary", types: ["null"], required: true, clauses: ["LEDG-25"], when: [{ request: { summary: false }, answer: { status: "success" } }] },
      {
        path: "data.summary.bucket",
        types: ["string"],
        required: true,
        clauses: ["LSUM-01"],
        when: [{ request: { summary: true }, answer: { status: "success" } }],
        schema: "Bucket",
        enum: buckets,
      },
      {
        path: "data.summary.total_entries",
        types: ["integer"],
        required: true,
        clauses: ["LSUM-02"],
        when: [{ request: { summary: true }, answer: { status: "success" } }],
        minimum: 0,
      },
      {
        path: "data.summary.consume_count",
        types: ["integer"],
        required: true,
        clauses: ["LSUM-02"],
        when: [{ request: { summary: true }, answer: { status: "success" } }],
        minimum: 0,
      },
      {
        path: "data.summary.grant_count",
        types: ["integer"],
        required: true,
        clauses: ["LSUM-02"],
        when: [{ request: { summary: true }, answer: { status: "success" } }],
        minimum: 0,
      },
      {
        path: "data.summary.consumed_credits",
        types: ["number", "string"],
        required: true,
        clauses: ["LSUM-05"],
        when: [{ request: { summary: true }, answer: { status: "success" } }],
        minimum: 0,
      },
      {
        path: "data.summary.granted_credits",
        types: ["number", "string"],
        required: true,
        clauses: ["LSUM-06"],
        when: [{ request: { summary: true }, answer: { status: "success" } }],
        minimum: 0,
      },
      {
        path: "data.summary.net_amount_credits",
        types: ["number", "string"],
        required: true,
        clauses: ["LSUM-07"],
        when: [{ request: { summary: true }, answer: { status: "success" } }],
      },
      {
        path: "data.summary.max_amount_items",
        types: ["array"],
        required: true,
        clauses: ["LSUM-08"],
        when: [{ request: { summary: true }, answer: { status: "success" } }],
      },
      {
        path: "data.summary.buckets",
        types: ["array"],
        required: true,
        clauses: ["LSUM-10"],
        when: [{ request: { summary: true }, answer: { status: "success" } }],
      },
      {
        path: "data.summary.buckets.*.bucket_start",
        types: ["string", "number"],
        required: true,
        clauses: ["LSUM-10"],
        when: [{ request: { summary: true }, answer: { status: "success" } }],
        schema: "BucketStart",
      },
      {
        path: "data.summary.buckets.*.entry_count",
        types: ["integer"],
        required: true,
        clauses: ["LSUM-10"],
        when: [{ request: { summary: true }, answer: { status: "success" } }],
        minimum: 0,
      },
      {
        path: "data.summary.buckets.*.consume_count",
        types: ["integer"],
        required: true,
        clauses: ["LSUM-10"],
        when: [{ request: { summary: true }, answer: { status: "success" } }],
        minimum: 0,
      },
      {
        path: "data.summary.buckets.*.grant_count",
        types: ["integer"],
        required: true,
        clauses: ["LSUM-10"],
        when: [{ request: { summary: true }, answer: { status: "success" } }],
        minimum: 0,
      },
      {
        path: "data.summary.buckets.*.consumed_credits",
        types: ["number", "string"],
        required: true,
        clauses: ["LSUM-10"],
        when: [{ request: { summary: true }, answer: { status: "success" } }],
        minimum: 0,
      },
      {
        path: "data.summary.buckets.*.granted_credits",
        types: ["number", "string"],
        required: true,
        clauses: ["LSUM-10"],
        when: [{ request: { summary: true }, answer: { status: "success" } }],
        minimum: 0,
      },
      {
        path: "data.summary.buckets.*.net_amount_credits",
        types: ["number", "string"],
        required: true,
        clauses: ["LSUM-10"],
        when: [{ request: { summary: true }, answer: { status: "success" } }],
      },
    ],
    400: [
      { path: "status", types: ["string"], required: true, clauses: ["ERRO-06"], written: true, const: "failure" },
      { path: "message", types: ["string"], required: true, clauses: ["ERRO-06"], written: true },
      { path: "status_code", types: ["integer"], required: true, clauses: ["ERRO-06"], written: true, const: -7 },
      { path: "data", types: ["null"], required: true, clauses: ["ERRO-06"], written: true },
    ],
    401: [],
    422: [],
  },
  exportLedger: {
    200: [],
    400: [],
    401: [],
    422: [],
  },
  getLedgerEntry: {
    200: [
      { path: "message", types: ["string"], required: true, clauses: ["HTTP-05", "HTTP-06"], written: true, when: [{ answer: { status: "success" } }] },
      {
        path: "status_code",
        types: ["integer"],
        required: true,
        clauses: ["HTTP-05", "HTTP-07"],
        written: true,
        when: [{ answer: { status: "success" } }],
        const: 0,
      },
      {
        path: "data",
        types: ["object"],
        required: true,
        clauses: ["HTTP-05", "HTTP-09"],
        written: true,
        when: [{ answer: { status: "success" } }],
        schema: "LedgerEntry",
      },
      { path: "data.id", types: ["string", "number"], required: true, clauses: ["LEDG-01"], when: [{ answer: { status: "success" } }], minLength: 1 },
      {
        path: "data.entry_type",
        types: ["string"],
        required: true,
        clauses: ["LEDG-02"],
        when: [{ answer: { status: "success" } }],
        schema: "EntryType",
        enum: entryTypes,
      },
      { path: "data.amount_credits", types: ["number"], required: true, clauses: ["LEDG-04"], written: true, when: [{ answer: { status: "success" } }] },
      { path: "data.execution_id", types: ["string", "null"], required: false, clauses: ["LEDG-09"], when: [{ answer: { status: "success" } }] },
      {
        path: "data.balance_before",
        types: ["object", "null"],
        required: false,
        clauses: ["LEDG-12"],
        when: [{ answer: { status: "success" } }],
        schema: "Balance",
      },
      {
        path: "data.balance_after",
        types: ["object", "null"],
        required: false,
        clauses: ["LEDG-12"],
        when: [{ answer: { status: "success" } }],
        schema: "Balance",
      },
      { path: "data.description", types: ["string", "null"], required: false, clauses: ["LEDG-09"], when: [{ answer: { status: "success" } }] },
      { path: "data.created_at", types: ["string", "number"], required: true, clauses: ["LEDG-16"], when: [{ answer: { status: "success" } }] },
    ],
    401: [],
    422: [],
  },
  getLedgerReadiness: {
    200: [
      { path: "message", types: ["string"], required: true, clauses: ["HTTP-05", "HTTP-06"], written: true, when: [{ answer: { status: "success" } }] },
      {
        path: "status_code",
        types: ["integer"],
        required: true,
        clauses: ["HTTP-05", "HTTP-07"],
        written: true,
        when: [{ answer: { status: "success" } }],
        const: 0,
      },
      {
        path: "data",
        types: ["object"],
        required: true,
        clauses: ["ACCT-23"],
        when: [{ answer: { status: "success" } }],
        schema: "LedgerReadiness",
        minProperties: 1,
      },
    ],
    400: [],
    401: [],
    422: [],
  },
  listSettlements: {
    200: [
      { path: "message", types: ["string"], required: true, clauses: ["HTTP-05", "HTTP-06"], written: true, when: [{ answer: { status: "success" } }] },
      {
        path: "status_code",
        types: ["integer"],
        required: true,
        clauses: ["HTTP-05", "HTTP-07"],
        written: true,
        when: [{ answer: { status: "success" } }],
        const: 0,
      },
      {
        path: "data",
        types: ["object"],
        required: true,
        clauses: ["HTTP-05", "HTTP-09"],
        written: true,
        when: [{ answer: { status: "success" } }],
        schema: "SettlementHistory",
      },
    ],
    400: [],
    401: [],
    422: [],
  },
  getCreditsSpent: {
    200: [
      { path: "message", types: ["string"], required: true, clauses: ["HTTP-05", "HTTP-06"], written: true, when: [{ answer: { status: "success" } }] },
      {
        path: "status_code",
        types: ["integer"],
        required: true,
        clauses: ["HTTP-05", "HTTP-07"],
        written: true,
        when: [{ answer: { status: "success" } }],
        const: 0,
      },
      { path: "data", types: ["object"], required: true, clauses: ["ACCT-07"], when: [{ answer: { status: "success" } }], schema: "CreditsSpent" },
    ],
    400: [],
    401: [],
    422: [],
  },
  listUsage: {
    200: [
      { path: "message", types: ["string"], required: true, clauses: ["HTTP-05", "HTTP-06"], written: true, when: [{ answer: { status: "success" } }] },
      {
        path: "status_code",
        types: ["integer"],
        required: true,
        clauses: ["HTTP-05", "HTTP-07"],
        written: true,
        when: [{ answer: { status: "success" } }],
        const: 0,
      },
      {
        path: "data",
        types: ["object"],
        required: true,
        clauses: ["HTTP-05", "HTTP-09"],
        written: true,
        when: [{ answer: { status: "success" } }],
        schema: "UsageList",
      },
      { path: "data.items", types: ["array"], required: true, clauses: ["USAG-30"], when: [{ answer: { status: "success" } }] },
      { path: "data.items.*.id", types: ["string"], required: true, clauses: ["USAG-01"], when: [{ answer: { status: "success" } }], format: "uuid" },
      {
        path: "data.items.*.event_type",
        types: ["string"],
        required: true,
        clauses: ["USAG-02"],
        when: [{ answer: { status: "success" } }],
        schema: "EventType",
        enum: eventTypes,
      },
      { path: "data.items.*.session_id", types: ["string", "null"], required: false, clauses: ["USAG-06"], when: [{ answer: { status: "success" } }] },
      { path: "data.items.*.search_id", types: ["string", "null"], required: false, clauses: ["USAG-06"], when: [{ answer: { status: "success" } }] },
      { path: "data.items.*.execution_id", types: ["string", "null"], required: false, clauses: ["USAG-06"], when: [{ answer: { status: "success" } }] },
      {
        path: "data.items.*.tool_id",
        types: ["string", "null"],
        required: false,
        clauses: ["USAG-11"],
        written: true,
        when: [{ answer: { status: "success" } }],
      },
      { path: "data.items.*.success", types: ["boolean"], required: true, clauses: ["USAG-12"], written: true, when: [{ answer: { status: "success" } }] },
      {
        path: "data.items.*.charge_outcome",
        types: ["string"],
        required: true,
        clauses: ["BILL-14"],
        written: true,
        when: [{ answer: { status: "success" } }],
        schema: "ChargeOutcome",
        enum: chargeOutcomes,
      },
      {
        path: "data.items.*.reason_code",
        types: ["string"],
        required: true,
        clauses: ["BILL-24"],
        written: true,
        when: [{ answer: { status: "success" } }],
        schema: "ReasonCode",
        enum: reasonCodes,
      },
      { path: "data.items.*.error_message", types: ["string", "null"], required: false, clauses: ["USAG-06"], when: [{ answer: { status: "success" } }] },
      {
        path: "data.items.*.pre_settlement_amount_credits",
        types: ["number", "null"],
        required: false,
        clauses: ["USAG-18"],
        written: true,
        when: [{ answer: { status: "success" } }],
      },
      {
        path: "data.items.*.requested_amount_credits",
        types: ["number", "null"],
        required: false,
        clauses: ["USAG-18"],
        written: true,
        when: [{ answer: { status: "success" } }],
      },
      {
        path: "data.items.*.credits_ledger_entry_id",
        types: ["string", "null"],
        required: false,
        clauses: ["USAG-21", "USAG-22"],
        written: true,
        when: [{ answer: { status: "success" } }],
      },
      { path: "data.items.*.billing_summary", types: ["string", "null"], required: false, clauses: ["USAG-06"], when: [{ answer: { status: "success" } }] },
      {
        path: "data.items.*.created_at",
        types: ["string"],
        required: true,
        clauses: ["USAG-24"],
        when: [{ answer: { status: "success" } }],
        schema: "Timestamp",
        pattern: "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}(:\\d{2}([.,]\\d+)?)?(Z|[+-]\\d{2}(:?\\d{2})?)?$",
      },
      { path: "data.total", types: ["integer"], required: true, clauses: ["USAG-32"], when: [{ answer: { status: "success" } }], minimum: 0 },
      { path: "data.page", types: ["integer"], required: true, clauses: ["USAG-30"], when: [{ answer: { status: "success" } }], minimum: 1 },
      { path: "data.page_size", types: ["integer"], required: true, clauses: ["USAG-30"], when: [{ answer: { status: "success" } }], minimum: 1 },
      { path: "data.summary", types: ["object"], required: true, clauses: ["USAG-34"], when: [{ request: { summary: true }, answer: { status: "success" } }] },
      { path: "data.summary", types: ["null"], required: true, clauses: ["USAG-34"], when: [{ request: { summary: false }, answer: { status: "success" } }] },
      {
        path: "data.summary.start_date",
        types: ["string"],
        required: true,
        clauses: ["USUM-01"],
        when: [{ request: { summary: true }, answer: { status: "success" } }],
        schema: "Timestamp",
        pattern: "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}(:\\d{2}([.,]\\d+)?)?(Z|[+-]\\d{2}(:?\\d{2})?)?$",
      },
      {
        path: "data.summary.end_date",
        types: ["string"],
        required: true,
        clauses: ["USUM-01"],
        when: [{ request: { summary: true }, answer: { status: "success" } }],
        schema: "Timestamp",
        pattern: "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}(:\\d{2}([.,]\\d+)?)?(Z|[+-]\\d{2}(:?\\d{2})?)?$",
      },
      {
        path: "data.summary.bucket",
        types: ["string"],
        required: true,
        clauses: ["USUM-01"],
        when: [{ request: { summary: true }, answer: { status: "success" } }],
        schema: "Bucket",
        enum: buckets,
      },
      {
        path: "data.summary.total_count",
        types: ["integer"],
        required: true,
        clauses: ["USUM-03"],
        when: [{ request: { summary: true }, answer: { status: "success" } }],
        minimum: 0,
      },
      {
        path: "data.summary.success_count",
        types: ["integer"],
        required: true,
        clauses: ["USUM-03"],
        when: [{ request: { summary: true }, answer: { status: "success" } }],
        minimum: 0,
      },
      {
        path: "data.summary.failure_count",
        types: ["integer"],
        required: true,
        clauses: ["USUM-03"],
        when: [{ request: { summary: true }, answer: { status: "success" } }],
        minimum: 0,
      },
      {
        path: "data.summary.charge_outcome_counts",
        types: ["object"],
        required: true,
        clauses: ["USUM-04"],
        when: [{ request: { summary: true }, answer: { status: "success" } }],
        schema: "ChargeOutcomeCounts",
      },
      {
        path: "data.summary.charge_outcome_counts.charged",
        types: ["integer"],
        required: true,
        clauses: ["USUM-04"],
        when: [{ request: { summary: true }, answer: { status: "success" } }],
        minimum: 0,
      },
      {
        path: "data.summary.charge_outcome_counts.included",
        types: ["integer"],
        required: true,
        clauses: ["USUM-04"],
        when: [{ request: { summary: true }, answer: { status: "success" } }],
        minimum: 0,
      },
      {
        path: "data.summary.charge_outcome_counts.failed_not_charged",
        types: ["integer"],
        required: true,
        clauses: ["USUM-04"],
        when: [{ request: { summary: true }, answer: { status: "success" } }],
        minimum: 0,
      },
      {
        path: "data.summary.charge_outcome_counts.failed_charged_review",
        types: ["integer"],
        required: true,
        clauses: ["USUM-04"],
        when: [{ request: { summary: true }, answer: { status: "success" } }],
        minimum: 0,
      },
      {
        path: "data.summary.pre_settlement_credits",
        types: ["number"],
        required: true,
        clauses: ["USUM-09"],
        when: [{ request: { summary: true }, answer: { status: "success" } }],
        minimum: 0,
      },
      {
        path: "data.summary.settled_credits",
        types: ["number"],
        required: true,
        clauses: ["USUM-09"],
        when: [{ request: { summary: true }, answer: { status: "success" } }],
        minimum: 0,
      },
      {
        path: "data.summary.max_charge_items",
        types: ["array"],
        required: true,
        clauses: ["USUM-10"],
        when: [{ request: { summary: true }, answer: { status: "success" } }],
      },
      {
        path: "data.summary.buckets",
        types: ["array"],
        required: true,
        clauses: ["USUM-12"],
        when: [{ request: { summary: true }, answer: { status: "success" } }],
      },
      {
        path: "data.summary.buckets.*.bucket_start",
        types: ["string", "number"],
        required: true,
        clauses: ["USUM-12"],
        when: [{ request: { summary: true }, answer: { status: "success" } }],
        schema: "BucketStart",
      },
      {
        path: "data.summary.buckets.*.total_count",
        types: ["integer"],
        required: true,
        clauses: ["USUM-13"],
        when: [{ request: { summary: true }, answer: { status: "success" } }],
        minimum: 0,
      },
      {
        path: "data.summary.buckets.*.success_count",
        types: ["integer"],
        required: true,
        clauses: ["USUM-13"],
        when: [{ request: { summary: true }, answer: { status: "success" } }],
        minimum: 0,
      },
      {
        path: "data.summary.buckets.*.failure_count",
        types: ["integer"],
        required: true,
        clauses: ["USUM-13"],
        when: [{ request: { summary: true }, answer: { status: "success" } }],
        minimum: 0,
      },
      {
        path: "data.summary.buckets.*.charged_count",
        types: ["integer"],
        required: true,
        clauses: ["USUM-13"],
        when: [{ request: { summary: true }, answer: { status: "success" } }],
        minimum: 0,
      },
      {
        path: "data.summary.buckets.*.included_count",
        types: ["integer"],
        required: true,
        clauses: ["USUM-13"],
        when: [{ request: { summary: true }, answer: { status: "success" } }],
        minimum: 0,
      },
      {
        path: "data.summary.buckets.*.failed_not_charged_count",
        types: ["integer"],
        required: true,
        clauses: ["USUM-13"],
        when: [{ request: { summary: true }, answer: { status: "success" } }],
        minimum: 0,
      },
      {
        path: "data.summary.buckets.*.failed_charged_review_count",
        types: ["integer"],
        required: true,
        clauses: ["USUM-13"],
        when: [{ request: { summary: true }, answer: { status: "success" } }],
        minimum: 0,
      },
      {
        path: "data.summary.buckets.*.pre_settlement_credits",
        types: ["number"],
        required: true,
        clauses: ["USUM-13"],
        when: [{ request: { summary: true }, answer: { status: "success" } }],
        minimum: 0,
      },
      {
        path: "data.summary.buckets.*.settled_credits",
        types: ["number"],
        required: true,
        clauses: ["USUM-13"],
        when: [{ request: { summary: true }, answer: { status: "success" } }],
        minimum: 0,
      },
    ],
    400: [
      { path: "status", types: ["string"], required: true, clauses: ["ERRO-06"], written: true, const: "failure" },
      { path: "message", types: ["string"], required: true, clauses: ["ERRO-06"], written: true },
      { path: "status_code", types: ["integer"], required: true, clauses: ["ERRO-06"], written: true, const: -7 },
      { path: "data", types: ["null"], required: true, clauses: ["ERRO-06"], written: true },
    ],
    401: [],
    422: [],
  },
  exportUsage: {
    200: [],
    400: [],
    401: [],
    422: [],
  },
  listUsageFeed: {
    200: [
      { path: "message", types: ["string"], required: true, clauses: ["HTTP-05", "HTTP-06"], written: true, when: [{ answer: { status: "success" } }] },
      {
        path: "status_code",
        types: ["integer"],
        required: true,
        clauses: ["HTTP-05", "HTTP-07"],
        written: true,
        when: [{ answer: { status: "success" } }],
        const: 0,
      },
      {
        path: "data",
        types: ["object"],
        required: true,
        clauses: ["HTTP-05", "HTTP-09"],
        written: true,
        when: [{ answer: { status: "success" } }],
        schema: "UsageFeed",
      },
    ],
    400: [],
    401: [],
    422: [],
  },
  getUsageEvent: {
    200: [
      { path: "message", types: ["string"], required: true, clauses: ["HTTP-05", "HTTP-06"], written: true, when: [{ answer: { status: "success" } }] },
      {
        path: "status_code",
        types: ["integer"],
        required: true,
        clauses: ["HTTP-05", "HTTP-07"],
        written: true,
        when: [{ answer: { status: "success" } }],
        const: 0,
      },
      {
        path: "data",
        types: ["object"],
        required: true,
        clauses: ["HTTP-05", "HTTP-09"],
        written: true,
        when: [{ answer: { status: "success" } }],
        schema: "UsageEvent",
      },
      { path: "data.id", types: ["string"], required: true, clauses: ["USAG-01"], when: [{ answer: { status: "success" } }], format: "uuid" },
      {
        path: "data.event_type",
        types: ["string"],
        required: true,
        clauses: ["USAG-02"],
        when: [{ answer: { status: "success" } }],
        schema: "EventType",
        enum: eventTypes,
      },
      { path: "data.session_id", types: ["string", "null"], required: false, clauses: ["USAG-06"], when: [{ answer: { status: "success" } }] },
      { path: "data.search_id", types: ["string", "null"], required: false, clauses: ["USAG-06"], when: [{ answer: { status: "success" } }] },
      { path: "data.execution_id", types: ["string", "null"], required: false, clauses: ["USAG-06"], when: [{ answer: { status: "success" } }] },
      { path: "data.tool_id", types: ["string", "null"], required: false, clauses: ["USAG-11"], written: true, when: [{ answer: { status: "success" } }] },
      { path: "data.success", types: ["boolean"], required: true, clauses: ["USAG-12"], written: true, when: [{ answer: { status: "success" } }] },
      {
        path: "data.charge_outcome",
        types: ["string"],
        required: true,
        clauses: ["BILL-14"],
        written: true,
        when: [{ answer: { status: "success" } }],
        schema: "ChargeOutcome",
        enum: chargeOutcomes,
      },
      {
        path: "data.reason_code",
        types: ["string"],
        required: true,
        clauses: ["BILL-24"],
        written: true,
        when: [{ answer: { status: "success" } }],
        schema: "ReasonCode",
        enum: reasonCodes,
      },
      { path: "data.error_message", types: ["string", "null"], required: false, clauses: ["USAG-06"], when: [{ answer: { status: "success" } }] },
      {
        path: "data.pre_settlement_amount_credits",
        types: ["number", "null"],
        required: false,
        clauses: ["USAG-18"],
        written: true,
        when: [{ answer: { status: "success" } }],
      },
      {
        path: "data.requested_amount_credits",
        types: ["number", "null"],
        required: false,
        clauses: ["USAG-18"],
        written: true,
        when: [{ answer: { status: "success" } }],
      },
      {
        path: "data.credits_ledger_entry_id",
        types: ["string", "null"],
        required: false,
        clauses: ["USAG-21", "USAG-22"],
        written: true,
        when: [{ answer: { status: "success" } }],
      },
      { path: "data.billing_summary", types: ["string", "null"], required: false, clauses: ["USAG-06"], when: [{ answer: { status: "success" } }] },
      {
        path: "data.created_at",
        types: ["string"],
        required: true,
        clauses: ["USAG-24"],
        when: [{ answer: { status: "success" } }],
        schema: "Timestamp",
        pattern: "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}(:\\d{2}([.,]\\d+)?)?(Z|[+-]\\d{2}(:?\\d{2})?)?$",
      },
    ],
    401: [],
    422: [],
  },
  verifyToken: {
    200: [
      { path: "message", types: ["string"], required: true, clauses: ["HTTP-05", "HTTP-06"], written: true, when: [{ answer: { status: "success" } }] },
      {
        path: "status_code",
        types: ["integer"],
        required: true,
        clauses: ["HTTP-05", "HTTP-07"],
        written: true,
        when: [{ answer: { status: "success" } }],
        const: 0,
      },
    ],
    401: [],
    422: [],
    429: [
      { path: "status", types: ["string"], required: true, clauses: ["ERRO-01", "ERRO-02"], written: true, const: "failure" },
      { path: "message", types: ["string"], required: true, clauses: ["ERRO-01", "ERRO-02"], written: true },
      { path: "status_code", types: ["integer"], required: false, clauses: ["ERRO-01", "ERRO-02"], written: true },
      { path: "data", types: ["null"], required: false, clauses: ["ERRO-01", "ERRO-02"], written: true },
    ],
  },
});
