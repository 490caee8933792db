import type { Migration } from "./migration.ts";

/** The vocabularies when this step was published. A later value needs a step of its own. */
const eventTypes = ["search", "search_by_ids", "tool_execute", "capabilities_query", "model_call"];
const chargeOutcomes = ["charged", "included", "failed_not_charged", "failed_charged_review"];
const snapshotStatuses = ["captured", "not_applicable", "missing"];
const entryTypes = [
  "grant_payment_recharge",
  "grant_welcome_bonus",
  "grant_invitation_reward",
  "consume_tool_search",
  "consume_tool_execute",
  "consume_model_call",
  "consume_payment_refund",
];
const reasonCodes = [
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
];

const oneOf = (column: string, values: readonly string[]): string =>
  `CHECK (${column} IN (${values.map((value) => `'${value}'`).join(", ")}))`;

const flag = (column: string): string => `${column} BIGINT NOT NULL CHECK (${column} IN (0, 1))`;

/** Beyond this an integer is no longer exact in JavaScript. */
const safe = 9_007_199_254_740_991;

const tables: readonly string[] = [
  `CREATE TABLE accounts (
    id TEXT PRIMARY KEY,
    type TEXT NOT NULL ${oneOf("type", ["trial", "formal"])},
    name TEXT,
    email TEXT,
    trial_expires_at BIGINT,
    welcome_remaining BIGINT NOT NULL CHECK (welcome_remaining >= 0),
    welcome_total BIGINT NOT NULL CHECK (welcome_total >= welcome_remaining),
    invite_remaining BIGINT NOT NULL CHECK (invite_remaining >= 0),
    invite_total BIGINT NOT NULL CHECK (invite_total >= invite_remaining),
    purchased_remaining BIGINT NOT NULL CHECK (purchased_remaining >= 0),
    purchased_total BIGINT NOT NULL CHECK (purchased_total >= purchased_remaining),
    held BIGINT NOT NULL CHECK (held >= 0),
    created_at BIGINT NOT NULL,
    CHECK (welcome_remaining + invite_remaining + purchased_remaining >= held),
    CHECK (welcome_total + invite_total + purchased_total <= ${safe})
  )`,
  `CREATE UNIQUE INDEX accounts_formal_email ON accounts (email) WHERE type = 'formal' AND email IS NOT NULL`,

  `CREATE TABLE api_keys (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    name TEXT NOT NULL,
    key_hash TEXT NOT NULL UNIQUE CHECK (length(key_hash) = 64),
    masked_value TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    revoked_at BIGINT
  )`,
  `CREATE INDEX api_keys_account ON api_keys (account_id)`,

  `CREATE TABLE claims (
    account_id TEXT PRIMARY KEY REFERENCES accounts (id),
    claim_code_hash TEXT NOT NULL UNIQUE CHECK (length(claim_code_hash) = 64),
    state TEXT NOT NULL ${oneOf("state", ["open", "pending", "claimed"])},
    email TEXT,
    mailed_code_hash TEXT,
    code_expires_at BIGINT,
    wrong_tries BIGINT NOT NULL CHECK (wrong_tries >= 0),
    mails_sent BIGINT NOT NULL CHECK (mails_sent >= 0),
    last_mailed_at BIGINT,
    expires_at BIGINT NOT NULL,
    claimed_at BIGINT,
    created_at BIGINT NOT NULL,
    CHECK (state <> 'pending' OR (email IS NOT NULL AND mailed_code_hash IS NOT NULL AND code_expires_at IS NOT NULL)),
    CHECK ((state = 'claimed') = (claimed_at IS NOT NULL))
  )`,

  `CREATE TABLE processes (
    owner TEXT PRIMARY KEY,
    heartbeat_at BIGINT NOT NULL,
    batch BIGINT NOT NULL
  )`,

  `CREATE TABLE holds (
    execution_id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    amount BIGINT NOT NULL CHECK (amount >= 0 AND amount <= ${safe}),
    event TEXT NOT NULL,
    owner TEXT NOT NULL,
    created_at BIGINT NOT NULL
  )`,
  `CREATE INDEX holds_owner ON holds (owner)`,

  `CREATE TABLE ledger_entries (
    seq BIGINT PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    entry_type TEXT NOT NULL ${oneOf("entry_type", entryTypes)},
    amount BIGINT NOT NULL CHECK (amount <> 0 AND (amount > 0) = (entry_type LIKE 'grant%')),
    source_system TEXT NOT NULL,
    source_ref_type TEXT,
    source_ref_id TEXT,
    execution_id TEXT,
    pre_settlement_bill TEXT,
    settlement_result TEXT,
    balance_before BIGINT NOT NULL CHECK (balance_before >= 0 AND balance_before <= ${safe}),
    balance_after BIGINT NOT NULL CHECK (balance_after >= 0 AND balance_after <= ${safe}),
    ledger_metadata TEXT,
    description TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    CHECK (balance_after = balance_before + amount)
  )`,
  `CREATE INDEX ledger_account_time ON ledger_entries (account_id, created_at, seq)`,
  `CREATE INDEX ledger_account_type ON ledger_entries (account_id, entry_type, created_at, seq)`,
  `CREATE INDEX ledger_account_size ON ledger_entries (account_id, abs(amount), seq)`,
  `CREATE UNIQUE INDEX ledger_execution ON ledger_entries (execution_id) WHERE execution_id IS NOT NULL`,

  `CREATE TABLE usage_events (
    seq BIGINT PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    event_type TEXT NOT NULL ${oneOf("event_type", eventTypes)},
    kind TEXT NOT NULL ${oneOf("kind", ["discover", "call", "model"])},
    source_system TEXT NOT NULL,
    source_ref_type TEXT,
    source_ref_id TEXT,
    session_id TEXT,
    search_id TEXT,
    execution_id TEXT,
    tool_id TEXT,
    capability_id TEXT,
    model TEXT,
    query TEXT,
    api_key_id TEXT,
    api_key_attribution_status TEXT NOT NULL,
    credential_type TEXT NOT NULL,
    oauth_client_id TEXT,
    ${flag("success")},
    ${flag("billable_success")},
    charge_outcome TEXT NOT NULL ${oneOf("charge_outcome", chargeOutcomes)},
    reason_code TEXT NOT NULL ${oneOf("reason_code", reasonCodes)},
    error_message TEXT,
    duration_ms DOUBLE PRECISION NOT NULL CHECK (duration_ms >= 0),
    request_payload TEXT,
    response_payload_summary TEXT,
    execution_outcome TEXT,
    outcome TEXT,
    outcome_message TEXT,
    billing_snapshot_status TEXT NOT NULL ${oneOf("billing_snapshot_status", snapshotStatuses)},
    billing_rule_snapshot TEXT,
    pre_settlement_bill TEXT,
    settlement_result TEXT,
    billing_unit TEXT,
    unit_price BIGINT CHECK (unit_price >= 0 AND unit_price <= ${safe}),
    quantity DOUBLE PRECISION CHECK (quantity >= 0),
    list_amount BIGINT CHECK (list_amount >= 0 AND list_amount <= ${safe}),
    requested_amount BIGINT NOT NULL CHECK (requested_amount >= 0 AND requested_amount <= ${safe}),
    settled_amount BIGINT NOT NULL CHECK (settled_amount >= 0 AND settled_amount <= ${safe}),
    credits_ledger_entry_id TEXT,
    display_target TEXT,
    billing_summary TEXT,
    created_at BIGINT NOT NULL,
    CHECK ((charge_outcome = 'charged') = (billable_success = 1 AND settled_amount > 0)),
    CHECK ((charge_outcome = 'included') = (billable_success = 1 AND settled_amount = 0)),
    CHECK ((charge_outcome = 'failed_not_charged') = (billable_success = 0 AND settled_amount = 0)),
    CHECK ((charge_outcome = 'failed_charged_review') = (billable_success = 0 AND settled_amount > 0))
  )`,
  `CREATE INDEX usage_account_time ON usage_events (account_id, created_at, seq)`,
  `CREATE INDEX usage_account_type ON usage_events (account_id, event_type, created_at, seq)`,
  `CREATE INDEX usage_account_outcome ON usage_events (account_id, charge_outcome, created_at, seq)`,
  `CREATE INDEX usage_account_reason ON usage_events (account_id, reason_code, created_at, seq)
    WHERE reason_code <> 'result.valid'`,
  `CREATE INDEX usage_account_charge ON usage_events (account_id, settled_amount, seq) WHERE settled_amount > 0`,
  `CREATE INDEX usage_unlinked ON usage_events (account_id, created_at, seq)
    WHERE settled_amount + 0 > 0 AND credits_ledger_entry_id IS NULL`,
  `CREATE INDEX usage_unbilled ON usage_events (account_id, created_at, seq)
    WHERE billing_snapshot_status = 'missing'`,
  `CREATE INDEX usage_account_search ON usage_events (account_id, search_id, created_at, seq) WHERE search_id IS NOT NULL`,
  `CREATE UNIQUE INDEX usage_execution ON usage_events (execution_id) WHERE execution_id IS NOT NULL`,

  `CREATE TABLE usage_rollups (
    account_id TEXT NOT NULL,
    hour BIGINT NOT NULL,
    event_type TEXT NOT NULL,
    charge_outcome TEXT NOT NULL,
    success BIGINT NOT NULL,
    event_count BIGINT NOT NULL,
    requested_amount BIGINT NOT NULL,
    settled_amount BIGINT NOT NULL,
    PRIMARY KEY (account_id, hour, event_type, charge_outcome, success)
  )`,
  `CREATE TABLE ledger_rollups (
    account_id TEXT NOT NULL,
    hour BIGINT NOT NULL,
    entry_type TEXT NOT NULL,
    entry_count BIGINT NOT NULL,
    amount BIGINT NOT NULL,
    PRIMARY KEY (account_id, hour, entry_type)
  )`,
  `CREATE TABLE tool_stats (
    tool_id TEXT PRIMARY KEY,
    executions BIGINT NOT NULL,
    successes BIGINT NOT NULL,
    total_duration_ms DOUBLE PRECISION NOT NULL
  )`,
];

