import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { contractVersion } from "../../generated/contract.ts";
import { defaultConfig, type Config } from "../config.ts";
import { operations } from "../operations/index.ts";
import type { Operations } from "./operation.ts";
import { baseUrl, defaultParts, type DefaultParts } from "../parts-default.ts";
import type { Parts } from "../parts.ts";
import { createServer } from "../server.ts";
import { createLimiter } from "./limiter.ts";

let folder: string;
let defaults: DefaultParts;
let config: Config;
let accountId: string;
let key: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "app-"));
  config = { ...defaultConfig, dataFolder: folder, trustedProxies: [] };
  defaults = await defaultParts(config, { log: pino({ level: "silent" }) });
  const account = await defaults.parts.accounts.create({ name: "tests", email: null });
  accountId = account.id;
  key = (await defaults.parts.accounts.addKey(accountId, "key")).apiKey;
  await defaults.parts.books.move({
    accountId,
    entryType: "grant_payment_recharge",
    amount: 100_000_000,
    description: "for tests",
  });
});

afterAll(async () => {
  await defaults.close();
  await rm(folder, { recursive: true });
});

interface Changes {
  config?: Partial<Config>;
  parts?: Partial<Parts>;
  operations?: Partial<Operations>;
}

interface Asked {
  method?: string;
  body?: unknown;
  token?: string;
  headers?: Record<string, string>;
}

/** Sends one request to a server with the given differences from the reference. */
async function askChanged(changes: Changes, path: string, asked: Asked = {}) {
  return withServer(changes, (ask) => ask(path, asked));
}

type Ask = (
  path: string,
  asked?: Asked,
) => Promise<{ status: number; headers: Headers; text: string; body: Record<string, unknown> }>;

