import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";

test.each(["SIGINT", "SIGTERM"] as const)("a load that gets %s ends with its report", async (signal) => {
  const folder = mkdtempSync(join(tmpdir(), "capability-contract-stopped-"));
  /** It never answers. */
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const report = join(folder, "load.json");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`;
  const words = ["load", "throughput", "--base-url", url, "--json", report];
  const child = spawn(process.execPath, [resolve(import.meta.dirname, "../cli/cli.ts"), ...words]);
  const ended = once(child, "exit");
  await once(server, "request");
  child.kill(signal);
  expect(await ended).toEqual([130, null]);
  expect(JSON.parse(readFileSync(report, "utf8"))).toMatchObject({ ended: { by: "interrupt" } });
  server.close();
  server.closeAllConnections();
  rmSync(folder, { recursive: true });
});
