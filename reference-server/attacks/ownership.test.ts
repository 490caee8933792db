import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  sign,
  type KeyObject,
} from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sampleCapabilities, sampleTools } from "../catalog/sample-roles.ts";
import { readSpec, publishedOperations } from "../http/published-operations.ts";
import { startAttacked, type Attacked } from "./attacked.fixture.ts";

interface Owned {
  key: string;
  accountId: string;
  keyId: string;
  executionId: string;
  searchId: string;
  sessionId: string;
  eventId: string;
  entryId: string;
  cursor: string;
}

let server: Attacked;
let victim: Owned;
let thief: Owned;

/** An account with a search, two calls and their traces. */
async function owner(name: string): Promise<Owned> {
  const { accounts, books } = server.parts;
  const { id: accountId } = await accounts.create({ name, email: null });
  const { id: keyId, apiKey: key } = await accounts.addKey(accountId, name);
  await books.move({
    accountId,
    entryType: "grant_payment_recharge",
    amount: 100_000_000,
    description: name,
  });
  const sessionId = `session-of-${name}`;
  const found = await server.ask("POST", "/search", {
    token: key,
    body: { query: "weather", session_id: sessionId },
  });
  const searchId = found.body["search_id"] as string;
  const call = () =>
    server.ask("POST", "/tools/execute", {
      token: key,
      body: {
        tool_id: sampleTools.charged.id,
        parameters: sampleTools.charged.parameters,
        session_id: sessionId,
        search_id: searchId,
      },
    });
  await call();
  const executionId = (await call()).body["execution_id"] as string;
  const usage = await server.ask("GET", `/auth/usage/history/v2?execution_id=${executionId}`, { token: key });
  const [event] = (usage.body["data"] as { items: { id: string; credits_ledger_entry_id: string }[] }).items;
  const feed = await server.ask("GET", "/auth/usage/history/v2/summary?page_size=1", { token: key });
  const { next_cursor: cursor } = feed.body["data"] as { next_cursor: string };
  return {
    key,
    accountId,
    keyId,
    executionId,
    searchId,
    sessionId,
    eventId: event!.id,
    entryId: event!.credits_ledger_entry_id,
    cursor,
  };
}

beforeAll(async () => {
  server = await startAttacked();
  victim = await owner("victim");
  thief = await owner("thief");
});

afterAll(() => server.stop());

describe("what belongs to another account", () => {
  const byPath = {
    getUsageEvent: ({ eventId }: Owned) => `/auth/usage/history/v2/${eventId}`,
    getLedgerEntry: ({ entryId }: Owned) => `/auth/credits/ledger/${entryId}`,
  };

  it.each(Object.entries(byPath))("%s answers it as if it did not exist", async (_, path) => {
    const own = await server.ask("GET", path(victim), { token: victim.key });
    expect(own.status).toBe(200);
    const stolen = await server.ask("GET", path(victim), { token: thief.key });
    const absent = await server.ask(
      "GET",
      path({
        ...victim,
        eventId: "0e4f6a52-7b31-4d8c-a1f9-5c2d8e7b6a40",
        entryId: "0e4f6a52-7b31-4d8c-a1f9-5c2d8e7b6a40",
      }),
      { token: thief.key },
    );
    expect([stolen.status, stolen.text]).toEqual([404, absent.text]);
  });

  it.each([
    ["execution_id", ({ executionId }: Owned) => executionId],
    ["search_id", ({ searchId }: Owned) => searchId],
    ["api_key_id", ({ keyId }: Owned) => keyId],
  ])("no read by %s shows it", async (filter, idOf) => {
    for (const path of ["/auth/usage/history/v2", "/auth/usage/history/v2/summary"]) {
      const own = await server.ask("GET", `${path}?${filter}=${idOf(victim)}`, { token: victim.key });
      expect((own.body["data"] as { items: unknown[] }).items.length).toBeGreaterThan(0);
      const stolen = await server.ask("GET", `${path}?${filter}=${idOf(victim)}`, { token: thief.key });
      expect((stolen.body["data"] as { items: unknown[] }).items).toEqual([]);
    }
    const csv = await server.ask("GET", `/auth/usage/history/v2/export?${filter}=${idOf(victim)}`, {
      token: thief.key,
    });
    expect(csv.text.trimEnd().split("\r\n")).toHaveLength(1);
  });

  it("a cursor of the other account does not show it, and no other read does", async () => {
    const paths = [
      "/auth/credits",
      "/auth/credits/ledger?summary=true",
      "/auth/credits/ledger/export",
      "/auth/credits/ledger-readiness",
      "/auth/account/settlement-history",
      `/auth/account/settlement-history?cursor=${victim.cursor}`,
      "/auth/usage/credits-spent",
      "/auth/usage/history/v2?summary=true&include_details=true",
      "/auth/usage/history/v2/export",
      `/auth/usage/history/v2/summary?cursor=${victim.cursor}`,
    ];
    const theirs = Object.values(victim);
    for (const path of paths) {
      const { status, text } = await server.ask("GET", path, { token: thief.key });
      expect([path, status < 500]).toEqual([path, true]);
      const rest = text.replaceAll(victim.cursor, "");
      expect([path, theirs.filter((secret) => secret !== victim.cursor && rest.includes(secret))]).toEqual([
        path,
        [],
      ]);
    }
  });

  it("a call under another account's search and session leaves nothing with it", async () => {
    const before = await server.ask("GET", "/auth/usage/history/v2", { token: victim.key });
    const call = await server.ask("POST", "/tools/execute", {
      token: thief.key,
      body: {
        tool_id: sampleTools.charged.id,
        parameters: sampleTools.charged.parameters,
        search_id: victim.searchId,
        session_id: victim.sessionId,
      },
    });
    expect(call.body).toMatchObject({ success: true });
    const after = await server.ask("GET", "/auth/usage/history/v2", { token: victim.key });
    expect(after.body["data"]).toEqual(before.body["data"]);
  });
});

