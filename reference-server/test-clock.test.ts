import { mkdtemp, rm } from "node:fs/promises";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { basePath } from "../generated/contract.ts";
import { defaultConfig } from "./config.ts";
import { createLog, defaultParts, type DefaultParts } from "./parts-default.ts";
import type { Books } from "./parts.ts";
import { createServer, type Server } from "./server.ts";

let folder: string;
let defaults: DefaultParts;
let server: Server;
let origin: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "test-clock-"));
  const config = { ...defaultConfig, dataFolder: folder, host: "0.0.0.0", testClock: true };
  defaults = await defaultParts(config, { log: createLog("silent") });
  server = createServer(config, defaults.parts);
  origin = `http://127.0.0.1:${await server.start(0)}`;
});
afterAll(async () => {
  await server.stop();
  await defaults.close();
  await rm(folder, { recursive: true });
});

const json = { "Content-Type": "application/json" };
const advance = async (body: unknown, headers: Record<string, string> = json) => {
  const response = await fetch(`${origin}/-/clock`, { method: "POST", headers, body: JSON.stringify(body) });
  return { status: response.status, body: (await response.json()) as { now?: string; message?: string } };
};
const now = async (): Promise<number> =>
  Date.parse(((await (await fetch(`${origin}/-/clock`)).json()) as { now: string }).now);
const hourMs = 3_600_000;

it("shows the time, and goes ahead by seconds or to a time", async () => {
  const before = await now();
  expect((await advance({ seconds: 36_000 })).status).toBe(200);
  const after = await now();
  expect(after - before).toBeGreaterThanOrEqual(10 * hourMs);
  expect(after - before).toBeLessThan(11 * hourMs);
  const to = new Date(after + hourMs).toISOString();
  const answer = await advance({ to });
  expect(Date.parse(answer.body.now!)).toBeGreaterThanOrEqual(Date.parse(to));
});

it.each([
  [{}, "Send JSON"],
  [undefined, "Send JSON"],
  [7, "Send JSON"],
  [null, "Send JSON"],
  [{ seconds: "60" }, "Send JSON"],
  [{ seconds: 60, to: "2030-01-01T00:00:00Z" }, "Send JSON"],
  [{ seconds: 60, minutes: 1 }, "Send JSON"],
  [{ to: "tomorrow" }, "Send JSON"],
  [{ seconds: -1 }, "The clock only goes forward; it is 2"],
  [{ to: "2000-01-01T00:00:00Z" }, "The clock only goes forward; it is 2"],
  [{ seconds: 1e12 }, "The clock goes no further than the year 9999."],
])("refuses %j in one sentence", async (body, sentence) => {
  const before = await now();
  const refused = await advance(body);
  expect(refused.status).toBe(422);
  expect(refused.body.message).toContain(sentence);
  expect((await now()) - before).toBeLessThan(hourMs);
});

it("refuses anything but JSON, and other methods", async () => {
  expect(await advance({ seconds: 1 }, { "Content-Type": "text/plain" })).toMatchObject({ status: 422 });
  const malformed = await fetch(`${origin}/-/clock`, { method: "POST", headers: json, body: "{" });
  expect(malformed.status).toBe(422);
  const put = await fetch(`${origin}/-/clock`, { method: "PUT" });
  expect([put.status, put.headers.get("allow")]).toEqual([405, "GET, HEAD, POST"]);
});

it("exists only for clients on this machine, and not for clients behind a proxy", async () => {
  const forwarded = await fetch(`${origin}/-/clock`, { headers: { "X-Forwarded-For": "192.0.2.1" } });
  expect(forwarded.status).toBe(404);
  for (const name of [
    "X-Real-IP",
    "Via",
    "X-Forwarded-Host",
    "X-Forwarded-Proto",
    "CF-Connecting-IP",
    "X-Client-IP",
  ]) {
    const proxied = await fetch(`${origin}/-/clock`, { headers: { [name]: "192.0.2.1" } });
    expect(proxied.status).toBe(404);
  }
  const outside = Object.values(networkInterfaces())
    .flat()
    .find((each) => each?.family === "IPv4" && !each.internal);
  // A connection to an address of another interface has that address as its source.
  if (outside !== undefined) {
    const { port } = new URL(origin);
    expect((await fetch(`http://${outside.address}:${port}/-/clock`)).status).toBe(404);
  }
});

it("moves windows, trials and the Date header, and voids no hold of a living process", async () => {
  const { accounts, books, limiter } = defaults.parts;
  const { apiKey } = await accounts.registerTrial(null);
  const credits = () =>
    fetch(`${origin}${basePath}/auth/credits`, { headers: { Authorization: `Bearer ${apiKey}` } });
  const before = await credits();
  expect(before.status).toBe(200);
  expect((await limiter.take("bucket", 1)).allowed).toBe(true);
  expect((await limiter.take("bucket", 1)).allowed).toBe(false);

  const { account } = await accounts.registerTrial(null);
  const hold: Parameters<Books["hold"]>[0] = {
    accountId: account.id,
    executionId: "under way",
    amount: 0,
    event: {} as never,
  };
  await books.hold(hold);
  await advance({ seconds: 7 * 86_400 + 1 });

  expect((await limiter.take("bucket", 1)).allowed).toBe(true);
  const after = await credits();
  expect(after.status).toBe(401);
  expect(Date.parse(after.headers.get("date")!) - Date.parse(before.headers.get("date")!)).toBeGreaterThan(
    7 * 86_400_000,
  );
  const [row] = await defaults.parts.database("holds").count<{ open: number }[]>({ open: "*" });
  expect(row, "the hold of this living process").toEqual({ open: 1 });
});

it("does not exist without the flag", async () => {
  const config = { ...defaultConfig, dataFolder: join(folder, "plain") };
  const plain = await defaultParts(config, { log: createLog("silent") });
  const other = createServer(config, plain.parts);
  const port = await other.start(0);
  const answer = await fetch(`http://127.0.0.1:${port}/-/clock`);
  expect([answer.status, await answer.json()]).toMatchObject([
    404,
    { message: expect.stringContaining("nothing at /-/clock") as string },
  ]);
  await other.stop();
  await plain.close();
});
