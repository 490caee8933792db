import type { promises } from "node:fs";
import { mkdtemp, readFile, readdir, readlink, stat } from "node:fs/promises";
import { Agent, request } from "node:https";
import type { LookupFunction } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { randomBytes } from "node:crypto";
import pino from "pino";
import { afterEach, expect, test, vi } from "vitest";
import { signedUrlLifetimeMs, startObjectStorage, type EmbeddedStorage } from "./object-storage.ts";

/** Lists of a folder wait for it. */
const gate = vi.hoisted(() => ({ opened: Promise.resolve(undefined) }));
vi.mock("node:fs/promises", async (original) => {
  const files = await original<typeof promises>();
  return { ...files, readdir: (folder: string) => gate.opened.then(() => files.readdir(folder)) };
});

const log = pino({ level: "silent" });
const random = { bytes: (size: number) => randomBytes(size) };
const clock = { time: 0, now: () => clock.time };
const open: EmbeddedStorage[] = [];

async function start(options: { folder?: string; maxBytes?: number; maxBytesOfAccount?: number } = {}) {
  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), "objects-")));
  const storage = await startObjectStorage(
    { host: "127.0.0.1", port: 0, publicHost: "localhost", ...options, folder },
    { clock, random, log },
  );
  open.push(storage);
  await storage.ready();
  const ca = await readFile(storage.caFile, "utf8");
  return { storage, folder, ca };
}

afterEach(async () => {
  await Promise.all(open.splice(0).map((storage) => storage.close()));
});

const lookup: LookupFunction = (_host, _options, done) => done(null, [{ address: "127.0.0.1", family: 4 }]);

function fetchWith(ca: string, url: string, method = "GET", agent?: Agent) {
  return new Promise<{ status: number; body: string; type: string | undefined }>((resolve, reject) => {
    request(url, {
      ca,
      method,
      agent,
      lookup,
    })
      .on("error", reject)
      .on("response", (response) => {
        let body = "";
        response.setEncoding("utf8");
        response.on("data", (chunk: string) => (body += chunk));
        response.on("end", () =>
          resolve({ status: response.statusCode ?? 0, body, type: response.headers["content-type"] }),
        );
      })
      .end();
  });
}

test("a signed address answers the content over HTTPS that the CA vouches for, until its end", async () => {
  clock.time = Date.now();
  const { storage, folder, ca } = await start();
  const url = await storage.put("ex 1/../x.json", '{"a":"ü"}', "application/json", "account-a");
  expect(url.startsWith(`${storage.origin}/results/`)).toBe(true);
  expect(await fetchWith(ca, url)).toEqual({ status: 200, body: '{"a":"ü"}', type: "application/json" });
  expect(await fetchWith(ca, url, "HEAD")).toMatchObject({ status: 200, body: "" });
  expect((await fetchWith(ca, url, "DELETE")).status).toBe(405);
  await expect(fetchWith("", url)).rejects.toThrow(/certificate/);
  for (const file of ["url-secret", "ca-key.pem", "server-key.pem"]) {
    expect((await stat(join(folder, file))).mode & 0o777, file).toBe(0o600);
  }

  clock.time += signedUrlLifetimeMs - 1001;
  expect((await fetchWith(ca, url)).status).toBe(200);
  clock.time += 1001;
  expect((await fetchWith(ca, url)).status).toBe(410);
  expect(await storage.sweep()).toBe(1);
  expect(await readdir(join(folder, "content"))).toEqual([]);
});

test("changing, dropping or adding any byte of the address is refused", async () => {
  clock.time = Date.now();
  const { storage, ca } = await start();
  const url = await storage.put("ex1.json", "{}", "application/json", "account-a");
  const { pathname, search } = new URL(url);
  const path = pathname + search;
  const agent = new Agent({ keepAlive: true, maxSockets: 4, ca });
  const tampered = [`${path}&x=1`, `${path}0`, path.replace("/results", "/results/"), path.toUpperCase()];
  for (let at = 1; at < path.length; at += 1) {
    const other = path[at] === "1" ? "2" : "1";
    tampered.push(path.slice(0, at) + other + path.slice(at + 1), path.slice(0, at) + path.slice(at + 1));
    if (/[a-f]/.test(path[at]!))
      tampered.push(path.slice(0, at) + path[at]!.toUpperCase() + path.slice(at + 1));
  }
  const answers = await Promise.all(
    tampered.map(async (changed) => [
      changed,
      (await fetchWith(ca, storage.origin + changed, "GET", agent)).status,
    ]),
  );
  expect(answers.filter(([, status]) => status !== 403)).toEqual([]);
  expect((await fetchWith(ca, url, "GET", agent)).status).toBe(200);
  agent.destroy();
});