/** Every operation that needs a credential, with a request that is otherwise valid. */
function guarded(): { name: string; method: string; path: string; body: object | undefined }[] {
  const bodies: Readonly<Record<string, object>> = {
    discover: { query: "weather" },
    inspect: { tool_ids: [sampleTools.charged.id] },
    probe: {},
    call: { tool_id: sampleTools.charged.id, parameters: sampleTools.charged.parameters },
    queryCapability: {
      capability_id: sampleCapabilities.query.id,
      parameters: sampleCapabilities.query.parameters,
    },
  };
  return publishedOperations(readSpec())
    .filter(({ id }) => !["registerAnonymous", "startClaim", "verifyClaim", "verifyToken"].includes(id))
    .map(({ id, method, path }) => ({
      name: id,
      method,
      path:
        path
          .replace("{capability_id}", sampleCapabilities.detail.id)
          .replace("{event_id}", victim.eventId)
          .replace("{entry_id}", victim.entryId) +
        (id === "probe" ? `?tool_id=${sampleTools.charged.id}` : ""),
      body: bodies[id],
    }));
}

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");

/** Tokens that resemble our own. */
async function forgeries(): Promise<Record<string, string>> {
  const token = await server.parts.tokens.sign({ accountId: victim.accountId, lifetimeMs: 3_600_000 });
  const [header, payload] = token
    .split(".")
    .slice(0, 2)
    .map((part) => JSON.parse(Buffer.from(part, "base64url").toString()) as Record<string, unknown>) as [
    Record<string, unknown>,
    Record<string, unknown>,
  ];
  const own = createPrivateKey({
    key: Buffer.concat([
      Buffer.from("302e020100300506032b657004220420", "hex"),
      await readFile(join(server.folder, "token-key")),
    ]),
    format: "der",
    type: "pkcs8",
  });
  const foreign = generateKeyPairSync("ed25519").privateKey;
  const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
  const publicKey = createPublicKey(own);
  const jwk = createPublicKey(foreign).export({ format: "jwk" });
  const signed = (head: object, body: object, key: KeyObject): string => {
    const input = `${encode(head)}.${encode(body)}`;
    return `${input}.${sign(key === rsa ? "sha256" : null, Buffer.from(input), key).toString("base64url")}`;
  };
  const hmac = (secret: string | Buffer): string => {
    const input = `${encode({ ...header, alg: "HS256" })}.${encode(payload)}`;
    return `${input}.${createHmac("sha256", secret).update(input).digest("base64url")}`;
  };
  const now = Math.floor(Date.now() / 1000);
  return {
    "alg none": `${encode({ ...header, alg: "none" })}.${encode(payload)}.`,
    "alg NonE": `${encode({ ...header, alg: "NonE" })}.${encode(payload)}.`,
    "no signature": `${token.split(".").slice(0, 2).join(".")}.`,
    "HS256 with the public key as PEM": hmac(publicKey.export({ format: "pem", type: "spki" })),
    "HS256 with the raw public key": hmac(Buffer.from(publicKey.export({ format: "jwk" }).x!, "base64url")),
    "another key": signed(header, payload, foreign),
    "RS256 by another key": signed({ ...header, alg: "RS256" }, payload, rsa),
    "jwk in the header": signed({ ...header, jwk }, payload, foreign),
    "jku in the header": signed({ ...header, jku: "http://127.0.0.1:9/jwks" }, payload, foreign),
    "x5u in the header": signed({ ...header, x5u: "http://127.0.0.1:9/chain.pem" }, payload, foreign),
    "a kid of a path": signed({ ...header, kid: "../../dev/null" }, payload, own),
    "an unknown critical member": signed({ ...header, crit: ["b64"], b64: false }, payload, own),
    expired: signed(header, { ...payload, exp: now - 1 }, own),
    "not yet valid": signed(header, { ...payload, nbf: now + 3_600 }, own),
    "another audience": signed(header, { ...payload, aud: "elsewhere" }, own),
    "another issuer": signed(header, { ...payload, iss: "elsewhere" }, own),
    "no end": signed(header, { ...payload, exp: undefined }, own),
    "an account that does not exist": signed(header, { ...payload, sub: "acc_nobody" }, own),
    "the payload of another": `${encode(header)}.${encode({ ...payload, sub: thief.accountId })}.${token.split(".")[2]!}`,
  };
}

