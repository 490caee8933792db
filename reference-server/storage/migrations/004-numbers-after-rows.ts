import type { Migration } from "./migration.ts";

/** Step 002 numbers new rows from the beginning, also in a database that has rows: start after the last of them. */
export const numbersAfterRows: Migration = {
  name: "004-numbers-after-rows",
  statements: (dialect) =>
    dialect === "sqlite"
      ? []
      : [
          ["usage_numbers", "usage_events"],
          ["ledger_numbers", "ledger_entries"],
        ].map(
          ([numbers, rows]) =>
            `SELECT setval('${numbers}', greatest(
              (SELECT last_value FROM ${numbers}),
              (SELECT coalesce(max(seq), 0) / 4096 * 4096 FROM ${rows})
            ))`,
        ),
};
