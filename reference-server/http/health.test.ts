import { mkdtemp, readFile, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { parse } from "yaml";
import { version } from "../../base/described.ts";
import { contractVersion } from "../../generated/contract.ts";
import { defaultConfig } from "../config.ts";
import { baseUrl, createLog, defaultParts, type DefaultParts } from "../parts-default.ts";
import { createServer, type Server } from "../server.ts";
import { createMetrics } from "./metrics.ts";

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
  expect(text).toContain('capability_http_requests_total{operation="getCredits",status="200"} 1');
  expect(text).toContain('capability_http_requests_total{operation="getCredits",status="401"} 1');
  expect(text).toContain('capability_http_requests_total{operation="other",status="404"} 1');
  expect(text).toContain(
    'capability_http_request_duration_seconds_count{operation="getCredits",status="200"} 1',
  );
  expect(text).toMatch(/capability_writer_batch_commands_count [1-9]/);
  expect(text).toContain("capability_holds_open 1");
  expect(text).not.toContain(apiKey);
});

it("has every metric that an alert rule of the deployment uses", async () => {
  const { groups } = parse(await readFile(new URL("../deploy/alerts.yaml", import.meta.url), "utf8")) as {
    groups: { rules: { alert: string; expr: string; annotations: { summary: string } }[] }[];
  };
  const registry = createMetrics(version);
  registry.watchLimiter(() => true);
  registry.watchProcess();
  const known = `${(await get("/metrics")).text}\n${await registry.text()}`;
  const rules = groups.flatMap(({ rules }) => rules);
  expect(rules.length).toBeGreaterThan(5);
  for (const { alert, expr, annotations } of rules) {
    expect(annotations.summary, alert).not.toBe("");
    for (const name of expr.match(/\b(?:capability|process|nodejs)_[a-z0-9_]+/g) ?? []) {
      const metric = name.replace(/_(?:bucket|count|sum)$/, "");
      expect(known, `${alert} asks for ${name}`).toMatch(new RegExp(`^# TYPE (?:${name}|${metric}) `, "m"));
    }
  }
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
  await expect.poll(() => get("/readyz")).toMatchObject({ status: 200 });
  expect((await register()).status).toBe(200);
});

it.each(["data.sqlite", "data.sqlite-wal"])(
  "is not ready while %s is away, and creates none",
  async (name) => {
    const path = join(folder, name);
    await rename(path, `${path}.away`);
    expect(await get("/readyz")).toMatchObject({
      status: 503,
      text: '{"status":"unavailable","reason":"The database cannot be read."}',
    });
    await rename(`${path}.away`, path);
    await expect.poll(() => get("/readyz")).toMatchObject({ status: 200 });
  },
);

it("shows its version, its connections to the database, and its refusals by a limit", async () => {
  const refused = { method: "POST", body: "no JSON" };
  for (let sent = 0; sent <= defaultConfig.quotas.anonymous; sent += 1)
    await fetch(`${origin}/api/v1/agent/anonymous-register`, refused);
  const { text } = await get("/metrics");
  expect(text).toContain(`capability_build_info{version="${version}",contract="${contractVersion}"} 1`);
  expect(text).toMatch(/capability_database_connections\{state="used"\} \d/);
  expect(text).toContain('capability_database_connections{state="pending"} 0');
  expect(text).toMatch(/capability_rate_limit_refusals_total\{operation="registerAnonymous"\} [1-9]/);
});

it("is ready while the database answers, and alive without it", async () => {
  const ready = await get("/readyz");
  expect(ready).toMatchObject({ status: 200, text: '{"status":"ready"}' });
  expect(ready.headers.get("x-service-api-version")).toBe(contractVersion);
  await defaults.close();
  expect(await get("/readyz")).toMatchObject({ status: 503 });
  expect(await get("/healthz")).toMatchObject({ status: 200 });
  expect((await get("/metrics")).text).toContain("capability_holds_open Nan");
});
