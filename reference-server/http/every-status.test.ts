import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { micro } from "../billing/money.ts";
import { sampleCapabilities, sampleTools } from "../catalog/sample-roles.ts";
import { defaultConfig, type Config } from "../config.ts";
import { operations } from "../operations/index.ts";
import { baseUrl, createLog, defaultParts, type DefaultParts } from "../parts-default.ts";
import type { Execution, Parts } from "../parts.ts";
import { createServer, type Server } from "../server.ts";
import { worked } from "../operations/worked.fixture.ts";
import { Unavailable } from "../storage/connection.ts";
import { HttpError, Invalid, RateLimited } from "./errors.ts";
import type { Operation, OperationId, Operations } from "./operation.ts";
import { publishedOperations, readSpec } from "./published-operations.ts";

/*
 * Sends every answer that the spec documents once over HTTP. The server refuses to send an answer that breaks the spec,
 * so the expected status shows that headers and body are as documented.
 */

/** One request; `token` null for none; the default `account` is the one with credits. */
interface Asked {
  path?: string;
  query?: string;
  body?: unknown;
  headers?: Record<string, string>;
  token?: "account" | "poor" | "delegation" | null;
  /** The provider's behaviour. */
  execution?: Partial<Execution>;
  /** A fault after the request was admitted. */
  fails?: () => Error;
  /** A fault when the catalogue is read. */
  catalogFails?: () => Error;
  /** A server with small quotas, or one that charges Discover. */
  server?: "strict" | "charging";
}

const uuid = "00000000-0000-4000-8000-000000000000";
const { charged, expensive } = sampleTools;
const quote = sampleCapabilities.query;
const claim = { claim_code: "no-such-claim-code", email: "nobody@example.com" };

/** A valid request for an operation that needs more than its path. */
const right: Readonly<Partial<Record<OperationId, Asked>>> = {
  discover: { body: { query: "weather" } },
  inspect: { body: { tool_ids: [charged.id] } },
  probe: { query: `tool_id=${charged.id}`, body: {} },
  call: { body: { tool_id: charged.id, parameters: charged.parameters } },
  queryCapability: { body: { capability_id: quote.id, parameters: quote.parameters, max_credits: 10 } },
  getCapability: { path: `/capabilities/${quote.id}` },
  registerAnonymous: { body: {}, token: null },
  startClaim: { body: claim, token: null },
  verifyClaim: { body: { ...claim, code: "000000" }, token: null },
  getLedgerEntry: { path: `/auth/credits/ledger/${uuid}` },
  getUsageEvent: { path: `/auth/usage/history/v2/${uuid}` },
};

const failing = (fails: () => Error): Asked => ({ fails });
const thrown = (status: number): Asked => failing(() => new HttpError(status, "It is so."));
const noDelegation = { token: "delegation" } as const;
const timeout = (): Error => new DOMException("The catalogue is slow.", "TimeoutError");

/** How single operations reach a status. */
const ownWay: Readonly<Record<string, Asked>> = {
  "discover 402": { server: "charging", token: "poor" },
  "inspect 502": { catalogFails: () => new Error("no catalogue") },
  "inspect 504": { catalogFails: timeout },
  "probe 400": { query: "" },
  "probe 404": { query: "tool_id=no.such.tool" },
  "call 402": { token: "poor", body: { tool_id: expensive.id, parameters: expensive.parameters } },
  "queryCapability 402": { token: "poor" },
  "queryCapability 403": noDelegation,
  "queryCapability 404": { body: { capability_id: "no.such.capability" } },
  "queryCapability 408": { execution: { reason: "transport.timeout", success: false } },
  "queryCapability 500": { execution: { reason: "transport.execution_failed", success: false } },
  "getCapability 403": noDelegation,
  "getCapability 404": { path: "/capabilities/no.such.capability" },
  "getCapability 422": { path: "/capabilities/%20" },
  "getUsageEvent 422": { path: "/auth/usage/history/v2/no-uuid" },
  "listLedger 400": { query: "direction=sideways" },
};

/** Parameters refused with 422, for operations without a body. */
const brokenQuery = "start_date=2026-01-01&start_date=2026-01-02";

/**
 * Statuses that are documented for servers of the contract but never sent by this one. It limits only the operations
 * listed in the contract, asks no provider for a probe, charges nothing for a detail, and accepts any text as an
 * entry's id.
 */
const neverByItself: Readonly<Record<string, Asked>> = {
  "probe 502": thrown(502),
  "probe 504": thrown(504),
  "getCapability 402": thrown(402),
  "getCapability 408": thrown(408),
  ...Object.fromEntries(
    ["queryCapability", "getCapability", "verifyToken"].map((id) => [
      `${id} 429`,
      failing(() => new RateLimited(60, 60, 1)),
    ]),
  ),
  ...Object.fromEntries(
    ["getLedgerEntry", "verifyToken"].map((id) => [
      `${id} 422`,
      failing(() => new Invalid([{ loc: ["query", "x"], msg: "x is wrong", type: "type" }])),
    ]),
  ),
};

