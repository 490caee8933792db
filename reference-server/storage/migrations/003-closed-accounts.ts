import type { Migration } from "./migration.ts";

/** When the operator closed an account. */
export const closedAccounts: Migration = {
  name: "003-closed-accounts",
  statements: (dialect) => [
    `ALTER TABLE accounts ADD COLUMN closed_at ${dialect === "sqlite" ? "INTEGER" : "BIGINT"}`,
  ],
};
