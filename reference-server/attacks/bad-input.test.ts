import { brotliCompressSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startAttacked, type Attacked } from "./attacked.fixture.ts";

let server: Attacked;
let key: string;

beforeAll(async () => {
  server = await startAttacked();
  key = (await server.trial()).key;
});

afterAll(() => server.stop());

/** Every operation that reads a body. */
const withBody = [
  "/search",
  "/tools/by-ids",
  "/tools/probe?tool_id=a.b",
  "/tools/execute",
  "/capabilities/query",
  "/agent/anonymous-register",
  "/agent/claim",
  "/agent/claim-verify",
];

const bombs = {
  gzip: gzipSync(Buffer.alloc(4_000_000, "0")),
  br: brotliCompressSync(Buffer.alloc(4_000_000, "0")),
};

it.each(withBody)("%s says that it cannot read a body, and of which kind", async (path) => {
  const send = (body: string | Buffer, headers: Record<string, string>) =>
    server.ask("POST", path, { token: key, body, headers });
  const refusals = [
    [await send("{}", { "Content-Encoding": "of-mars" }), 415],
    [await send("{}", { "Content-Encoding": "gzip" }), 400],
    [await send(gzipSync('{"query": "weather"}').subarray(0, 15), { "Content-Encoding": "gzip" }), 400],
    [await send("{}", { "Content-Encoding": "br" }), 400],
    [await send(bombs.gzip, { "Content-Encoding": "gzip" }), 413],
    [await send(bombs.br, { "Content-Encoding": "br" }), 413],
  ] as const;
  for (const [answer, status] of refusals) {
    expect(answer).toMatchObject({ status, body: { status: "failure", status_code: status, data: null } });
  }
});

it("reads a compressed body that is right", async () => {
  const headers = { "Content-Encoding": "gzip" };
  const answer = await server.ask("POST", "/search", {
    token: key,
    body: gzipSync('{"query": "weather"}'),
    headers,
  });
  expect(answer.status).toBe(200);
});

it("adds no members to prototypes, whatever a body or a query names", async () => {
  const bodies = [
    '{"__proto__": {"query": "a", "polluted": 1}, "constructor": {"prototype": {"polluted": 1}}}',
    '{"query": "a", "__proto__": {"limit": 1}}',
  ];
  for (const body of bodies) await server.ask("POST", "/search", { token: key, body });
  const called = await server.ask("POST", "/tools/execute", {
    token: key,
    body: '{"tool_id": "weather.current.v1", "parameters": {"__proto__": {"city": "Vienna"}}}',
  });
  expect(called).toMatchObject({ status: 422, body: { success: false } });
  await server.ask("GET", "/auth/usage/history/v2?__proto__[polluted]=1&constructor=1", { token: key });
  expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
});

it("answers on a connection that asked for another protocol, and closes it", async () => {
  const answer = await server.raw(
    "GET /api/v1/auth/credits HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
  );
  expect(answer).toContain("HTTP/1.1 401 ");
  expect(answer.toLowerCase()).toContain("connection: close");
});

it("refuses two Host headers, and forbids caches to keep an answer", async () => {
  const answer = await server.raw(
    "GET /api/v1/auth/credits HTTP/1.1\r\nHost: a\r\nhost: b\r\nConnection: close\r\n\r\n",
  );
  expect(answer).toContain("HTTP/1.1 400 ");
  for (const token of [key, null]) {
    const { headers } = await server.ask("GET", "/auth/credits", { token });
    expect([headers.get("cache-control"), headers.get("x-content-type-options")]).toEqual([
      "no-store",
      "nosniff",
    ]);
  }
});

it("answers 431 to endless headers, and the answer still arrives", async () => {
  const fields = `X-Long: ${"x".repeat(65_536)}\r\n`;
  const answer = await server.raw(`GET /api/v1/auth/credits HTTP/1.1\r\nHost: a\r\n${fields}\r\n`);
  expect(answer).toContain("HTTP/1.1 431 ");
});

const deep = (levels: number): string => '{"a":'.repeat(levels) + "1" + "}".repeat(levels);
const wide = JSON.stringify(Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`k${n}`, n])));

it.each(["/tools/execute", "/tools/probe?tool_id=weather.current.v1", "/capabilities/query", "/search"])(
  "%s refuses JSON that is too deep, and survives JSON that is wide",
  async (path) => {
    const send = (parameters: string) =>
      server.ask("POST", path, {
        token: key,
        body: `{"tool_id": "weather.current.v1", "capability_id": "market.quote", "parameters": ${parameters}}`,
      });
    for (const levels of [100, 10_000, 100_000]) {
      const { status, text } = await send(deep(levels));
      expect([levels, status]).toEqual([levels, 422]);
      expect(text).toContain("100 levels deep");
    }
    for (const parameters of [deep(99), wide]) expect((await send(parameters)).status).toBeLessThan(500);
  },
);
