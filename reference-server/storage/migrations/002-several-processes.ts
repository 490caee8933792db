import type { Migration } from "../migrate.ts";
import { numbersAtOnce } from "../opening.ts";

const safe = Number.MAX_SAFE_INTEGER;

/**
 * What several processes on one Postgres need: numbers that are given out without a lock, an account's last time, and
 * statistics of a hot tool in several rows, so that its calls do not wait for each other's commits.
 */
export const severalProcesses: Migration = {
  name: "002-several-processes",
  statements: (dialect) =>
    dialect === "sqlite"
      ? []
      : [
          ...["usage_numbers", "ledger_numbers"].map(
            (name) =>
              `CREATE SEQUENCE ${name} AS BIGINT INCREMENT BY ${numbersAtOnce} MINVALUE 0 MAXVALUE ${safe} START 0`,
          ),
          "ALTER TABLE accounts ADD COLUMN written_at BIGINT NOT NULL DEFAULT 0",
          "ALTER TABLE tool_stats ADD COLUMN shard BIGINT NOT NULL DEFAULT 0",
          "ALTER TABLE tool_stats DROP CONSTRAINT tool_stats_pkey",
          "ALTER TABLE tool_stats ADD PRIMARY KEY (tool_id, shard)",
        ],
};
