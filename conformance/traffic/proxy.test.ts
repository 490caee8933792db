import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import http from "node:http";
import https from "node:https";
import net, { type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { makeCa, makeServer } from "../../reference-server/results/making-certificates.ts";
import { contractVersion } from "../../generated/contract.ts";
import { eventsSince } from "./client-audit.ts";
import { startProxy, type Proxy, type ProxyOptions } from "./proxy.ts";
import { sendOnce } from "./clients/recorder.fixture.ts";
import { readHar, surveyOf } from "./har.ts";
import { TrafficJudge, type Live } from "./traffic-judge.ts";

const endings: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

async function upstream(listener: http.RequestListener): Promise<string> {
  const server = http.createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  endings.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function proxied(
  options: Pick<ProxyOptions, "target"> & Partial<ProxyOptions>,
): Promise<{ proxy: Proxy; breaches: Live[] }> {
  const breaches: Live[] = [];
  const proxy = await startProxy({ party: "server", onBreach: (live) => breaches.push(live), ...options });
  endings.push(() => proxy.close());
  return { proxy, breaches };
}

const search = (proxy: Proxy) => ({
  method: "POST" as const,
  url: `${proxy.baseUrl}/search`,
  headers: { authorization: "Bearer secret-of-a-client", "content-type": "application/json" },
  body: '{"query":"weather"}',
});

const noVersion: http.RequestListener = (request, response) => {
  request.resume();
  response.writeHead(200, { "content-type": "application/json", "x-Own": "Kept" }).end('{"search_id": "s1"}');
};

it("passes on bytes as they are, and says what they break", async () => {
  const { proxy, breaches } = await proxied({ target: await upstream(noVersion) });
  const answer = await sendOnce(search(proxy));
  expect(answer).toMatchObject({ status: 200, body: '{"search_id": "s1"}', headers: { "x-own": "Kept" } });
  await proxy.settled();
  expect(breaches.flatMap(({ rule }) => rule.clauses)).toContain("VERS-01");
  expect(JSON.stringify(breaches)).not.toContain("secret-of-a-client");
});

describe("at the socket", () => {
  const hop = /^(connection|keep-alive|transfer-encoding|host):/i;
  /** The lines of a head without those of one connection, and the bytes after it. */
  function parted(bytes: Buffer): { head: string[]; body: string } {
    const end = bytes.indexOf("\r\n\r\n");
    const head = bytes.toString("latin1", 0, end).split("\r\n");
    return { head: head.filter((line) => !hop.test(line)), body: bytes.toString("latin1", end + 4) };
  }

  /** Sends bytes through a proxy to a server that answers with bytes. @returns what either end received */
  async function exchanged(sent: Buffer, answer: Buffer): Promise<{ asked: Buffer; received: Buffer }> {
    let asked = Buffer.alloc(0);
    const server = net.createServer((socket) => {
      socket.on("data", (chunk) => {
        asked = Buffer.concat([asked, chunk]);
        // The request ends with its body's last byte.
        if (asked.subarray(-3).equals(sent.subarray(-3))) socket.end(answer);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    endings.push(() => new Promise((resolve) => server.close(resolve)));
    const target = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { proxy } = await proxied({ target });
    const received = await new Promise<Buffer>((resolve, reject) => {
      const chunks: Buffer[] = [];
      const socket = net.connect(proxy.port, "127.0.0.1", () => socket.write(sent));
      socket.on("data", (chunk: Buffer) => chunks.push(chunk));
      socket.on("error", reject);
      socket.on("close", () => resolve(Buffer.concat(chunks)));
    });
    return { asked, received };
  }

  it("line, headers and body pass unchanged in both directions, byte for byte", async () => {
    const body = gzipSync('{"query":"wéather"}');
    const sent = Buffer.concat([
      Buffer.from(
        "POST /api/v1/search?a=%7e%7E&b=%zz&&c HTTP/1.1\r\nHost: api.example\r\nx-SECOND: 2\r\nX-First:  spaced \r\n" +
          "X-First: again\r\nContent-Encoding: gzip\r\nauthorization: Bearer \xe9\r\n" +
          `Content-Length: ${body.length}\r\nConnection: close\r\n\r\n`,
        "latin1",
      ),
      body,
    ]);
    const payload = randomBytes(70_000);
    const answer = Buffer.concat([
      Buffer.from(
        'HTTP/1.1 207 Quite Odd\r\nSet-Cookie: a=1\r\nset-cookie: b=2\r\nX-RateLimit-Limit: 7\r\netag: W/"x"\r\n' +
          `Content-Encoding: unknown\r\nContent-Length: ${payload.length}\r\nConnection: close\r\n\r\n`,
        "latin1",
      ),
      payload,
    ]);
    const { asked, received } = await exchanged(sent, answer);
    const [wanted, given] = [parted(sent), parted(asked)];
    expect(given.body).toBe(wanted.body);
    // HTTP trims the space around a value.
    expect(given.head).toEqual(wanted.head.map((line) => line.replace(/: +/, ": ").trimEnd()));
    expect(parted(received)).toEqual(parted(answer));
  });
});

it("writes all that passes as a recording that gives the same verdicts, with its secrets masked", async () => {
  const folder = await mkdtemp(join(tmpdir(), "capability-contract-proxy-"));
  endings.push(() => rm(folder, { recursive: true, force: true }));
  const har = join(folder, "deep", "proxy.har");
  const { proxy } = await proxied({ target: await upstream(noVersion), har });
  await sendOnce(search(proxy));
  await sendOnce({ ...search(proxy), method: "GET", url: `${proxy.baseUrl}/auth/credits/ledger?limit=1` });
  const { report } = await proxy.close();
  expect(await readFile(har, "utf8")).not.toContain("secret-of-a-client");
  const judge = new TrafficJudge("server", false);
  for await (const traffic of readHar(har, await surveyOf(har))) judge.see(traffic);
  const verdicts = (all: readonly { id: string; verdict: string }[]) =>
    all.map(({ id, verdict }) => `${id} ${verdict}`);
  expect(verdicts(judge.findings())).toEqual(verdicts(report.checks));
});

describe("with --audit", () => {
  /** Loses every answer to a Call and charges it; the audit shows as many events as there were Calls. */
  const charging = (audit: (events: object[]) => object | null): http.RequestListener => {
    const events: object[] = [];
    return (request, response) => {
      request.resume();
      request.on("end", () => {
        if (request.url!.includes("/tools/execute")) {
          events.push({
            event_type: "tool_execute",
            tool_id: "t.v1",
            charge_outcome: "charged",
            actual_amount_credits: 2,
            created_at: new Date().toISOString(),
          });
          return response.destroy();
        }
        const data = request.headers.authorization === "Bearer secret-of-a-client" ? audit(events) : null;
        response.writeHead(data === null ? 403 : 200, { "content-type": "application/json" });
        return response.end(JSON.stringify({ status: "success", message: "ok", status_code: 0, data }));
      });
    };
  };

  async function twice(audit: Parameters<typeof charging>[0]) {
    const target = await upstream(charging(audit));
    const { proxy } = await proxied({ target, party: "client", audit: true, complete: true });
    const body = JSON.stringify({ tool_id: "t.v1", parameters: { city: "Graz" }, session_id: "s" });
    for (const url of [1, 2].map(() => `${proxy.baseUrl}/tools/execute`))
      await sendOnce({ ...search(proxy), url, body });
    const { report, unread } = await proxy.close();
    const found = report.checks.filter(({ id }) => id === "FLOW-15/across");
    const sought = report.checks.filter(({ title }) => title === "a Call whose answer was lost is looked up");
    return { found, sought, unread };
  }

  it("a repeated Call whose price the client was never shown is judged by what it was charged", async () => {
    const { found, sought, unread } = await twice((items) => ({ items, total: items.length }));
    expect(sought).toMatchObject([{ expected: expect.stringContaining("which cost 2 credits") as string }]);
    expect(found).toMatchObject([
      { verdict: "fail", received: expect.stringContaining("2 charges, 4 credits together") as string },
    ]);
    expect(unread).toEqual([]);
  });

  it("no client is accused where the audit shows one charge, or cannot be read", async () => {
    expect(await twice((items) => ({ items: items.slice(1), total: 1 }))).toMatchObject({
      found: [{ verdict: "unverified" }],
    });
    const { found, unread } = await twice(() => null);
    expect(found).toMatchObject([{ verdict: "unverified" }]);
    expect(unread).toEqual(["the audit of «key 1» could not be read: it answered 403"]);
  });
});

it.each([
  ["fails at first", [503, 429]],
  ["shows its events late", [0]],
  ["loses its first answer", [-1]],
])("reads the audit again where it %s", async (_, troubles) => {
  const left = [...troubles];
  const event = { event_type: "tool_execute", execution_id: "e-1" };
  const baseUrl = await upstream((_request, response) => {
    const trouble = left.shift();
    if (trouble === -1) return void response.destroy();
    const items = trouble === 0 ? [] : [event];
    response.writeHead(trouble || 200, { "content-type": "application/json", "retry-after": "0" });
    response.end(JSON.stringify({ status: "success", data: { items, total: items.length } }));
  });
  expect(await eventsSince(baseUrl, "key", Date.now(), undefined)).toEqual([event]);
  expect(left).toEqual([]);
});

it("passes an answer on while it is still being written", async () => {
  let finish = (): void => undefined;
  const target = await upstream((_request, response) => {
    response.writeHead(200, { "content-type": "text/csv" });
    response.write("first line\n");
    finish = () => response.end("second line\n");
  });
  const { proxy } = await proxied({ target });
  const body = await new Promise<string>((resolve, reject) => {
    http
      .get(`${proxy.baseUrl}/auth/credits/ledger/export`, (incoming) => {
        let text = "";
        incoming.setEncoding("utf8");
        incoming.on("data", (chunk: string) => {
          text += chunk;
          if (text === "first line\n") finish();
        });
        incoming.on("end", () => resolve(text));
      })
      .on("error", reject);
  });
  expect(body).toBe("first line\nsecond line\n");
});

it("with --enforce answers a breach with a 502 that names the clause, and what is right with itself", async () => {
  const { proxy } = await proxied({ target: await upstream(noVersion), enforce: true });
  const answer = await sendOnce(search(proxy));
  expect(answer?.status).toBe(502);
  expect(JSON.parse(answer!.body)).toMatchObject({ status: "failure", status_code: 502, data: null });
  expect(answer!.body).toMatch(/breaks [A-Z]{4}-\d\d/);
  const url = `${new URL(proxy.baseUrl).origin}/healthz`;
  const elsewhere = await sendOnce({ method: "GET", url, headers: {} });
  expect(elsewhere).toMatchObject({ status: 200, body: '{"search_id": "s1"}' });
});

it("with --enforce and --client shows the client what it did wrong", async () => {
  const { proxy } = await proxied({ target: await upstream(noVersion), enforce: true, party: "client" });
  expect((await sendOnce(search(proxy)))?.status).toBe(200);
  const { url, ...rest } = search(proxy);
  const answer = await sendOnce({ ...rest, url: `${url}?api_key=secret-of-a-client` });
  expect(answer?.status).toBe(502);
  expect(answer?.body).toMatch(/The request breaks FLOW-25/);
});

it("with --enforce lets a broken should pass, and with --strict not", async () => {
  // Lawful except for the missing rate-limit headers.
  const target = await upstream((request, response) => {
    request.resume();
    response.writeHead(200, { "content-type": "application/json", "x-service-api-version": contractVersion });
    response.end(
      JSON.stringify({
        query: "weather",
        search_id: "s1",
        total: 0,
        results: [],
        elapsed_time_ms: 1,
        remaining_credits: 1,
      }),
    );
  });
  const { proxy, breaches } = await proxied({ target, enforce: true });
  expect((await sendOnce(search(proxy)))?.status).toBe(200);
  await proxy.settled();
  expect(breaches.map(({ rule, level }) => [rule.clauses[0], level])).toEqual([["LIMI-21", "should"]]);
  const { proxy: strict } = await proxied({ target, enforce: true, strict: true });
  const refused = await sendOnce(search(strict));
  expect(refused?.status).toBe(502);
  expect(refused?.body).toContain("LIMI-21");
});

it("answers 502 when the server is gone, and breaks off where the server does", async () => {
  const { proxy } = await proxied({ target: "http://127.0.0.1:1" });
  expect((await sendOnce(search(proxy)))?.status).toBe(502);
  const target = await upstream((request, response) => {
    request.resume();
    response.writeHead(200, { "content-length": "1000", "content-type": "application/json" });
    response.write('{"search_id":', () => response.destroy());
  });
  const { proxy: other, breaches } = await proxied({ target });
  expect(await sendOnce(search(other))).toBeNull();
  expect(await other.settled()).toMatchObject({ judged: 1, missed: 0 });
  expect(breaches).toEqual([]);
});

/** What a client meets at its socket: the bytes, and how the connection ended. */
const atTheSocket = (origin: string): Promise<{ bytes: string; end: string }> =>
  new Promise((resolve) => {
    const socket = net.connect(Number(new URL(origin).port), "127.0.0.1");
    let bytes = "";
    let end = "closed";
    socket.setEncoding("latin1");
    socket.on("data", (chunk: string) => (bytes += chunk));
    socket.on("error", ({ code }: NodeJS.ErrnoException) => (end = code ?? "error"));
    socket.on("close", () => resolve({ bytes, end }));
    socket.write("POST /api/v1/search HTTP/1.1\r\nHost: server\r\nContent-Length: 2\r\n\r\n{}");
  });

it.each<[string, http.RequestListener]>([
  ["closes the connection without an answer", (request) => request.socket.destroy()],
  ["resets the connection", (request) => request.socket.resetAndDestroy()],
  [
    "cuts the answer short",
    (_request, response) => {
      response.sendDate = false;
      response.shouldKeepAlive = false;
      response.writeHead(200, { "X-b": "1", "content-length": "1000" });
      response.write('{"search_id":', () => response.destroy());
    },
  ],
])("shows its client the same as a server does that %s", async (_, listener) => {
  const target = await upstream((request, response) => {
    request.resume().on("end", () => listener(request, response));
  });
  const { proxy } = await proxied({ target });
  // The field belongs to one connection.
  const without = ({ bytes, end }: { bytes: string; end: string }) => ({
    bytes: bytes.replace(/^(connection|keep-alive): .*\r\n/gim, ""),
    end,
  });
  expect(without(await atTheSocket(proxy.baseUrl))).toEqual(without(await atTheSocket(target)));
});

it("passes on exactly what it gets: heads in order, none added, and every byte of a compressed body", async () => {
  const body = gzipSync('{"search_id": "s1"}');
  const target = await upstream((request, response) => {
    request.resume();
    response.sendDate = false;
    response.writeHead(200, ["X-b", "1", "x-A", "2", "X-b", "3", "Content-Encoding", "gzip"]);
    response.write(body.subarray(0, 7));
    response.end(body.subarray(7));
  });
  const { proxy, breaches } = await proxied({ target });
  const { heads, bytes } = await new Promise<{ heads: string[]; bytes: Buffer }>((resolve, reject) => {
    const asked = http.request(`${proxy.baseUrl}/search`, { method: "POST" }, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
      incoming.on("end", () => resolve({ heads: incoming.rawHeaders, bytes: Buffer.concat(chunks) }));
    });
    asked.on("error", reject).end("{}");
  });
  expect(bytes.equals(body)).toBe(true);
  expect(heads.slice(0, 8)).toEqual(["X-b", "1", "x-A", "2", "X-b", "3", "Content-Encoding", "gzip"]);
  expect(heads.map((head) => head.toLowerCase())).not.toContain("date");
  await proxy.settled();
  expect(breaches.find(({ rule }) => rule.clauses[0] === "VERS-01")?.exchange.response?.body).toBe(
    '{"search_id": "s1"}',
  );
});

it("shows the head of an answer whose body is still to come", async () => {
  let finish = (): void => undefined;
  const target = await upstream((_request, response) => {
    response.writeHead(200, { "content-type": "text/csv" }).flushHeaders();
    finish = () => response.end("a line\n");
  });
  const { proxy } = await proxied({ target });
  const status = await new Promise((resolve, reject) => {
    http
      .get(`${proxy.baseUrl}/auth/credits/ledger/export`, (incoming) => {
        finish();
        incoming.resume().on("end", () => resolve(incoming.statusCode));
      })
      .on("error", reject);
  });
  expect(status).toBe(200);
});

it.each([false, true])(
  "passes on a body too long to be judged, and says so; enforcing: %s",
  async (enforce) => {
    const long = `{"search_id": "${"x".repeat(5 * 2 ** 20)}"}`;
    const target = await upstream((request, response) => {
      request.resume();
      response.writeHead(200, { "content-type": "application/json" }).end(long);
    });
    const { proxy } = await proxied({ target, enforce });
    const answer = await sendOnce(search(proxy));
    expect(answer?.status).toBe(200);
    expect(answer?.body === long).toBe(true);
    expect(await proxy.settled()).toEqual({ judged: 1, partial: 1, answered: 1, missed: 0, foreign: 0 });
  },
);

it("with --enforce lets no body pass that would fill its reader's memory", async () => {
  const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024));
  const target = await upstream((request, response) => {
    request.resume();
    const encoding = request.url?.endsWith("/search") ? "gzip" : "br, gzip, deflate, gzip";
    response.writeHead(200, { "content-type": "application/json", "content-encoding": encoding }).end(bomb);
  });
  const { proxy } = await proxied({ target, enforce: true });
  const refused = await sendOnce(search(proxy));
  expect(refused?.status).toBe(502);
  expect(refused?.body).toContain("its body is more than 16 MiB without its content coding");
  const nested = await sendOnce({ ...search(proxy), url: `${proxy.baseUrl}/elsewhere` });
  expect(nested?.body).toContain("its body is more than 3 content codings");
});

it.each([false, true])("outlives an answer that HTTP does not permit; enforcing: %s", async (enforce) => {
  const version = `X-Service-Api-Version: ${contractVersion}\r\n`;
  const server = net.createServer((socket) => {
    socket.once("data", () => socket.end(`HTTP/1.1 099 Odd\r\n${version}Content-Length: 0\r\n\r\n`));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  endings.push(() => new Promise((resolve) => server.close(resolve)));
  const target = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { proxy } = await proxied({ target, enforce });
  expect(await sendOnce(search(proxy))).toBeNull();
  expect(await sendOnce({ ...search(proxy), url: `${new URL(proxy.baseUrl).origin}/elsewhere` })).toBeNull();
  expect(await proxy.settled()).toMatchObject({ judged: 1, foreign: 1 });
});

it("passes on what it has no room to judge, and counts it", async () => {
  const target = await upstream((request, response) => {
    request.resume();
    response.writeHead(200, { "content-type": "application/json" }).end(`{"padding": "${"x".repeat(8000)}"}`);
  });
  for (const [maxBytes, wanted] of [
    [64_000, { judged: 1, partial: 0, missed: 0 }],
    [8000, { judged: 1, partial: 1, missed: 0 }],
    [500, { judged: 0, partial: 0, missed: 1 }],
  ] as const) {
    const { proxy } = await proxied({ target, maxBytes });
    const answer = await sendOnce(search(proxy));
    expect(answer).toMatchObject({ status: 200, body: expect.stringMatching(/^\{"padding": "x{8000}"\}$/) });
    expect(await proxy.settled()).toMatchObject({ ...wanted, foreign: 0 });
  }
});

it("gives the room back that a broken-off request or answer took", async () => {
  const target = await upstream((request, response) => {
    request.once("data", () => response.destroy());
  });
  const { proxy } = await proxied({ target, maxBytes: 8000 });
  const long = { ...search(proxy), body: "x".repeat(5000) };
  for (const wanted of [1, 2, 3]) {
    expect(await sendOnce(long)).toBeNull();
    expect(await proxy.settled()).toMatchObject({ judged: wanted, missed: 0 });
  }
});

describe("an HTTPS target", () => {
  const making = { now: Date.now(), random: { bytes: (size: number) => randomBytes(size) } };

  async function secureUpstream(): Promise<{ target: string; ca: Buffer }> {
    const ca = await makeCa(making);
    const server = https.createServer(await makeServer(ca, ["127.0.0.1", "localhost"], making), noVersion);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    endings.push(async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    });
    return {
      target: `https://localhost:${(server.address() as AddressInfo).port}`,
      ca: Buffer.from(ca.cert),
    };
  }

  it("is reached and judged when its authority is given", async () => {
    const { target, ca } = await secureUpstream();
    const { proxy, breaches } = await proxied({ target, ca });
    expect(await sendOnce(search(proxy))).toMatchObject({ status: 200, body: '{"search_id": "s1"}' });
    await proxy.settled();
    expect(breaches.find(({ rule }) => rule.clauses[0] === "VERS-01")?.exchange.request.url).toBe(
      `${target}/api/v1/search`,
    );
  });

  it("whose certificate is not trusted is not asked, and the answer says what would help", async () => {
    const { target } = await secureUpstream();
    const troubles: string[] = [];
    const { proxy } = await proxied({ target, onTrouble: (sentence) => troubles.push(sentence) });
    const answer = await sendOnce(search(proxy));
    expect(answer?.status).toBe(502);
    expect(answer!.body).toContain("--ca FILE");
    expect(troubles).toEqual([expect.stringMatching(/^https:\/\/localhost:\d+ gave no answer: .*--ca FILE/)]);
  });
});
