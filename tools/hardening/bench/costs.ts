import { writeFile } from "node:fs/promises";
import type { Request } from "autocannon";
import { withTemporaryFolder } from "../../../base/temporary-folder.ts";
import type { Bench, Figure } from "./figure.ts";
import { costRequests } from "./requests.ts";
import { alternate, costOf, medianCost, type Loaded } from "./rounds.ts";
import { openAccounts, withProcesses, type Running } from "./running.ts";
import { asItIs, type Variant } from "./variants.ts";

const accounts = 8;
/** Paid Calls of each account before the first round, so that every list has a full page. */
const callsBefore = 15;
/** Seconds until V8 has compiled the code of an operation: it takes the CPU time of many requests. */
const compiledAfter = 15;

type Name = keyof ReturnType<typeof costRequests>;

/** The maximum cost of an operation, as a multiple of a bare POST. */
const targets: Partial<Record<Name, number>> = {
  "paid Call": 4,
  "Discover of 20": 4,
  Probe: 3,
  credits: 3,
  "usage, first page of 10": 3,
  "ledger, first page of 10": 3,
};

/** How the servers differ; an operation is measured with each, one that is not named here only with the drivers. */
const ways: Readonly<Record<string, Partial<Variant>>> = {
  "": {},
  "with Node's SQLite": { sqliteDriver: "node" },
  "with books that keep nothing": { books: "nothing" },
};
const isMeasured = (name: Name, way: string): boolean =>
  ways[way]!.books !== "nothing" || name === "paid Call";

/** A server under measurement, and the requests for its accounts. */
interface Measured {
  server: Running;
  asked: ReturnType<typeof costRequests>;
}

/**
 * The CPU time of each operation, as a multiple of a bare Express POST of the same bodies, with either driver of SQLite.
 * The sample provider has a process of its own, as a third party has, so that its work does not count as the server's.
 */
export const costsBench: Bench = {
  name: "costs",
  run: ({ rounds, say }) =>
    withTemporaryFolder((folder) =>
      withProcesses(async (start) => {
        const { baseUrl: providerUrl } = await start.program("provider-server.ts");
        const measured: Record<string, Measured> = {};
        for (const [way, variant] of Object.entries(ways)) {
          const asked = costRequests(await openAccounts(`${folder}/${way}`, accounts));
          const server = await start.server(`${folder}/${way}`, { ...asItIs, providerUrl, ...variant });
          for (let call = 0; call < callsBefore; call += 1)
            for (const request of asked["paid Call"]) await send(server.baseUrl, request);
          measured[way] = { server, asked };
        }
        const usual = measured[""]!;
        await writeFile(`${folder}/bare.json`, JSON.stringify(await answersTo(usual)));
        const bare = await start.program("bare-express.ts", [`${folder}/bare.json`]);
        const figures: Figure[] = [];
        for (const name of Object.keys(usual.asked) as Name[]) {
          say(`cost: ${name}, and a bare POST of the same bodies`);
          const loaded: Record<string, Loaded> = {
            bare: { servers: [bare], requests: usual.asked[name].map(bareOf(name)) },
          };
          for (const [way, { server, asked }] of Object.entries(measured))
            if (isMeasured(name, way)) loaded[way] = { servers: [server], requests: asked[name] };
          const { bare: ofBare, ...of } = await alternate(loaded, rounds, { warmUp: compiledAfter });
          for (const [way, served] of Object.entries(of))
            figures.push({
              name: ["cost", name, way].filter((part) => part !== "").join(", "),
              says: "CPU time of a request, as a multiple of a bare Express POST of the same bodies",
              ...costOf(served, ofBare!),
              unit: "ratio",
              target: targets[name] === undefined ? null : { kind: "most", value: targets[name] },
              measured: { cpu_ms: medianCost(served), bare_cpu_ms: medianCost(ofBare!) },
            });
        }
        return figures;
      }),
    ),
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

/** The server's answer to the first request of each operation, by the path on the bare server. */
async function answersTo({ server, asked }: Measured): Promise<Record<string, object>> {
  const answers: Record<string, object> = {};
  for (const [name, [first]] of Object.entries(asked)) {
    answers[barePath(name)] = await send(server.baseUrl, first!);
  }
  return answers;
}
