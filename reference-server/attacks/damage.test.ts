import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";
import { sampleTools } from "../catalog/sample-roles.ts";
import { startAttacked } from "./attacked.fixture.ts";

/** Runs a script on a file in another process: closing a descriptor here would release SQLite's locks. */
const damage = (path: string, script: string): void =>
  void execFileSync(process.execPath, ["-e", `const path = process.argv[1]; ${script}`, path]);

/** @param change an expression of the file's bytes */
const rewritten = (change: string): string =>
  `const fs = require("node:fs");
   const bytes = fs.readFileSync(path);
   fs.writeFileSync(path, ${change});`;

const withoutTables = `
  const { DatabaseSync } = require("node:sqlite");
  new DatabaseSync(path, { enableForeignKeyConstraints: false }).exec("DROP TABLE accounts; DROP TABLE api_keys");`;

it.each([
  { what: "overwritten", script: rewritten('bytes.fill("x")'), code: "SQLITE_NOTADB" },
  { what: "overwritten behind its head", script: rewritten('bytes.fill("x", 100)'), code: "SQLITE_CORRUPT" },
  { what: "cut off", script: rewritten("bytes.subarray(0, 4096)"), code: "SQLITE_CORRUPT" },
  // Which of the three is seen depends on what SQLite had read before.
  { what: "emptied", script: rewritten('""'), code: "SQLITE_(CORRUPT|NOTADB|ERROR)" },
  { what: "without its tables", script: withoutTables, code: "SQLITE_ERROR" },
])(
  "a database file that is $what is 503 with Retry-After, not ready, and named in the log",
  async ({ script, code }) => {
    const server = await startAttacked();
    try {
      const { key } = await server.trial();
      await server.parts.database.raw("PRAGMA query_only = OFF");
      await server.parts.database.raw("PRAGMA wal_checkpoint(TRUNCATE)");
      damage(join(server.folder, "data.sqlite"), script);
      const ready = async () => (await fetch(`${new URL(server.base).origin}/readyz`)).status;
      await expect.poll(ready).toBe(503);
      const asked = [
        await server.ask("GET", "/auth/credits", { token: key }),
        await server.ask("POST", "/agent/anonymous-register", { body: {} }),
        await server.ask("POST", "/tools/execute", {
          token: key,
          body: { tool_id: sampleTools.charged.id, parameters: sampleTools.charged.parameters },
        }),
      ];
      for (const { status, headers } of asked) {
        expect(status).toBe(503);
        expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
      }
      expect(server.logged()).toMatch(new RegExp(`"code":"${code}"`));
    } finally {
      await server.stop();
    }
  },
);
