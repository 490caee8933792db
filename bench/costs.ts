import { writeFile } from "node:fs/promises";
import type { Request } from "autocannon";
import { writeFiles } from "../cli/write.ts";
import { connections } from "./alternate.ts";
import { drawShares } from "./draw-shares.ts";
import type { Bench, Figure } from "./figure.ts";
import { costRequests } from "./requests.ts";
import { alternate, load, median, type Loaded, type Round } from "./rounds.ts";
import { openAccounts, run, started, withFolder, type Running } from "./running.ts";
import { sharesOf, type Shares } from "./shares.ts";
import { asItIs } from "./variants.ts";

const accounts = 8;
/** Paid Calls of each account before the first round, so that every list has a full page. */
const callsBefore = 15;
const profileSeconds = 4;

type Name = keyof ReturnType<typeof costRequests>;

/** The most that an operation may cost, as a multiple of a bare POST. */
const targets: Partial<Record<Name, number>> = {
  "paid Call": 4,
  "Discover of 20": 4,
  Probe: 3,
  credits: 3,
  "usage, first page of 10": 3,
};

/** The CPU time of each operation, as a multiple of a bare Express POST of the same bodies. */
export const costsBench: Bench = {
  name: "costs",
  run: ({ rounds, say }) =>
    withFolder(async (folder) => {
      const keys = await openAccounts(folder, accounts);
      const server = await run(folder, asItIs);
      const stops: Running[] = [server];
      try {
        const asked = costRequests(keys);
        for (let call = 0; call < callsBefore; call += 1) {
          for (const request of asked["paid Call"]) await send(server.baseUrl, request);
        }
        const bodies = `${folder}/bare.json`;
        await writeFile(bodies, JSON.stringify(await answersTo(server, asked)));
        const bare = await started("bare-express.ts", [bodies]);
        stops.push(bare);
        const figures: Figure[] = [];
        const shares: Record<string, Shares> = {};
        for (const [name, requests] of Object.entries(asked) as [Name, Request[]][]) {
          say(`cost: ${name}, and a bare POST of the same bodies`);
          const loaded: Record<"served" | "bare", Loaded> = {
            served: { baseUrl: server.baseUrl, cpu: server.cpu, requests },
            bare: { baseUrl: bare.baseUrl, cpu: bare.cpu, requests: requests.map(bareOf(name)) },
          };
          figures.push(figureOf(name, await alternate(loaded, { rounds, connections })));
          shares[name] = await profiled(server, loaded.served);
        }
        await writeFiles([
          ["reports/costs.json", () => `${JSON.stringify({ figures, shares }, null, 2)}\n`],
          ["reports/costs.svg", () => drawShares(shares)],
        ]);
        return figures;
      } finally {
        for (const each of stops) await each.stop();
      }
    }),
};

/** The path of an operation on the bare server, below its root. */
const barePath = (name: string): string => name.replaceAll(/\W+/g, "-");

/** A POST of the same body to the bare server; an operation without one sends an empty object. */
const bareOf =
  (name: Name) =>
  ({ headers, body }: Request): Request => ({
    method: "POST",
    path: barePath(name),
    headers: { ...headers, "content-type": "application/json" },
    body: body ?? "{}",
  });

async function send(baseUrl: string, { method, path, headers, body }: Request): Promise<object> {
  const response = await fetch(baseUrl + path!, {
    method: method!,
    headers: headers as Record<string, string>,
    ...(body !== undefined && { body }),
  });
  if (!response.ok) throw new Error(`${path} was answered ${response.status}`);
  return (await response.json()) as object;
}

/** What the server answers to the first request of each operation, by the path on the bare server. */
async function answersTo(
  { baseUrl }: Running,
  asked: Record<string, Request[]>,
): Promise<Record<string, object>> {
  const answers: Record<string, object> = {};
  for (const [name, [first]] of Object.entries(asked)) {
    answers[barePath(name)] = await send(baseUrl, first!);
  }
  return answers;
}

const cpuMsOf = (rounds: readonly Round[]): number[] => rounds.map(({ perCpuSecond }) => 1000 / perCpuSecond);

function figureOf(name: Name, { served, bare }: Record<"served" | "bare", Round[]>): Figure {
  const [servedMs, bareMs] = [cpuMsOf(served), cpuMsOf(bare)];
  const multiples = servedMs.map((ms, round) => ms / bareMs[round]!);
  const target = targets[name];
  return {
    name: `cost, ${name}`,
    says: "CPU time of a request, as a multiple of a bare Express POST of the same bodies",
    value: median(multiples),
    unit: "ratio",
    target: target === undefined ? null : { kind: "most", value: target },
    measured: {
      cpu_ms: median(servedMs),
      bare_cpu_ms: median(bareMs),
      least: Math.min(...multiples),
      most: Math.max(...multiples),
    },
  };
}

/** Where the CPU time of an operation goes, in microseconds for a request. */
async function profiled(server: Running, loaded: Loaded): Promise<Shares> {
  await server.startProfile();
  const { perSecond, perCpuSecond } = await load(loaded, connections, profileSeconds, 0);
  const requests = perSecond * profileSeconds;
  return sharesOf(await server.stopProfile(), { requests, cpuSeconds: requests / perCpuSecond });
}
