import http from "node:http";
import { withTemporaryFolder } from "../../../cli/temporary-folder.ts";
import { startProcess, type Started } from "../started.ts";
import type { Bench, Figure } from "./figure.ts";
import { median } from "./rounds.ts";
import { openAccounts, run } from "./running.ts";
import { asItIs } from "./variants.ts";

/** Sequential requests of one round, and those of the warm-up. */
const perRound = 100;
const warmUp = 300;
/** Requests between two samples of the memory. */
const forMemory = 4000;
const megabyte = 2 ** 20;

/** Latency of a Discover in milliseconds, over one persistent connection. */
function asker(baseUrl: string, key: string): { ask: () => Promise<number>; close: () => void } {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const body = JSON.stringify({ query: "weather", limit: 5, session_id: "bench" });
  const headers = {
    authorization: `Bearer ${key}`,
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
  };
  const ask = (): Promise<number> =>
    new Promise((resolve, reject) => {
      const started = performance.now();
      const request = http.request(`${baseUrl}/search`, { method: "POST", headers, agent }, (incoming) => {
        if (incoming.statusCode !== 200) reject(new Error(`a Discover was answered ${incoming.statusCode}`));
        incoming.resume().on("end", () => resolve(performance.now() - started));
      });
      request.on("error", reject).end(body);
    });
  return { ask, close: () => agent.destroy() };
}

/** A proxy in its own process. */
type Standing = Pick<Started, "ask" | "stop"> & { baseUrl: string };

/** @param file the proxy's program, in this folder */
async function start(file: string, target: string): Promise<Standing> {
  const { said, ask, stop } = await startProcess(new URL(file, import.meta.url), [target], {
    nodeFlags: ["--expose-gc"],
  });
  return { ...said, ask, stop };
}

/** Medians of one round in ms. */
type Round = Record<"direct" | "bare" | "judging", number>;

type Way = ReturnType<typeof asker>;
type Ways = Record<keyof Round, Way>;

async function repeat(times: number, act: () => Promise<unknown>): Promise<void> {
  for (let index = 0; index < times; index += 1) await act();
}

/** Sends requests over all three routes in turn, so that other work on the machine disturbs them alike. */
async function measureRound(ways: Ways): Promise<Round> {
  const took: Record<keyof Round, number[]> = { direct: [], bare: [], judging: [] };
  await repeat(perRound, async () => {
    took.direct.push(await ways.direct.ask());
    took.bare.push(await ways.bare.ask());
    took.judging.push(await ways.judging.ask());
  });
  return { direct: median(took.direct), bare: median(took.bare), judging: median(took.judging) };
}

/** CPU time of the proxies so far: the bare one, the forwarding thread of the judging one, and all its threads. */
const cpuOf = async (bare: Standing, judging: Standing) => ({
  bare: await bare.ask("cpu"),
  path: await judging.ask("cpu"),
  all: await judging.ask("cpu of all"),
});

interface Measured {
  medians: Round[];
  /** Milliseconds per exchange. */
  cpu: { bare: number; path: number; all: number };
  memory: { before: number; after: number };
}

async function measure(ways: Ways, bare: Standing, judging: Standing, rounds: number): Promise<Measured> {
  await repeat(warmUp, async () => {
    await ways.bare.ask();
    await ways.judging.ask();
  });
  const cpuBefore = await cpuOf(bare, judging);
  const medians: Round[] = [];
  await repeat(rounds, async () => medians.push(await measureRound(ways)));
  const cpuAfter = await cpuOf(bare, judging);
  const each = (name: keyof typeof cpuAfter): number =>
    (cpuAfter[name] - cpuBefore[name]) / 1000 / (rounds * perRound);
  await repeat(forMemory / 2, ways.judging.ask);
  const before = await judging.ask("memory");
  await repeat(forMemory, ways.judging.ask);
  const after = await judging.ask("memory");
  const unjudged = await judging.ask("missed");
  if (unjudged > 0) throw new Error(`${unjudged} exchanges were not judged, or not wholly`);
  return {
    medians,
    cpu: { bare: each("bare"), path: each("path"), all: each("all") },
    memory: { before, after },
  };
}

function figuresOf({ medians, cpu, memory: { before, after } }: Measured): Figure[] {
  const middle = (of: (round: Round) => number): number => median(medians.map(of));
  return [
    {
      name: "proxy, median added",
      says: "that the judging proxy adds to the median of a Discover; by CPU time: of the thread that passes it on",
      value: middle((one) => one.judging - one.direct),
      byCpuTime: cpu.path,
      unit: "ms",
      target: { kind: "most", value: 1 },
      measured: {
        direct_ms: middle((one) => one.direct),
        through_ms: middle((one) => one.judging),
        judge_cpu_ms: cpu.all - cpu.path,
      },
    },
    {
      name: "proxy, of that the passing on",
      says: "that a proxy adds which does nothing but pass on",
      value: middle((one) => one.bare - one.direct),
      byCpuTime: cpu.bare,
      unit: "ms",
      target: null,
      measured: { through_ms: middle((one) => one.bare) },
    },
    {
      name: "proxy, memory",
      says: `that the judging proxy grows by over ${forMemory} exchanges`,
      value: (after - before) / megabyte,
      unit: "MB",
      target: { kind: "most", value: 20 },
      measured: { before_bytes: before, after_bytes: after },
    },
  ];
}

/** The judging proxy in front of a server, compared with the server itself and with a proxy that only forwards. */
export const proxyBench: Bench = {
  name: "proxy",
  run: ({ rounds, say }) =>
    withTemporaryFolder(async (folder): Promise<Figure[]> => {
      say("the judging proxy: Discover directly and through it, one after another");
      const [key] = await openAccounts(folder, 1);
      const server = await run(folder, asItIs);
      const target = new URL(server.baseUrl).origin;
      const judging = await start("proxy-server.ts", target);
      const bare = await start("bare-proxy.ts", target);
      const ways = {
        direct: asker(server.baseUrl, key!),
        bare: asker(bare.baseUrl, key!),
        judging: asker(judging.baseUrl, key!),
      };
      try {
        return figuresOf(await measure(ways, bare, judging, rounds));
      } finally {
        for (const way of Object.values(ways)) way.close();
        await judging.stop();
        await bare.stop();
        await server.stop();
      }
    }),
};
