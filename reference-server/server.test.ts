import { mkdtemp, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { contractVersion } from "../generated/contract.ts";
import { defaultConfig, type Config } from "./config.ts";
import { baseUrl, defaultParts, type DefaultParts } from "./parts-default.ts";
import { createServer, type Server } from "./server.ts";

interface Answered {
  status: number;
  headers: Headers;
  body: Record<string, unknown>;
}

let folder: string;
let defaults: DefaultParts;
let server: Server;
let base: string;
let port: number;
let key: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "server-"));
  const config: Config = {
    ...defaultConfig,
    dataFolder: folder,
    quotas: { discover: 40, inspect: 40, probe: 40, call: 60, anonymous: 40 },
    windowSeconds: 3600,
  };
  defaults = await defaultParts(config, { log: pino({ level: "silent" }) });
  server = createServer(config, defaults.parts);
  port = await server.start(0);
  base = baseUrl(config.host, port);
  key = await register();
});

afterAll(async () => {
  await server.stop();
  await defaults.close();
  await rm(folder, { recursive: true });
});

async function ask(
  method: string,
  path: string,
  { body, token = key, headers = {} }: { body?: unknown; token?: string | null; headers?: object } = {},
): Promise<Answered> {
  const response = await fetch(`${base}${path}`, {
    method,
    headers: {
      ...(token !== null && { Authorization: `Bearer ${token}` }),
      ...(body !== undefined && { "Content-Type": "application/json" }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: (text.startsWith("{") ? JSON.parse(text) : { text }) as Answered["body"],
  };
}

async function register(): Promise<string> {
  const { body } = await ask("POST", "/agent/anonymous-register", {
    token: null,
    body: { agent_name: "tests" },
  });
  return (body.data as { api_key: string }).api_key;
}

/** Sends bytes that no HTTP client would send; returns what comes back. */
const raw = (bytes: string, to = port): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(to, "127.0.0.1", () => socket.write(bytes));
    let answer = "";
    socket.on("data", (chunk) => (answer += chunk.toString()));
    socket.on("end", () => resolve(answer));
    socket.on("error", reject);
  });

describe("the core path", () => {
  it("discovers, inspects, probes, calls, and audits the charge", async () => {
    const found = await ask("POST", "/search", { body: { query: "weather", limit: 3, session_id: "s-1" } });
    expect(found).toMatchObject({
      status: 200,
      body: { query: "weather", error_message: null, remaining_credits: 50 },
    });
    const results = found.body.results as { tool_id: string }[];
    expect(found.body.total).toBe(results.length);

    const tool = defaults.parts.catalog.tools.find(
      ({ availability, billing_rule, examples }) =>
        availability === "available" &&
        billing_rule?.unit === "request" &&
        billing_rule.policy === undefined &&
        billing_rule.amount_credits > 0 &&
        examples !== undefined,
    )!;
    const price = tool.billing_rule!.amount_credits;
    const parameters = tool.examples!.sample_parameters;
    const inspected = await ask("POST", "/tools/by-ids", {
      body: { tool_ids: [tool.tool_id, "nobody.knows"] },
    });
    expect(inspected.body).toMatchObject({ total: 1, results: [{ tool_id: tool.tool_id }] });

    const probed = await ask("POST", `/tools/probe?tool_id=${tool.tool_id}`, {
      body: { parameters, checks: ["schema", "quote", "sample"] },
    });
    expect(probed.body).toMatchObject({
      schema: { valid: true },
      quote: { estimate_credits: price, currency: "credits", exact: true, basis: "per_call" },
      sample: { verdict: "unknown" },
    });
    expect(probed.body).not.toHaveProperty("coverage");

    const called = await ask("POST", "/tools/execute", {
      body: { tool_id: tool.tool_id, parameters, search_id: found.body.search_id },
    });
    expect(called).toMatchObject({
      status: 200,
      body: { success: true, error_message: null, cost: price, remaining_credits: 50 - price },
    });
    const executionId = called.body.execution_id as string;

    const usage = await ask("GET", `/auth/usage/history/v2?execution_id=${executionId}`);
    const items = (usage.body.data as { items: Record<string, unknown>[] }).items;
    expect(items).toHaveLength(1);
    expect(items[0]).toMatchObject({
      event_type: "tool_execute",
      charge_outcome: "charged",
      reason_code: "result.valid",
      actual_amount_credits: price,
      session_id: executionId,
      search_id: found.body.search_id,
    });
    const event = await ask("GET", `/auth/usage/history/v2/${items[0]!.id as string}`);
    expect(event.body.data).toMatchObject({ execution_id: executionId });
    const entry = await ask("GET", `/auth/credits/ledger/${items[0]!.credits_ledger_entry_id as string}`);
    expect(entry.body.data).toMatchObject({ amount_credits: -price, entry_type: "consume_tool_execute" });
    const credits = await ask("GET", "/auth/credits");
    expect(credits.body.data).toMatchObject({ remaining_credits: 50 - price });
  });

  it("answers 402 when the hold is not covered, and leaves no event", async () => {
    const { parts } = defaults;
    const poor = await parts.accounts.create({ name: "poor", email: null });
    const { apiKey } = await parts.accounts.addKey(poor.id, "only");
    const tool = parts.catalog.tools.find(
      (each) => each.availability === "available" && each.examples && parts.pricing.upperBound(each) > 0,
    )!;
    const called = await ask("POST", "/tools/execute", {
      token: apiKey,
      body: { tool_id: tool.tool_id, parameters: tool.examples!.sample_parameters },
    });
    expect(called).toMatchObject({ status: 402, body: { success: false, remaining_credits: 0 } });
    const usage = await ask("GET", "/auth/usage/history/v2", { token: apiKey });
    expect(usage.body.data).toMatchObject({ total: 0 });
  });

  it("leaves an uncharged event for parameters that break the contract, and for an unknown tool", async () => {
    const token = await register();
    const tool = defaults.parts.catalog.tools.find(
      ({ availability, params }) => availability === "available" && params.some(({ required }) => required),
    )!;
    const broken = await ask("POST", "/tools/execute", {
      token,
      body: { tool_id: tool.tool_id, parameters: {} },
    });
    expect(broken).toMatchObject({ status: 422, body: { success: false, details: [{ type: "missing" }] } });
    const unknown = await ask("POST", "/tools/execute?tool_id=nobody.knows", {
      token,
      body: { parameters: {} },
    });
    expect(unknown).toMatchObject({ status: 200, body: { success: false, remaining_credits: 50 } });
    const usage = await ask("GET", "/auth/usage/history/v2", { token });
    const items = (usage.body.data as { items: { reason_code: string; charge_outcome: string }[] }).items;
    expect(items.map(({ reason_code }) => reason_code)).toEqual(["tool_unavailable", "validation_error"]);
    expect(new Set(items.map(({ charge_outcome }) => charge_outcome))).toEqual(
      new Set(["failed_not_charged"]),
    );
  });

  it("limits a projected answer to identity, timing, cost, credits and result", async () => {
    const tool = defaults.parts.catalog.tools.find(({ tool_id }) => tool_id.includes("weather"))!;
    const called = await ask("POST", "/tools/execute", {
      body: {
        tool_id: tool.tool_id,
        parameters: tool.examples?.sample_parameters ?? {},
        respond_with: "summary",
      },
    });
    expect(called.status).toBe(200);
    expect(called.body).not.toHaveProperty("billing");
    expect(called.body.result).toMatchObject({ respond_with: "summary" });
    for (const respond_with of ["full", "summary"]) {
      const body = { tool_id: "nobody.knows", parameters: {}, respond_with };
      const failed = await ask("POST", "/tools/execute", { body });
      expect(failed.body).toMatchObject({ success: false });
      expect("billing" in failed.body, `billing of a failed Call, ${respond_with}`).toBe(
        respond_with === "full",
      );
    }
  });

  it("reads capabilities and queries them within a budget", async () => {
    const detail = await ask("GET", "/capabilities/nobody.knows");
    expect(detail).toMatchObject({ status: 404, body: { status: "failure" } });
    const blank = await ask("GET", "/capabilities/%20");
    expect(blank.status).toBe(422);
    const refused = await ask("POST", "/capabilities/query", { body: { capability_id: "x", surplus: 1 } });
    expect(refused.status).toBe(422);
  });
});

describe("what every request passes", () => {
  it("refuses every kind of bad credential before it looks at the body", async () => {
    for (const Authorization of ["", "Bearer", "Basic abc", "Bearer not-a-key", "Bearer a b"]) {
      const answered = await ask("POST", "/search", { token: null, headers: { Authorization }, body: "{" });
      expect(answered).toMatchObject({
        status: 401,
        body: { status: "failure", status_code: 401, search_id: "srch_failed", total: 0, results: [] },
      });
      expect(answered.headers.get("www-authenticate")).toBe("Bearer");
      expect(answered.headers.get("x-ratelimit-limit")).toBe("40");
    }
  });

  it("refuses a bad body in the operation's own shape, whatever its content type", async () => {
    const malformed = await ask("POST", "/tools/execute", { body: "{" });
    expect(malformed).toMatchObject({
      status: 422,
      body: { success: false, details: [{ type: "json_invalid" }] },
    });
    const wrong = await ask("POST", "/search", { body: { query: 7, limit: 101 } });
    expect(wrong.status).toBe(422);
    const locations = (wrong.body.detail as { loc: string[] }[]).map(({ loc }) => loc.join("."));
    expect(locations.sort()).toEqual(["body.limit", "body.query"]);
    const untyped = await ask("POST", "/search", {
      body: '{"query": "news"}',
      headers: { "Content-Type": "text/x" },
    });
    expect(untyped.status).toBe(200);
    const large = await ask("POST", "/search", { body: { query: "x".repeat(1_100_000) } });
    expect(large).toMatchObject({ status: 413, body: { status: "failure" } });
  });

  it("refuses numbers that only a lenient reader would take", async () => {
    for (const page of ["0x10", "1e1", "+1", "1.0", ""]) {
      const answered = await ask("GET", `/auth/credits/ledger?page=${encodeURIComponent(page)}`);
      expect([page, answered.status]).toEqual([page, 422]);
    }
    expect((await ask("GET", "/auth/credits/ledger?page=1&page=2")).status).toBe(422);
    expect((await ask("GET", "/auth/credits/ledger?start_date=2026-01-01T00:00:00Z")).status).toBe(200);
  });

  it("says which methods are allowed, and where nothing exists", async () => {
    const method = await ask("DELETE", "/search");
    expect([method.status, method.headers.get("allow")]).toEqual([405, "POST"]);
    expect((await ask("GET", "/auth/credits/")).status).toBe(404);
    expect((await ask("GET", "/Auth/credits")).status).toBe(404);
    const nowhere = await ask("GET", "/nowhere");
    expect(nowhere).toMatchObject({ status: 404, body: { status: "failure", status_code: 404 } });
    expect(nowhere.headers.get("x-service-api-version")).toBe(contractVersion);
    const head = await fetch(`${base}/auth/credits`, {
      method: "HEAD",
      headers: { Authorization: `Bearer ${key}` },
    });
    expect([head.status, await head.text()]).toEqual([200, ""]);
  });

  it("keeps the version header when the HTTP itself is broken", async () => {
    const broken = {
      "400": ["NONSENSE\r\n\r\n", "GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n"],
      "431": [`GET / HTTP/1.1\r\nHost: a\r\nX-Long: ${"x".repeat(20_000)}\r\n\r\n`],
      "405": ["CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n"],
      "417": [
        "POST / HTTP/1.1\r\nHost: a\r\nExpect: magic\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
      ],
    };
    for (const [status, requests] of Object.entries(broken)) {
      for (const request of requests) {
        const answer = await raw(request);
        expect(answer).toContain(`HTTP/1.1 ${status} `);
        expect(answer.toLowerCase()).toContain(`x-service-api-version: ${contractVersion}`);
        expect(answer).toContain('"status":"failure"');
      }
    }
  });

  it("gives up on a request whose head or body does not arrive", async () => {
    const hasty = createServer({ ...defaultConfig, port: 0 }, defaults.parts, { arrivalMs: 200 });
    const to = await hasty.start();
    try {
      const head = "POST /api/v1/agent/claim HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n";
      for (const part of [head, `${head}Content-Length: 100\r\n\r\n{"email"`]) {
        const answer = await raw(part, to);
        expect(answer).toMatch(/^HTTP\/1\.1 408 /);
        expect(answer.toLowerCase()).toContain(`x-service-api-version: ${contractVersion}`);
        expect(answer).toContain('"status":"failure"');
      }
    } finally {
      await hasty.stop();
    }
  });

  it("counts every key of an account against one quota, and stops at it", async () => {
    const { accounts } = defaults.parts;
    const account = await accounts.create({ name: "busy", email: null });
    const keys = [
      (await accounts.addKey(account.id, "a")).apiKey,
      (await accounts.addKey(account.id, "b")).apiKey,
    ];
    const remaining: (string | null)[] = [];
    for (let i = 0; i < 40; i++) {
      const answered = await ask("POST", "/tools/probe?tool_id=nobody.knows", { token: keys[i % 2]! });
      expect(answered.status).toBe(404);
      remaining.push(answered.headers.get("x-ratelimit-remaining"));
    }
    expect(remaining).toEqual(Array.from({ length: 40 }, (_, i) => String(39 - i)));
    const refused = await ask("POST", "/tools/probe?tool_id=nobody.knows", { token: keys[0]! });
    expect(refused).toMatchObject({ status: 429, body: { status: "failure", status_code: 429 } });
    const reset = Number(refused.headers.get("x-ratelimit-reset"));
    expect(reset % 3600).toBe(0);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  });

  it("serves the spec at stable and at pinned addresses", async () => {
    const origin = `http://127.0.0.1:${port}`;
    for (const prefix of [origin, base]) {
      for (const path of ["/openapi.json", `/openapi/${contractVersion}.json`]) {
        const spec = (await (await fetch(prefix + path)).json()) as { openapi: string };
        expect(spec.openapi).toMatch(/^3\.1/);
      }
      const yaml = await fetch(`${prefix}/openapi/${contractVersion}.yaml`);
      expect(yaml.headers.get("content-type")).toContain("application/yaml");
      expect(await yaml.text()).toMatch(/^openapi: /m);
    }
  });
});
