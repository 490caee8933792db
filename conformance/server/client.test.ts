import { createHash, randomBytes } from "node:crypto";
import { EventEmitter, once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import http from "node:http";
import https from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { serverCertificate } from "../../reference-server/results/certificates.ts";
import { Allowance } from "./allowance.ts";
import { Client } from "./client.ts";
import { Secrets } from "./secrets.ts";
import { Waiting } from "./waiting.ts";

const bomb = gzipSync(Buffer.alloc(17 * 1024 * 1024, " "));

let server: http.Server;
let client: Client;
/** Reports when an endless answer has begun, or one that never does. */
let began: EventEmitter;
let isFrozen: boolean;

beforeEach(async () => {
  began = new EventEmitter();
  isFrozen = false;
  server = http.createServer((request, response) => {
    const levels = Number(/^\/deep\/(\d+)$/.exec(request.url ?? "")?.[1] ?? 0);
    if (isFrozen || request.url === "/silent") began.emit("answer");
    else if (request.url === "/slow") setTimeout(() => response.end("late"), 1_200);
    else if (request.url === "/fatal") request.socket.destroy();
    else if (request.url === "/drip") response.write("{", () => began.emit("answer"));
    else if (request.url === "/large") response.end(Buffer.alloc(17 * 1024 * 1024, " "));
    else if (request.url === "/bomb") response.writeHead(200, { "content-encoding": "gzip" }).end(bomb);
    else if (request.url === "/long") response.end(`"${"x".repeat(600 * 1024)}"`);
    else if (request.url === "/quoted") response.end(`{"a":"\\"${"[".repeat(300)}"}`);
    else if (levels > 0) response.end("[".repeat(levels) + "]".repeat(levels));
    else response.end("here");
  });
  server.keepAliveTimeout = 0;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  client = new Client(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, new Secrets());
});

afterEach(() => {
  client.close();
  server.closeAllConnections();
  server.close();
});

const ask = async (path: string): Promise<string> => (await client.send({ method: "GET", path })).text;

it("closes an idle connection before the server may, but not one that waits for its answer", async () => {
  const connections: Socket[] = [];
  server.on("connection", (socket: Socket) => connections.push(socket));
  expect(await ask("/")).toBe("here");
  expect(await ask("/slow")).toBe("late");
  expect(connections).toHaveLength(1);
  await once(connections[0]!, "close");
  expect(await ask("/")).toBe("here");
  expect(connections).toHaveLength(2);
});

/** Sends the request and advances the clock once the answer has begun. */
async function askAsTimeGoesBy(path: string, milliseconds: number): Promise<unknown> {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    const refusal = ask(path).catch((error: unknown) => error);
    await once(began, "answer");
    await vi.advanceTimersByTimeAsync(milliseconds);
    return await refusal;
  } finally {
    vi.useRealTimers();
  }
}

it("does not mistake a busy process for silence while it connects", async () => {
  const answer = ask("/");
  await new Promise((resolve) => process.nextTick(resolve));
  const busyUntil = performance.now() + 1_100;
  while (performance.now() < busyUntil);
  expect(await answer).toBe("here");
});

it("waits for a late answer only as long as the run's budget of waiting allows", async () => {
  const { port } = server.address() as AddressInfo;
  const said: string[] = [];
  client = new Client(`http://127.0.0.1:${port}`, new Secrets(), new Waiting(7, (text) => said.push(text)));
  const refusal = await askAsTimeGoesBy("/drip", 17_000);
  expect(String(refusal)).toMatch(/the answer did not end within 17 s/);
  expect(said).toEqual(["waiting up to 20 s for the answer to GET /drip"]);
});

it("accepts no body beyond 16 MiB, and none that is nested beyond 200 levels", async () => {
  await expect(ask("/large")).rejects.toThrow(
    "no answer to GET /large: the answer is larger than 16 MiB, the most that is read",
  );
  await expect(ask("/bomb")).rejects.toThrow("the body is more than 16 MiB without its content coding");
  await expect(ask("/deep/201")).rejects.toThrow("the body is nested deeper than 200 levels");
  expect(await ask("/deep/200")).toHaveLength(400);
  expect(await ask("/quoted")).toBe(`{"a":"\\"${"[".repeat(300)}"}`);
});

it("shows listeners the whole body, and keeps only its beginning, its length and its hash", async () => {
  let heard = 0;
  client.listen(({ response }) => (heard = response!.body.length));
  const { text, exchange } = await client.send({ method: "GET", path: "/long" });
  expect(text).toHaveLength(heard);
  expect(exchange.response!.body).toBe(text.slice(0, 512 * 1024));
  const sha256 = createHash("sha256").update(text).digest("hex");
  expect(exchange.response!.cut).toEqual({ from: text.length, sha256 });
});