async function withServer<Value>(changes: Changes, use: (ask: Ask) => Promise<Value>): Promise<Value> {
  const changed = { ...config, ...changes.config };
  const server = createServer(
    changed,
    { ...defaults.parts, ...changes.parts },
    { operations: { ...operations, ...changes.operations } },
  );
  const base = baseUrl(changed.host, await server.start(0));
  try {
    return await use(async (path, { method, body, token = key, headers = {} } = {}) => {
      const response = await fetch(`${base}${path}`, {
        method: method ?? (body === undefined ? "GET" : "POST"),
        headers: { Authorization: `Bearer ${token}`, ...headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      const json = response.headers.get("content-type")?.startsWith("application/json") === true;
      return {
        status: response.status,
        headers: response.headers,
        text,
        body: json && text !== "" ? (JSON.parse(text) as Record<string, unknown>) : {},
      };
    });
  } finally {
    await server.stop();
  }
}

/** An operation whose answer breaks its type, as a bug in the server would. */
const answering = (answer: object) => (async () => answer) as never;

describe("an answer that breaks the contract", () => {
  const broken: [string, object][] = [
    ["a body", { status: 200, body: { status: "success", message: 7 } }],
    ["a body of a 5xx", { status: 503, body: { message: "no status" } }],
    ["a header", { status: 200, body: null, headers: { "X-Service-Api-Version": "1999-01-01.1" } }],
    ["a content type", { status: 200, contentType: "text/plain", stream: (async function* () {})() }],
  ];

  it.each(broken)("is refused with a 500: %s", async (_what, answer) => {
    const good = await operations.getCredits(
      {
        query: {},
        params: {},
        headers: {},
        body: undefined,
        caller: callerOf(),
        clientAddress: "",
        hold: () => undefined,
      },
      { ...defaults.parts, config },
    );
    const given =
      "body" in answer && answer.body === null
        ? { ...good, ...answer, body: (good as { body: object }).body }
        : answer;
    const answered = await askChanged({ operations: { getCredits: answering(given) } }, "/auth/credits");
    expect(answered).toMatchObject({ status: 500, body: { status: "failure", status_code: 500 } });
    expect(answered.body.message).toMatch(/would break the contract/);
  });

  it("is sent in production, so a client still gets it", async () => {
    const answer = { status: 200, body: { status: "success", message: 7 } };
    const answered = await askChanged(
      { config: { brokenAnswers: "report" }, operations: { getCredits: answering(answer) } },
      "/auth/credits",
    );
    expect(answered).toMatchObject({ status: 200, body: { message: 7 } });
  });

  it("hides the message of an unforeseen error", async () => {
    const failing = (async () => {
      throw new Error("the password is swordfish");
    }) as never;
    const answered = await askChanged({ operations: { getCredits: failing } }, "/auth/credits");
    expect(answered).toMatchObject({ status: 500, body: { status: "failure" } });
    expect(answered.text).not.toContain("swordfish");
    expect(answered.headers.get("x-service-api-version")).toBe(contractVersion);
  });

  it.each([
    [502, new Error("no catalogue")],
    [504, new DOMException("The catalogue is slow.", "TimeoutError")],
  ])("is not a failed Inspect, which has a shape of its own, with %i", async (status, failure) => {
    const catalog = {
      ...defaults.parts.catalog,
      find: () => {
        throw failure;
      },
    };
    const answered = await askChanged({ parts: { catalog } }, "/tools/by-ids", { body: { tool_ids: ["a"] } });
    expect(answered).toMatchObject({
      status,
      body: { error: expect.any(String), remaining_credits: 100 },
    });
    expect(Object.keys(answered.body)).toEqual(["error", "remaining_credits"]);
    expect(answered.headers.get("x-ratelimit-limit")).toBe("120");
  });
});

const callerOf = () => ({
  account: {
    id: accountId,
    type: "formal" as const,
    name: null,
    email: null,
    createdAt: 0,
    trialExpiresAt: null,
  },
  credential: { type: "api_key" as const, apiKeyId: null, oauthClientId: null, delegation: null },
});

describe("pages of another origin", () => {
  const preflight = {
    method: "OPTIONS",
    headers: { Origin: "https://app.example", "Access-Control-Request-Method": "POST" },
  };
  const allowed = ({ headers }: { headers: Headers }) => headers.get("access-control-allow-origin");

  it("are allowed where the operator says so, with every header of an answer, and only there", async () => {
    await withServer({ config: { corsOrigins: ["https://app.example"] } }, async (ask) => {
      const asked = await ask("/tools/execute", preflight);
      expect([asked.status, allowed(asked)]).toEqual([204, "https://app.example"]);
      const answer = await ask("/auth/credits", { headers: { Origin: "https://app.example" } });
      expect(answer.headers.get("access-control-expose-headers")).toContain("X-RateLimit-Remaining");
      expect(
        allowed(await ask("/auth/credits", { headers: { Origin: "https://other.example" } })),
      ).toBeNull();
    });
    expect(allowed(await askChanged({}, "/tools/execute", preflight))).toBeNull();
  });
});

describe("addresses", () => {
  const register = { body: {}, headers: { "X-Forwarded-For": "203.0.113.7" } };

  it("believes X-Forwarded-For only behind a configured proxy", async () => {
    const remaining = (changes: Changes) =>
      withServer(changes, async (ask) => {
        await ask("/agent/anonymous-register", register);
        const other = { ...register, headers: { "X-Forwarded-For": "203.0.113.8" } };
        return (await ask("/agent/anonymous-register", other)).headers.get("x-ratelimit-remaining");
      });
    const quotas = { ...config.quotas, anonymous: 5 };
    const limiter = () => createLimiter({ clock: { now: () => 0 }, windowSeconds: 60, kind: "aligned" });
    expect(await remaining({ config: { quotas }, parts: { limiter: limiter() } })).toBe("3");
    const trusting = { quotas, trustedProxies: ["loopback"] };
    expect(await remaining({ config: trusting, parts: { limiter: limiter() } })).toBe("4");
  });

  it("stops an address that only guesses keys, with the error object", async () => {
    const limiter = createLimiter({ clock: { now: () => 0 }, windowSeconds: 60, kind: "aligned" });
    const quotas = { ...config.quotas, call: 1 };
    const statuses = await withServer({ config: { quotas }, parts: { limiter } }, async (ask) => {
      const guess = { token: "wrong", body: { parameters: {} } };
      return [(await ask("/tools/execute", guess)).status, (await ask("/tools/execute", guess)).status];
    });
    expect(statuses).toEqual([401, 429]);
  });
});

describe("capabilities and tokens", () => {
  it("binds a delegation token to its run, its provider and its two operations", async () => {
    const { catalog, tokens } = defaults.parts;
    const capability = catalog.capability("market.quote")!;
    const path = `/capabilities/${capability.capability_id}`;
    const token = await tokens.sign({
      accountId,
      lifetimeMs: 60_000,
      delegation: { runId: "run-1", providerId: capability.provider_id, maxCredits: 0.000001 },
    });
    await withServer({}, async (ask) => {
      const provider = encodeURIComponent(capability.provider_id);
      expect((await ask(path, { token })).status).toBe(403);
      expect((await ask(`${path}?run_id=run-2&provider_id=${provider}`, { token })).status).toBe(403);
      expect((await ask(`${path}?run_id=run-1&provider_id=other`, { token })).status).toBe(403);
      const right = await ask(`${path}?run_id=run-1&provider_id=${provider}`, { token });
      expect(right).toMatchObject({ status: 200, body: { schema_hash: capability.schema_hash } });
      const query = {
        capability_id: capability.capability_id,
        parameters: { symbol: "ACME" },
        run_id: "run-1",
        provider_id: capability.provider_id,
      };
      expect((await ask("/capabilities/query", { token, body: query })).status).toBe(422);
      expect((await ask("/auth/credits", { token })).status).toBe(401);
      expect((await ask("/capabilities/query", { body: query })).body).toMatchObject({ success: true });
    });
  });

  it("tells valid, expired and foreign tokens apart", async () => {
    const { tokens } = defaults.parts;
    const token = await tokens.sign({ accountId, lifetimeMs: 60_000 });
    await withServer({}, async (ask) => {
      const verify = (token: string) => ask("/auth/verify-token", { method: "POST", token });
      expect((await verify(token)).body.data).toMatchObject({ is_valid: true, is_expired: false });
      expect((await verify(key)).body.data).toMatchObject({ is_valid: false, payload: null });
      expect((await verify(`${token.slice(0, -4)}AAAA`)).status).toBe(401);
      expect((await ask("/auth/credits", { token })).status).toBe(200);
    });
  });

  it("streams exports as CSV under a file name", async () => {
    const answered = await askChanged({}, "/auth/credits/ledger/export");
    expect(answered.status).toBe(200);
    expect(answered.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    expect(answered.headers.get("content-disposition")).toContain("attachment");
    expect(answered.text.split("\r\n")[0]).toContain("entry_type");
  });
});

it("charges a Discover where the deployment does, and refuses it with both shapes together", async () => {
  const poor = await defaults.parts.accounts.create({ name: "poor", email: null });
  const token = (await defaults.parts.accounts.addKey(poor.id, "key")).apiKey;
  await withServer({ config: { discoverPrice: 0.5 } }, async (ask) => {
    const before = (await defaults.parts.books.balance(accountId)).available;
    await ask("/search", { body: { query: "news", view: "routing" } });
    expect((await defaults.parts.books.balance(accountId)).available).toBe(before - 500_000);
    const refused = await ask("/search", { token, body: { query: "news" } });
    expect(refused).toMatchObject({
      status: 402,
      body: { status: "failure", search_id: "srch_failed", results: [], remaining_credits: 0 },
    });
    expect((await ask("/auth/usage/history/v2", { token })).body.data).toMatchObject({ total: 0 });
  });
});
