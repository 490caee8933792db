import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";
import { sampleTools } from "../catalog/sample-roles.ts";
import { startAttacked } from "./attacked.fixture.ts";

/**
 * Changes a file in place from another process: closing a descriptor here would release SQLite's locks.
 * @param change an expression of its bytes
 */
const damage = (path: string, change: string): void =>
  void execFileSync(process.execPath, [
    "-e",
    `const fs = require("node:fs");
     const bytes = fs.readFileSync(process.argv[1]);
     fs.writeFileSync(process.argv[1], ${change});`,
    path,
  ]);

it.each([
  { what: "overwritten", change: 'bytes.fill("x")', code: "SQLITE_NOTADB" },
  { what: "overwritten behind its head", change: 'bytes.fill("x", 100)', code: "SQLITE_CORRUPT" },
  { what: "cut off", change: "bytes.subarray(0, 4096)", code: "SQLITE_CORRUPT" },
  { what: "emptied", change: '""', code: "SQLITE_CORRUPT" },
])(
  "a database file that is $what is 503 with Retry-After, not ready, and named in the log",
  async ({ change, code }) => {
    const server = await startAttacked();
    try {
      const { key } = await server.trial();
      await server.parts.database.raw("PRAGMA query_only = OFF");
      await server.parts.database.raw("PRAGMA wal_checkpoint(TRUNCATE)");
      damage(join(server.folder, "data.sqlite"), change);
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
      expect(server.logged()).toContain(`"code":"${code}"`);
    } finally {
      await server.stop();
    }
  },
);