test("addresses and certificates outlive a restart, and the folder stays within its bound", async () => {
  clock.time = Date.now();
  const first = await start();
  const url = await first.storage.put("a.json", "[1]", "application/json", "account-a");
  await first.storage.close();
  const second = await start({ folder: first.folder, maxBytes: 1000 });
  expect(second.ca).toBe(first.ca);
  const moved = url.replace(first.storage.origin, second.storage.origin);
  expect((await fetchWith(second.ca, moved)).body).toBe("[1]");

  for (let n = 0; n < 10; n += 1) {
    clock.time += 1000;
    await second.storage.put("b.json", "x".repeat(300), "application/json", "account-b");
  }
  const files = await readdir(join(first.folder, "content"));
  expect(files.length).toBeLessThanOrEqual(4);
  // The account with the most content loses its oldest, not the account with the oldest content.
  expect((await fetchWith(second.ca, moved)).status).toBe(200);
  await expect(
    second.storage.put("c.json", "x".repeat(1001), "application/json", "account-a"),
  ).rejects.toThrow("at most 1000");
});

test("an account that fills the storage loses its own content first, also after a restart", async () => {
  clock.time = Date.now();
  const bounds = { maxBytes: 100_000, maxBytesOfAccount: 1000 };
  const first = await start(bounds);
  const paid = await first.storage.put("paid.json", "[1]", "application/json", "account-a");
  const put = async (storage: typeof first.storage) => {
    clock.time += 1000;
    return storage.put("b.json", "x".repeat(300), "application/json", "account-b");
  };
  const early = await put(first.storage);
  await put(first.storage);
  await first.storage.close();
  const { storage, ca } = await start({ folder: first.folder, ...bounds });
  await put(storage);
  const last = await put(storage);
  const statusOf = async (url: string) =>
    (await fetchWith(ca, url.replace(first.storage.origin, storage.origin))).status;
  expect(await Promise.all([paid, early, last].map(statusOf))).toEqual([200, 410, 200]);
  await expect(storage.put("c.json", "x".repeat(1001), "application/json", "account-c")).rejects.toThrow(
    "at most 1000",
  );
});

test("storing content does not wait until expired content is found and deleted", async () => {
  clock.time = Date.now();
  const { storage, folder } = await start();
  await storage.put("a.json", "[1]", "application/json", "account-a");
  clock.time += signedUrlLifetimeMs + 1000;
  const held = Promise.withResolvers<undefined>();
  gate.opened = held.promise;
  const url = await storage.put("b.json", "[2]", "application/json", "account-a");
  held.resolve(undefined);
  await storage.close();
  expect(await readdir(join(folder, "content"))).toEqual([new URL(url).pathname.split("/").at(-1)]);
});

test("an abandoned download leaves no open file", async () => {
  clock.time = Date.now();
  const { storage, ca } = await start();
  const url = await storage.put("large.json", "x".repeat(8_000_000), "application/json", "account-a");
  const openFiles = async (): Promise<number> => {
    const fds = await readdir("/proc/self/fd");
    const targets = await Promise.all(fds.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => "")));
    return targets.filter((target) => target.includes("/content/")).length;
  };
  await Promise.all(
    Array.from(
      { length: 20 },
      () =>
        new Promise<void>((resolve) => {
          const given = request(url, { ca, lookup }, (response) => {
            response.once("data", () => given.destroy());
            response.once("close", resolve);
            response.on("error", () => undefined);
          });
          given.on("error", () => undefined);
          given.end();
        }),
    ),
  );
  await expect.poll(openFiles).toBe(0);
});

test("processes that start together on one folder have one authority, and serve each other's content", async () => {
  const folder = await mkdtemp(join(tmpdir(), "objects-"));
  const all = await Promise.all([start({ folder }), start({ folder }), start({ folder })]);
  expect(new Set(all.map(({ ca }) => ca)).size).toBe(1);
  const url = new URL(await all[0].storage.put("result", '{"a":1}', "application/json", "account-a"));
  for (const { storage, ca } of all) {
    url.port = new URL(storage.origin).port;
    expect(await fetchWith(ca, url.href)).toMatchObject({ status: 200, body: '{"a":1}' });
  }
  expect(await readdir(folder)).not.toContain("making-certificates.lock");
});
