import { fork } from "node:child_process";
import { once } from "node:events";
import http from "node:http";
import type { Bench, Figure } from "./figure.ts";
import { median } from "./rounds.ts";
import { openAccounts, run, withFolder } from "./running.ts";
import { asItIs } from "./variants.ts";

/** Requests of one round, one after another, and those that come before anything is measured. */
const perRound = 100;
const warmUp = 300;
/** Requests after which the memory is looked at again. */
const forMemory = 4000;
const megabyte = 2 ** 20;

/** Milliseconds until a Discover is answered, over one connection that is kept. */
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

/** The judging proxy before a server, against the same server asked directly. */
export const proxyBench: Bench = {
  name: "proxy",
  run: ({ rounds, say }) =>
    withFolder(async (folder): Promise<Figure[]> => {
      say("the judging proxy: Discover directly and through it, one after another");
      const [key] = await openAccounts(folder, 1);
      const server = await run(folder, asItIs);
      const child = fork(new URL("proxy-server.ts", import.meta.url), [new URL(server.baseUrl).origin], {
        execArgv: ["--expose-gc"],
      });
      const [{ baseUrl }] = (await once(child, "message")) as [{ baseUrl: string }];
      const memory = async (): Promise<number> => {
        child.send("memory");
        return ((await once(child, "message")) as [{ value: number }])[0].value;
      };
      const direct = asker(server.baseUrl, key!);
      const through = asker(baseUrl, key!);
      try {
        for (let index = 0; index < warmUp; index += 1) await through.ask();
        const medians: { direct: number; through: number }[] = [];
        for (let round = 0; round < rounds; round += 1) {
          const [one, other]: number[][] = [[], []];
          for (let index = 0; index < perRound; index += 1) {
            one!.push(await direct.ask());
            other!.push(await through.ask());
          }
          medians.push({ direct: median(one!), through: median(other!) });
        }
        for (let index = 0; index < forMemory / 2; index += 1) await through.ask();
        const before = await memory();
        for (let index = 0; index < forMemory; index += 1) await through.ask();
        const after = await memory();
        return [
          {
            name: "proxy, median added",
            says: "that the judging proxy adds to the median of a Discover",
            value: median(medians.map((one) => one.through - one.direct)),
            unit: "ms",
            target: { kind: "most", value: 1 },
            measured: {
              direct_ms: median(medians.map((one) => one.direct)),
              through_ms: median(medians.map((one) => one.through)),
            },
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
      } finally {
        direct.close();
        through.close();
        const ended = once(child, "exit");
        child.send("stop");
        await ended;
        await server.stop();
      }
    }),
};
