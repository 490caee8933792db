import type { Migration } from "./migration.ts";

/**
 * What several processes on one Postgres need: row numbers without a lock (storage/opening.ts counts on the
 * increment), an account's last time, and several rows of statistics a tool, so that calls of a hot tool do not wait
 * for each other's commits.
 */
export const severalProcesses: Migration = {
  name: "002-several-processes",
  statements: (dialect) =>
    dialect === "sqlite"
      ? []
      : [
          ...["usage_numbers", "ledger_numbers"].map(
            (name) =>
              `CREATE SEQUENCE ${name} AS BIGINT INCREMENT BY 4096 MINVALUE 0 MAXVALUE 9007199254740991 START 0`,
          ),
          "ALTER TABLE accounts ADD COLUMN written_at BIGINT NOT NULL DEFAULT 0",
          "ALTER TABLE tool_stats ADD COLUMN shard BIGINT NOT NULL DEFAULT 0",
          "ALTER TABLE tool_stats DROP CONSTRAINT tool_stats_pkey",
          "ALTER TABLE tool_stats ADD PRIMARY KEY (tool_id, shard)",
        ],
};
