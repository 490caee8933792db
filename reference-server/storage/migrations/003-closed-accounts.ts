import type { Migration } from "../migrate.ts";

/** An account that its operator has closed: since when. */
export const closedAccounts: Migration = {
  name: "003-closed-accounts",
  statements: (dialect) => [
    `ALTER TABLE accounts ADD COLUMN closed_at ${dialect === "sqlite" ? "INTEGER" : "BIGINT"}`,
  ],
};
