import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { defaultConfig } from "../config.ts";
import { sampleCapabilities, sampleTools } from "../catalog/sample-roles.ts";
import { createLimiter } from "../http/limiter.ts";
import { heldClock } from "../storage/temporary.fixture.ts";
import { startAttacked, type Attacked } from "./attacked.fixture.ts";

/*
 * The cost of one request is bounded whatever it asks: neither an answer nor a stored row exceeds the limits in
 * .github/SECURITY.md.
 */

const maxRefusalBytes = 16_384;
const { charged } = sampleTools;

let server: Attacked;
let key: string;

beforeAll(async () => {
  server = await startAttacked();
  ({ key } = await server.trial());
});

afterAll(() => server.stop());

const names = (count: number, long = 1) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${"x".repeat(long)}${n}`, n]));

const execute = { method: "POST", path: "/tools/execute" };
const refused = [
  ["half a million numbers for ids", "/tools/by-ids", { tool_ids: Array.from({ length: 500_000 }, () => 1) }],
  ["9,000 numbers for ids", "/tools/by-ids", { tool_ids: Array.from({ length: 9_000 }, () => 1) }],
  ["60,000 unknown parameters", "/tools/execute", { tool_id: charged.id, parameters: names(60_000) }],
  ["900 long unknown parameters", "/tools/execute", { tool_id: charged.id, parameters: names(900, 1_000) }],
  [
    "unknown parameters of a capability",
    "/capabilities/query",
    { capability_id: sampleCapabilities.query.id, parameters: names(900, 1_000) },
  ],
  ["a long query", "/search", { query: "x".repeat(1_000_000) }],
  ["a long session id", "/search", { query: "x", session_id: "s".repeat(1_000_000) }],
  ["a long search id", "/tools/by-ids", { tool_ids: ["a.b"], search_id: "s".repeat(1_000_000) }],
  ["a long tool id", "/tools/execute", { tool_id: "t".repeat(1_000_000), parameters: {} }],
  ["a long field name", "/capabilities/query", { capability_id: "a", ["n".repeat(1_000_000)]: 1 }],
  ["a long claim code", "/agent/claim", { claim_code: "c".repeat(1_000_000), email: "a@b.example" }],
  [
    "a long address",
    "/agent/claim-verify",
    { claim_code: "c", email: `${"a".repeat(1_000_000)}@b.example`, code: "1" },
  ],
] as const;

it.each(refused)("refuses %s, in few words and without a charge", async (_what, path, body) => {
  const { status, text } = await server.ask("POST", path, { token: key, body });
  expect(status).toBe(422);
  expect(Buffer.byteLength(text)).toBeLessThan(maxRefusalBytes);
  const { body: credits } = await server.ask("GET", "/auth/credits", { token: key });
  expect(credits["data"]).toMatchObject({ remaining_credits: 50 });
});

it("says how many faults there are, and lists the first", async () => {
  const body = { tool_ids: Array.from({ length: 900 }, () => 1) };
  const { body: answer } = await server.ask("POST", "/tools/by-ids", { token: key, body });
  const detail = answer["detail"] as { msg: string; type: string }[];
  expect(detail).toHaveLength(21);
  expect(detail.at(-1)).toMatchObject({ type: "more", msg: expect.stringContaining("900 things") as string });

  const parameters = { ...charged.parameters, ...names(900) };
  const called = await server.ask(execute.method, execute.path, {
    token: key,
    body: { tool_id: charged.id, parameters },
  });
  expect(called.body["details"]).toHaveLength(11);
  expect(called.body["error_message"]).toContain("890 further parameters");
});

describe("stored data", () => {
  it("is small, whatever was sent", async () => {
    const { key } = await server.trial();
    const large = "p".repeat(900_000);
    await server.ask("POST", "/tools/execute", {
      token: key,
      body: { tool_id: "no.such.tool", parameters: { large } },
    });
    await server.ask("POST", "/tools/execute", {
      token: key,
      body: {
        tool_id: charged.id,
        parameters: { ...charged.parameters, ...names(900, 1_000) },
        respond_with: `fields:$.a${" ".repeat(10_000)}`,
      },
    });
    await server.ask("POST", "/tools/by-ids", {
      token: key,
      body: { tool_ids: Array.from({ length: 900 }, (_, n) => `${n}${"t".repeat(200)}`) },
    });
    const { text, body } = await server.ask("GET", "/auth/usage/history/v2?include_details=true", {
      token: key,
    });
    expect(body["data"]).toMatchObject({ total: 3 });
    expect(Buffer.byteLength(text)).toBeLessThan(3 * 16_384);
  });
});

it("sends a long list page by page, whole and in its order", async () => {
  const { key } = await server.trial();
  const count = 1_230;
  for (let sent = 0; sent < count; sent += 41) {
    await Promise.all(
      Array.from({ length: 41 }, () =>
        server.ask("POST", "/search", { token: key, body: { query: "x", limit: 1 } }),
      ),
    );
  }
  const list = async (query: string) => {
    const { body } = await server.ask("GET", `/auth/usage/history/v2?${query}`, { token: key });
    return body["data"] as {
      items: { id: string; request_payload?: object }[];
      total: number;
      summary: object | null;
    };
  };
  const all = await list("page_size=50000&include_details=true&summary=true");
  expect(all).toMatchObject({ total: count, page: 1, page_size: 50_000, summary: { total_count: count } });
  expect(new Set(all.items.map(({ id }) => id)).size).toBe(count);
  expect(all.items.every(({ request_payload }) => request_payload !== undefined)).toBe(true);
  const ids = (items: readonly { id: string }[]) => items.map(({ id }) => id);
  const pages = [
    await list("page_size=610"),
    await list("page_size=610&page=2"),
    await list("page_size=610&page=3"),
  ];
  expect(pages.map(({ items, total }) => [items.length, total])).toEqual([
    [610, count],
    [610, count],
    [10, count],
  ]);
  expect(pages.flatMap(({ items }) => ids(items))).toEqual(ids(all.items));
});

it("limits wrong credentials at every operation, and no one else at the address", async () => {
  const limiter = createLimiter({ clock: heldClock(), windowSeconds: 60, kind: "aligned" });
  const quotas = { ...defaultConfig.quotas, anonymous: 3 };
  const guarded = await startAttacked((parts) => ({ ...parts, limiter }), { quotas });
  try {
    const { key } = await guarded.trial();
    const guess = (method: string, path: string) =>
      guarded.ask(method, path, { token: "no-such-key", body: method === "POST" ? {} : undefined });
    const guesses = [];
    for (let n = 0; n < 16; n += 1) {
      guesses.push(
        (await guess("GET", "/auth/credits")).status,
        (await guess("POST", "/auth/verify-token")).status,
      );
    }
    expect(guesses).toEqual([...Array<number>(30).fill(401), 429, 429]);
    const refused = await guess("GET", "/auth/credits/ledger");
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await guarded.ask("GET", "/auth/credits", { token: key })).status).toBe(200);
  } finally {
    await guarded.stop();
  }
});

it("answers a call that was charged although its result cannot be shown", async () => {
  const unshowable = {
    reason: "result.valid",
    success: true,
    statusCode: 200,
    message: null,
    quantity: 1,
    durationMs: 1,
    data: 1n,
  } as const;
  const broken = await startAttacked((parts) => ({
    ...parts,
    providers: { execute: () => Promise.resolve(unshowable) },
  }));
  try {
    const { key } = await broken.trial();
    const body = { tool_id: charged.id, parameters: charged.parameters };
    for (const respond_with of ["full", "summary", "fields:$.a"]) {
      const called = await broken.ask("POST", "/tools/execute", {
        token: key,
        body: { ...body, respond_with },
      });
      expect(called).toMatchObject({
        status: 200,
        body: { success: true, result: { message: expect.any(String) as string } },
      });
    }
    const { body: ledger } = await broken.ask("GET", "/auth/credits/ledger?direction=consume", {
      token: key,
    });
    expect(ledger["data"]).toMatchObject({ total: 3 });
  } finally {
    await broken.stop();
  }
});
