import { mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { contractVersion } from "../../generated/contract.ts";
import { defaultConfig } from "../config.ts";
import { baseUrl, createLog, defaultParts, type DefaultParts } from "../parts-default.ts";
import { createServer, type Server } from "../server.ts";

let folder: string;
let defaults: DefaultParts;
let server: Server;
let origin: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "health-"));
  const config = { ...defaultConfig, dataFolder: folder };
  defaults = await defaultParts(config, { log: createLog("silent") });
  server = createServer(config, defaults.parts);
  origin = new URL(baseUrl(config.host, await server.start(0))).origin;
});

afterAll(async () => {
  await server.stop();
  await defaults.close().catch(() => undefined);
  await rm(folder, { recursive: true, force: true });
});

const get = async (path: string) => {
  const response = await fetch(origin + path);
  return { status: response.status, text: await response.text(), headers: response.headers };
};

it("counts requests by operation and status, batches and open holds", async () => {
  const { account, apiKey } = await defaults.parts.accounts.registerTrial(null);
  const event = {} as Parameters<DefaultParts["parts"]["books"]["hold"]>[0]["event"];
  await defaults.parts.books.hold({ accountId: account.id, executionId: "under way", amount: 1, event });
  await fetch(`${origin}/api/v1/auth/credits`, { headers: { Authorization: `Bearer ${apiKey}` } });
  await fetch(`${origin}/api/v1/auth/credits`);
  await get("/nowhere");
  const { text, headers } = await get("/metrics");
  expect(headers.get("content-type")).toContain("text/plain");
  expect(text).toContain('http_requests_total{operation="getCredits",status="200"} 1');
  expect(text).toContain('http_requests_total{operation="getCredits",status="401"} 1');
  expect(text).toContain('http_requests_total{operation="other",status="404"} 1');
  expect(text).toContain('http_request_duration_seconds_count{operation="getCredits",status="200"} 1');
  expect(text).toMatch(/writer_batch_commands_count [1-9]/);
  expect(text).toContain("holds_open 1");
  expect(text).not.toContain(apiKey);
});

it("is not ready and refuses writes while its data folder is gone", async () => {
  const register = () => fetch(`${origin}/api/v1/agent/anonymous-register`, { method: "POST", body: "{}" });
  await rename(folder, `${folder}-gone`);
  expect(await get("/readyz")).toMatchObject({
    status: 503,
    text: '{"status":"unavailable","reason":"The data folder is gone."}',
  });
  expect((await register()).status).toBe(503);
  await rename(`${folder}-gone`, folder);
  expect(await get("/readyz")).toMatchObject({ status: 200 });
  expect((await register()).status).toBe(200);
});

it("is ready while the database answers, and alive without it", async () => {
  const ready = await get("/readyz");
  expect(ready).toMatchObject({ status: 200, text: '{"status":"ready"}' });
  expect(ready.headers.get("x-service-api-version")).toBe(contractVersion);
  await defaults.parts.database.destroy();
  expect(await get("/readyz")).toMatchObject({ status: 503 });
  expect(await get("/healthz")).toMatchObject({ status: 200 });
  expect((await get("/metrics")).text).toContain("holds_open Nan");
});
