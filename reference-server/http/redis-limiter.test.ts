import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { pino } from "pino";
import { afterEach, describe, expect, it } from "vitest";
import { systemClock } from "../system-clock.ts";
import type { WindowKind } from "./limiter.ts";
import { connectRedisLimiter } from "./redis-limiter.ts";

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

const kinds = ["aligned", "first-request", "sliding"] satisfies WindowKind[];
const day = 86_400;

/** The limiters of two processes on one Redis, and their logs. */
async function limiters(url: string, kind: WindowKind, windowSeconds: number) {
  const lines: string[] = [];
  const log = pino({ level: "info" }, { write: (line: string) => void lines.push(line) });
  const prefix = `test-${randomBytes(6).toString("hex")}`;
  const options = { url: `${url}?prefix=${prefix}`, kind, windowSeconds, clock: systemClock, log };
  const both = await Promise.all([connectRedisLimiter(options), connectRedisLimiter(options)]);
  open.push(() => both.forEach((each) => each.close()));
  return { both, lines };
}

const url = process.env["TEST_REDIS_URL"];
const where = url === undefined ? "skipped: TEST_REDIS_URL=redis://… is not set" : "at TEST_REDIS_URL";

describe.skipIf(url === undefined)(`windows in Redis (${where})`, () => {
  for (const kind of kinds) {
    it(`admits exactly the quota over two processes, whatever arrives together (${kind})`, async () => {
      const { both } = await limiters(url!, kind, day);
      const all = await Promise.all(Array.from({ length: 40 }, (_, index) => both[index % 2]!.take("a", 25)));
      expect(all.filter(({ allowed }) => allowed)).toHaveLength(25);
      expect(
        all
          .filter(({ allowed }) => allowed)
          .map(({ remaining }) => remaining)
          .sort((a, b) => a - b),
      ).toEqual(Array.from({ length: 25 }, (_, index) => index));
      expect(new Set(all.map(({ reset }) => reset)).size).toBe(1);
      expect(await both[1].take("b", 25)).toMatchObject({ allowed: true, limit: 25, remaining: 24 });
    });

    it(`admits again when the window has ended, and says when (${kind})`, async () => {
      const { both } = await limiters(url!, kind, 1);
      await both[0].take("a", 1);
      let refused = await both[1].take("a", 1);
      while (refused.allowed) refused = await both[1].take("a", 1);
      expect(refused).toMatchObject({ allowed: false, limit: 1, remaining: 0, retryAfter: 1 });
      const admitted = async (): Promise<boolean> => (await both[1].take("a", 1)).allowed;
      await expect.poll(admitted, { interval: 20 }).toBe(true);
    });

    it(`admits nothing where the quota is 0 (${kind})`, async () => {
      const { both } = await limiters(url!, kind, 60);
      expect(await both[0].take("a", 0)).toMatchObject({ allowed: false, remaining: 0 });
    });
  }

  it("starts aligned windows at multiples of their length, the others at the first request", async () => {
    const reset = async (kind: WindowKind) =>
      (await (await limiters(url!, kind, day)).both[0].take("a", 9)).reset;
    expect((await reset("aligned")) % day).toBe(0);
    const before = Math.floor(systemClock.now() / 1000);
    for (const kind of ["first-request", "sliding"] as const) {
      const late = (await reset(kind)) - before - day;
      expect(late).toBeGreaterThanOrEqual(0);
      expect(late).toBeLessThan(30);
    }
  });
});

describe("Redis gone", () => {
  it.each(["refuses", "hangs"])(
    "counts by itself, says so once and delays no request when it %s",
    async (how) => {
      const silent = createServer(() => undefined).listen(0, "127.0.0.1");
      await once(silent, "listening");
      const { port } = silent.address() as AddressInfo;
      if (how === "refuses") silent.close();
      else open.push(() => silent.close());
      const { both, lines } = await limiters(`redis://127.0.0.1:${port}`, "aligned", day);
      const [limiter] = both;
      const all = await Promise.all(Array.from({ length: 30 }, () => limiter.take("a", 20)));
      expect(all.filter(({ allowed }) => allowed)).toHaveLength(20);
      expect(lines.filter((line) => line.includes("counts rate limits alone"))).toHaveLength(2);
    },
  );

  it.each([
    ["no numbers", "*4\r\n:1\r\n:-999\r\n$3\r\nabc\r\n:0\r\n"],
    ["no end", "*3\r\n:1\r\n:1\r\n:1\r\n"],
    ["an end that is over", "*4\r\n:0\r\n:0\r\n:0\r\n:0\r\n"],
    ["an end beyond its window", "*4\r\n:0\r\n:0\r\n:100000000000000000\r\n:1\r\n"],
    ["more left than the quota", "*4\r\n:1\r\n:21\r\n:2\r\n:1\r\n"],
  ])("counts by itself where something else answers: %s", async (_what, answer) => {
    const other = createServer((socket) => {
      socket.on("error", () => undefined);
      socket.on("data", (sent) => {
        for (const [, command] of String(sent).matchAll(/\*\d+\r\n\$\d+\r\n(\w+)/g))
          socket.write(command === "EVALSHA" ? answer : "+OK\r\n");
      });
    }).listen(0, "127.0.0.1");
    await once(other, "listening");
    open.push(() => other.close());
    const { both, lines } = await limiters(
      `redis://127.0.0.1:${(other.address() as AddressInfo).port}`,
      "aligned",
      day,
    );
    const all = await Promise.all(Array.from({ length: 30 }, () => both[0].take("a", 20)));
    expect(all.filter(({ allowed }) => allowed)).toHaveLength(20);
    expect(lines.join("")).toContain("Redis answers something else");
  });

  it("refuses an invalid address", async () => {
    await expect(limiters("http://127.0.0.1", "aligned", 60)).rejects.toThrow("must be redis://host:port");
  });
});
