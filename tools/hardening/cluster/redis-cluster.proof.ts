import { execFile, spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { WindowKind } from "../../../reference-server/http/limiter.ts";
import { connectRedisLimiter, type RedisLimiter } from "../../../reference-server/http/redis-limiter.ts";
import { systemClock } from "../../../reference-server/system-clock.ts";
import { freePort } from "../../../base/free-port.ts";

const run = promisify(execFile);
const installed = ["redis-server", "redis-cli"].every(
  (program) => spawnSync(program, ["--version"], { stdio: "ignore" }).status === 0,
);
const where = installed ? "started for the test" : "skipped: redis-server and redis-cli are not installed";

interface Node {
  port: number;
  busPort: number;
  process: ChildProcess;
}

describe.skipIf(!installed)(`windows in a Redis cluster of three (${where})`, () => {
  let folder: string;
  const nodes: Node[] = [];
  const limiters: RedisLimiter[] = [];

  const cli = async (port: number, ...args: string[]): Promise<string> =>
    (await run("redis-cli", ["-p", String(port), ...args])).stdout;

  /** Starts a node, or restarts it with its saved state of the cluster. */
  function startNode(port: number, busPort: number): ChildProcess {
    const flags = {
      port,
      "cluster-port": busPort,
      bind: "127.0.0.1",
      dir: folder,
      "cluster-enabled": "yes",
      "cluster-config-file": `nodes-${port}.conf`,
      "cluster-node-timeout": 2_000,
      save: "",
      appendonly: "no",
    };
    const args = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, String(value)]);
    return spawn("redis-server", args, { stdio: "ignore" });
  }

  const answers = (port: number): Promise<string> =>
    vi.waitFor(async () => {
      const answer = await cli(port, "ping");
      expect(answer).toContain("PONG");
      return answer;
    }, 20_000);

  const healthy = (): Promise<void> =>
    vi.waitFor(async () => {
      for (const { port } of nodes) expect(await cli(port, "cluster", "info")).toContain("cluster_state:ok");
    }, 30_000);

  const addresses = (): string => nodes.map(({ port }) => `redis://127.0.0.1:${port}`).join(",");

  async function limiter(kind: WindowKind, windowSeconds = 86_400): Promise<RedisLimiter> {
    const log = pino({ level: "silent" });
    const made = await connectRedisLimiter({
      url: addresses(),
      kind,
      windowSeconds,
      clock: systemClock,
      log,
    });
    limiters.push(made);
    return made;
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "capability-redis-"));
    for (let index = 0; index < 3; index += 1) {
      const [port, busPort] = [await freePort(), await freePort()];
      nodes.push({ port, busPort, process: startNode(port, busPort) });
    }
    for (const { port } of nodes) await answers(port);
    const members = nodes.map(({ port }) => `127.0.0.1:${port}`);
    await run("redis-cli", ["--cluster", "create", ...members, "--cluster-yes"]);
    await healthy();
  });

  afterAll(async () => {
    for (const each of limiters) each.close();
    for (const node of nodes) {
      const ended = once(node.process, "exit");
      node.process.kill("SIGKILL");
      await ended;
    }
    await rm(folder, { recursive: true, force: true });
  });

  it.each(["aligned", "first-request", "sliding"] as const)(
    "admits exactly the quota of each bucket over two processes, on any node (%s)",
    async (kind) => {
      const both = [await limiter(kind), await limiter(kind)] as const;
      const buckets = Array.from({ length: 12 }, (_, index) => `call:account:${kind}-${index}`);
      const all = await Promise.all(
        buckets.flatMap((bucket) =>
          Array.from({ length: 10 }, async (_, index) => ({
            bucket,
            ...(await both[index % 2]!.take(bucket, 7)),
          })),
        ),
      );
      for (const bucket of buckets) {
        const mine = all.filter((request) => request.bucket === bucket);
        expect(mine.filter(({ allowed }) => allowed)).toHaveLength(7);
        expect(new Set(mine.map(({ reset }) => reset)).size).toBe(1);
      }
      for (const { port } of nodes) expect(Number(await cli(port, "dbsize"))).toBeGreaterThan(0);
    },
  );

  it("goes on while a node is gone, and shares its windows again when it is back", async () => {
    const both = [await limiter("aligned"), await limiter("aligned")] as const;
    const [lost] = nodes as [Node, Node, Node];
    const ended = once(lost.process, "exit");
    lost.process.kill("SIGKILL");
    await ended;
    const buckets = Array.from({ length: 12 }, (_, index) => `gone-${index}`);
    const meanwhile = await Promise.all(buckets.map((bucket) => both[0].take(bucket, 5)));
    expect(meanwhile.every(({ allowed }) => allowed)).toBe(true);

    lost.process = startNode(lost.port, lost.busPort);
    await answers(lost.port);
    await healthy();
    let tries = 0;
    await vi.waitFor(
      async () => {
        tries += 1;
        for (const bucket of buckets) {
          const [one, other] = [
            await both[0].take(`back-${tries}-${bucket}`, 5),
            await both[1].take(`back-${tries}-${bucket}`, 5),
          ];
          expect([one.remaining, other.remaining]).toEqual([4, 3]);
        }
      },
      { timeout: 30_000, interval: 500 },
    );
  });

  it("finds a cluster that is up only later", async () => {
    for (const node of nodes) {
      const ended = once(node.process, "exit");
      node.process.kill("SIGKILL");
      await ended;
    }
    const both = [await limiter("aligned"), await limiter("aligned")] as const;
    expect(await both[0].take("early", 1)).toMatchObject({ allowed: true });
    for (const node of nodes) node.process = startNode(node.port, node.busPort);
    for (const { port } of nodes) await answers(port);
    await healthy();
    let tries = 0;
    await vi.waitFor(
      async () => {
        tries += 1;
        expect((await both[0].take(`late-${tries}`, 5)).remaining).toBe(4);
        expect((await both[1].take(`late-${tries}`, 5)).remaining).toBe(3);
      },
      { timeout: 30_000, interval: 500 },
    );
  });
});