/**
 * SQLite in STRICT mode knows neither BIGINT nor DOUBLE PRECISION; otherwise the statements are the same. Rollups are
 * stored in the order of their key, so that the sum over an account's history is one walk.
 */
const forSqlite = (statement: string): string => {
  if (!statement.startsWith("CREATE TABLE")) return statement;
  const walked = /^CREATE TABLE \w+_rollups /.test(statement) ? ", WITHOUT ROWID" : "";
  return `${statement.replaceAll("BIGINT", "INTEGER").replaceAll("DOUBLE PRECISION", "REAL")} STRICT${walked}`;
};

const appendOnly = (table: string, sqlite: boolean): string[] =>
  sqlite
    ? ["UPDATE", "DELETE"].map(
        (verb) => `CREATE TRIGGER ${table}_no_${verb.toLowerCase()} BEFORE ${verb} ON ${table}
          BEGIN SELECT RAISE(ABORT, '${table} is append-only'); END`,
      )
    : [
        `CREATE FUNCTION ${table}_append_only() RETURNS trigger LANGUAGE plpgsql AS
          $$ BEGIN RAISE EXCEPTION '${table} is append-only'; END $$`,
        `CREATE TRIGGER ${table}_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ${table}
          FOR EACH STATEMENT EXECUTE FUNCTION ${table}_append_only()`,
      ];

/** The first schema. */
export const accountsBooksAudit: Migration = {
  name: "001-accounts-books-audit",
  statements: (dialect) => {
    const sqlite = dialect === "sqlite";
    const triggers = ["ledger_entries", "usage_events"].flatMap((table) => appendOnly(table, sqlite));
    return [...(sqlite ? tables.map(forSqlite) : tables), ...triggers];
  },
};