/** Documented for servers that answer a Call of an unknown tool this way; this one always answers 200. */
const otherServers: ReadonlySet<string> = new Set(["call 404"]);

/** How any operation reaches a status. */
function anyWay(id: OperationId, status: string): Asked | undefined {
  const hasBody = right[id]?.body !== undefined;
  switch (status) {
    case "400":
      return hasBody ? { headers: { "Content-Encoding": "gzip" } } : { query: "start_date=yesterday" };
    case "401":
      return { token: null };
    case "404":
      return {};
    case "413":
      return { body: { long: "x".repeat(30_000) } };
    case "415":
      return { headers: { "Content-Encoding": "lzma" } };
    case "422":
      return hasBody ? { body: [] } : { query: brokenQuery };
    case "429":
      return { server: "strict" };
    case "500":
    case "default":
      return failing(() => new Error("unforeseen"));
    case "503":
      return failing(() => new Unavailable("the database is gone"));
    default:
      return undefined;
  }
}

/** A success needs no fault, and the suite shows each one. */
const documented = publishedOperations(readSpec()).flatMap((operation) =>
  Object.keys(operation.spec.responses)
    .filter((status) => status !== "200" && !otherServers.has(`${operation.id} ${status}`))
    .map((status) => ({ operation, status, name: `${operation.id} ${status}` })),
);

describe("every failure that the spec documents", () => {
  let folder: string;
  let defaults: DefaultParts;
  const servers = {} as Record<"usual" | "strict" | "charging", Server>;
  const bases = {} as Record<"usual" | "strict" | "charging", string>;
  const tokens = {} as Record<"account" | "poor" | "delegation", string>;
  let execution: Partial<Execution>;
  let fails: (() => Error) | undefined;
  let catalogFails: (() => Error) | undefined;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "statuses-"));
    const config: Config = { ...defaultConfig, dataFolder: folder, bodyLimit: 20_000 };
    defaults = await defaultParts(config, { log: createLog("silent") });
    const { accounts, books, catalog, tokens: signed } = defaults.parts;
    const parts: Parts = {
      ...defaults.parts,
      providers: { execute: () => Promise.resolve({ ...worked, ...execution }) },
      catalog: {
        ...catalog,
        find(toolId) {
          if (catalogFails !== undefined) throw catalogFails();
          return catalog.find(toolId);
        },
      },
    };
    const throwing = Object.entries(operations).map(([id, operation]) => [
      id,
      async (request: never, context: never): Promise<unknown> => {
        if (fails !== undefined) throw fails();
        return (operation as Operation<OperationId>)(request, context);
      },
    ]);
    const nothing = { discover: 0, inspect: 0, probe: 0, call: 0, anonymous: 0 };
    const changed = { operations: Object.fromEntries(throwing) as Operations };
    servers.usual = createServer(config, parts, changed);
    servers.strict = createServer({ ...config, quotas: nothing }, parts, changed);
    servers.charging = createServer({ ...config, discoverPrice: 0.5 }, parts, changed);
    for (const [name, server] of Object.entries(servers)) {
      bases[name as "usual"] = baseUrl(config.host, await server.start(0));
    }
    const account = await accounts.create({ name: "account", email: null });
    const poor = await accounts.create({ name: "poor", email: null });
    await books.move({
      accountId: account.id,
      entryType: "grant_payment_recharge",
      amount: micro(1_000),
      description: "for tests",
    });
    const delegation = { runId: "run", providerId: quote.provider_id, maxCredits: null };
    tokens.account = (await accounts.addKey(account.id, "key")).apiKey;
    tokens.poor = (await accounts.addKey(poor.id, "key")).apiKey;
    tokens.delegation = await signed.sign({ accountId: account.id, lifetimeMs: 600_000, delegation });
  });
  afterAll(async () => {
    await Promise.all(Object.values(servers).map((server) => server.stop()));
    await defaults.close();
    await rm(folder, { recursive: true });
  });

  it.each(documented)("$name", async ({ operation: { id, method, path }, status, name }) => {
    const way = ownWay[name] ?? neverByItself[name] ?? anyWay(id, status);
    if (way === undefined) throw new Error(`nothing here brings about ${name}`);
    const asked = {
      token: "account",
      server: "usual",
      headers: {},
      query: "",
      ...right[id],
      ...way,
    } as const;
    execution = asked.execution ?? {};
    ({ fails, catalogFails } = asked);
    const response = await fetch(`${bases[asked.server]}${asked.path ?? path}?${asked.query}`, {
      method,
      headers: {
        ...(asked.token !== null && { Authorization: `Bearer ${tokens[asked.token]}` }),
        ...asked.headers,
      },
      ...(asked.body !== undefined && { body: JSON.stringify(asked.body) }),
    });
    const text = await response.text();
    expect(response.status, text.slice(0, 300)).toBe(status === "default" ? 500 : Number(status));
    expect(text).not.toContain("would break the contract");
  });
});
