import type { Migration } from "./migration.ts";

/** How many codes went to an inbox since its first of the hour. */
export const mailedInboxes: Migration = {
  name: "005-mailed-inboxes",
  statements: () => [
    `CREATE TABLE mailed_inboxes (
      inbox_hash TEXT PRIMARY KEY CHECK (length(inbox_hash) = 64),
      since BIGINT NOT NULL,
      mails BIGINT NOT NULL
    )`,
  ],
};