it("keeps little of each body once the records of a run are full", async () => {
  let kept = 0;
  for (let sent = 0; sent < 140; sent += 1) {
    kept += (await client.send({ method: "GET", path: "/long" })).exchange.response!.body.length;
  }
  expect(kept).toBeGreaterThan(60 * 1024 * 1024);
  expect(kept).toBeLessThan(65 * 1024 * 1024);
});

it("ends the run, and all its waits, once a server that has answered refuses connections", async () => {
  const { port } = server.address() as AddressInfo;
  const waiting = new Waiting();
  client = new Client(`http://127.0.0.1:${port}`, new Secrets(), waiting);
  await ask("/");
  await expect(ask("/fatal")).rejects.toThrow("no answer");
  client.close();
  server.closeAllConnections();
  server.close();
  const paused = waiting.pause(60_000, "a window").catch((error: unknown) => String(error));
  await expect(ask("/")).rejects.toThrow("the server went away before this was judged");
  expect(client.presence.gone).toMatch(/ECONNREFUSED .*; it left unanswered GET \/fatal$/);
  expect(await paused).toContain("the server went away");
  await expect(ask("/")).rejects.toThrow("the server went away before this was judged");
});

it("takes a server for gone when it gives no sign of life, but not for one missing answer", async () => {
  const faked = ["setTimeout", "clearTimeout", "performance"] as const;
  vi.useFakeTimers({ toFake: [...faked] });
  try {
    await ask("/");
    const silent = async (): Promise<unknown> => {
      const answer = ask("/silent").catch((error: unknown) => String(error));
      await once(began, "answer");
      const doubted = once(isFrozen ? began : server, isFrozen ? "answer" : "request");
      await vi.advanceTimersByTimeAsync(10_000);
      await doubted;
      await vi.advanceTimersByTimeAsync(30_000);
      return answer;
    };
    expect(await silent()).toContain("no answer within the deadline of 30 s");
    expect(client.presence.gone).toBeNull();
    isFrozen = true;
    expect(await silent()).toContain("the server went away before this was judged");
    expect(client.presence.gone).toBe(
      "no answer within the deadline of 30 s; it left unanswered GET /silent",
    );
  } finally {
    vi.useRealTimers();
  }
});

it("no longer waits once the last request that the run may send is sent", async () => {
  const waiting = new Waiting();
  const limited = new Client(client.baseUrl, new Secrets(), waiting, new Allowance({ maxRequests: 1 }));
  const window = waiting.pause(60_000, "the next window of call").catch((error: unknown) => error);
  await limited.send({ method: "GET", path: "/" });
  limited.close();
  const reason = "--max-requests 1 allows no further request";
  expect(await window).toMatchObject({ message: reason });
  await expect(waiting.pause(60_000, "another window")).rejects.toThrow(reason);
});

it.each(["http", "https"])(
  "sends a read again when the server closed its idle connection, and each Call on a connection of its own: %s",
  async (scheme) => {
    let requests = 0;
    const answer: http.RequestListener = (request, response) => {
      requests += 1;
      // The second request on a connection meets one that the server has just given up.
      if (isUsed.has(request.socket)) request.socket.destroy();
      else response.end("{}");
      isUsed.add(request.socket);
    };
    const isUsed = new WeakSet<Socket>();
    const random = { bytes: randomBytes, int: () => 0 };
    const folder = await mkdtemp(join(tmpdir(), "capability-contract-client-"));
    const certificate = await serverCertificate(folder, ["127.0.0.1"], { now: Date.now(), random });
    const closing = scheme === "http" ? http.createServer(answer) : https.createServer(certificate, answer);
    await once(closing.listen(0, "127.0.0.1"), "listening");
    try {
      const url = `${scheme}://127.0.0.1:${(closing.address() as AddressInfo).port}`;
      const ca = await readFile(certificate.caFile, "utf8");
      client = new Client(url, new Secrets(), undefined, undefined, { ca });
      const call = { method: "POST", path: "/tools/execute", body: "{}" };
      await ask("/auth/credits");
      expect(await ask("/auth/credits")).toBe("{}");
      expect(requests).toBe(3);
      await client.send(call);
      expect((await client.send(call)).text).toBe("{}");
      expect(requests).toBe(5);
    } finally {
      closing.closeAllConnections();
      closing.close();
      await rm(folder, { recursive: true, force: true });
    }
  },
);