describe("a credential that opens nothing", () => {
  it("none, a revoked key and every forged token get 401 at every operation, and leave nothing", async () => {
    const before = await server.ask("GET", "/auth/usage/history/v2", { token: victim.key });
    const { accounts } = server.parts;
    const revoked = await accounts.addKey(victim.accountId, "lost");
    expect((await server.ask("GET", "/auth/credits", { token: revoked.apiKey })).status).toBe(200);
    await accounts.revokeKey(revoked.id);
    const tokens: Record<string, string | null> = {
      none: null,
      "a revoked key": revoked.apiKey,
      "a key in capitals": victim.key.toUpperCase(),
      "a key cut short": victim.key.slice(0, -1),
      "a key's id": victim.keyId,
      "an account's id": victim.accountId,
      ...(await forgeries()),
    };
    const broken: string[] = [];
    for (const { name, method, path, body } of guarded()) {
      for (const [what, token] of Object.entries(tokens)) {
        const { status } = await server.ask(method, path, { token, body });
        if (status !== 401) broken.push(`${name} with ${what}: ${status}`);
      }
    }
    expect(broken).toEqual([]);
    const after = await server.ask("GET", "/auth/usage/history/v2", { token: victim.key });
    expect(after.body["data"]).toEqual(before.body["data"]);
  });

  it("a good token opens what a key opens, so the refusals above mean something", async () => {
    const token = await server.parts.tokens.sign({ accountId: victim.accountId, lifetimeMs: 3_600_000 });
    for (const { name, method, path, body } of guarded()) {
      expect([name, (await server.ask(method, path, { token, body })).status]).toEqual([name, 200]);
    }
  });

  it("a delegation token opens its run and its provider, and no account", async () => {
    const { provider_id: providerId, id } = sampleCapabilities.detail;
    const delegation = { runId: "run-1", providerId, maxCredits: 5 };
    const token = await server.parts.tokens.sign({
      accountId: victim.accountId,
      lifetimeMs: 3_600_000,
      delegation,
    });
    const detail = (query: string) => server.ask("GET", `/capabilities/${id}${query}`, { token });
    expect((await detail(`?run_id=run-1&provider_id=${providerId}`)).status).toBe(200);
    for (const query of [
      "",
      "?run_id=run-1",
      `?run_id=run-2&provider_id=${providerId}`,
      "?run_id=run-1&provider_id=x",
    ]) {
      expect([query, (await detail(query)).status]).toEqual([query, 403]);
    }
    for (const { name, method, path, body } of guarded()) {
      if (name === "queryCapability" || name === "getCapability") continue;
      expect([name, (await server.ask(method, path, { token, body })).status]).toEqual([name, 401]);
    }
  });
});
