import { writeFile } from "node:fs/promises";
import type { Request } from "autocannon";
import { writeFiles } from "../../../cli/write.ts";
import { withTemporaryFolder } from "../../../cli/temporary-folder.ts";
import { connections } from "./alternate.ts";
import { drawShares } from "./draw-shares.ts";
import type { Bench, Figure } from "./figure.ts";
import { costRequests } from "./requests.ts";
import { alternate, load, median, middleOf, type Loaded, type Round } from "./rounds.ts";
import { openAccounts, run, started, type Running } from "./running.ts";
import { sharesOf, type Shares } from "./shares.ts";
import { asItIs, type Variant } from "./variants.ts";

const accounts = 8;
/** Paid Calls of each account before the first round, so that every list has a full page. */
const callsBefore = 15;
const profileSeconds = 4;
/** Seconds until V8 has compiled what an operation needs: it takes the CPU time of many requests. */
const compiledAfter = 15;

const roundedMicros = (_key: string, value: unknown): unknown =>
  typeof value === "number" ? Math.round(value * 10) / 10 : value;

type Name = keyof ReturnType<typeof costRequests>;

/** The most that an operation may cost, as a multiple of a bare POST. */
const targets: Partial<Record<Name, number>> = {
  "paid Call": 4,
  "Discover of 20": 4,
  Probe: 3,
  credits: 3,
  "usage, first page of 10": 3,
  "ledger, first page of 10": 3,
};

/** A server under measurement, and the requests for its accounts. */
interface Measured {
  server: Running;
  asked: ReturnType<typeof costRequests>;
}

/** Starts a server with accounts whose lists fill a page. */
async function measured(folder: string, variant: Variant): Promise<Measured> {
  const asked = costRequests(await openAccounts(folder, accounts));
  const server = await run(folder, variant);
  for (let call = 0; call < callsBefore; call += 1) {
    for (const request of asked["paid Call"]) await send(server.baseUrl, request);
  }
  return { server, asked };
}

/**
 * The CPU time of each operation, as a multiple of a bare Express POST of the same bodies, with either driver of SQLite.
 * The sample provider has a process of its own, as a third party has, so that its work does not count as the server's.
 */
export const costsBench: Bench = {
  name: "costs",
  run: ({ rounds, say }) =>
    withTemporaryFolder(async (folder) => {
      const stops: Running[] = [];
      const stopping = (running: Running): Running => {
        stops.push(running);
        return running;
      };
      try {
        const providerUrl = stopping(await started("provider-server.ts", [])).baseUrl;
        const open = async (variant: Partial<Variant>): Promise<Measured> => {
          const opened = await measured(`${folder}/${stops.length}`, { ...asItIs, providerUrl, ...variant });
          stopping(opened.server);
          return opened;
        };
        const usual = await open({});
        const drivers = { "": usual, "with Node's SQLite": await open({ sqliteDriver: "node" }) };
        const forgetful = { "with books that keep nothing": await open({ books: "nothing" }) };
        const bodies = `${folder}/bare.json`;
        await writeFile(bodies, JSON.stringify(await answersTo(usual)));
        const bare = stopping(await started("bare-express.ts", [bodies]));
        const figures: Figure[] = [];
        const shares: Record<string, Shares> = {};
        for (const name of Object.keys(usual.asked) as Name[]) {
          say(`cost: ${name}, and a bare POST of the same bodies`);
          const ways = Object.entries<Measured>({ ...drivers, ...(name === "paid Call" && forgetful) });
          const loaded = Object.fromEntries(ways.map(([how, each]) => [how, loadOf(each, name)]));
          const of = await alternate<string>(
            { ...loaded, bare: bareLoad(bare, usual, name) },
            { rounds, connections, warmUp: compiledAfter },
          );
          for (const [how] of ways) figures.push(figureOf(name, of[how]!, of["bare"]!, how));
          shares[name] = await profiled(usual.server, loadOf(usual, name));
        }
        await writeFiles([
          ["reports/shares.json", () => `${JSON.stringify(shares, roundedMicros, 2)}\n`],
          ["reports/shares.svg", () => drawShares(shares)],
        ]);
        return figures;
      } finally {
        for (const each of stops) await each.stop();
      }
    }),
};

const loadOf = ({ server: { baseUrl, cpu }, asked }: Measured, name: Name): Loaded => ({
  baseUrl,
  cpu,
  requests: asked[name],
});

const bareLoad = ({ baseUrl, cpu }: Running, { asked }: Measured, name: Name): Loaded => ({
  baseUrl,
  cpu,
  requests: asked[name].map(bareOf(name)),
});

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
async function answersTo({ server, asked }: Measured): Promise<Record<string, object>> {
  const answers: Record<string, object> = {};
  for (const [name, [first]] of Object.entries(asked)) {
    answers[barePath(name)] = await send(server.baseUrl, first!);
  }
  return answers;
}

const cpuMsOf = (rounds: readonly Round[]): number[] => rounds.map(({ perCpuSecond }) => 1000 / perCpuSecond);

function figureOf(name: Name, served: readonly Round[], bare: readonly Round[], how: string): Figure {
  const [servedMs, bareMs] = [cpuMsOf(served), cpuMsOf(bare)];
  const multiples = servedMs.map((ms, round) => ms / bareMs[round]!);
  const target = targets[name];
  return {
    name: ["cost", name, how].filter((part) => part !== "").join(", "),
    says: "CPU time of a request, as a multiple of a bare Express POST of the same bodies",
    ...middleOf(multiples),
    unit: "ratio",
    target: target === undefined ? null : { kind: "most", value: target },
    measured: {
      cpu_ms: median(servedMs),
      bare_cpu_ms: median(bareMs),
    },
  };
}

/** Where the CPU time of an operation goes, in microseconds for a request. */
async function profiled(server: Running, loaded: Loaded): Promise<Shares> {
  await server.startProfile();
  const mainBefore = await server.mainCpu();
  const { perSecond, perCpuSecond } = await load(loaded, connections, profileSeconds, 0);
  const requests = perSecond * profileSeconds;
  const mainMicros = (await server.mainCpu()) - mainBefore;
  const cpu = { requests, micros: (requests / perCpuSecond) * 1e6, mainMicros };
  return sharesOf(await server.stopProfile(), cpu);
}
