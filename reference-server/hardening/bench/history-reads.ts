import { withTemporaryFolder } from "../../../cli/temporary-folder.ts";
import type { Bench, Figure } from "./figure.ts";
import { writeHistory, type History } from "./history.ts";
import { quantile } from "./rounds.ts";
import { run, type Running } from "./running.ts";
import { startWithHistory } from "./start.ts";
import { asItIs } from "./variants.ts";

const short = 10_000;
const long = 1_000_000;

/** Reads of one kind per account in one round. */
const readsPerRound = 25;

/** The depth of the deep page in the feed: the share of the history that is newer. */
const depth = 0.9;

/** An account read through its server. */
interface Subject {
  history: History;
  server: Running;
}

const get = async ({ history, server }: Subject, path: string): Promise<Response> => {
  const response = await fetch(server.baseUrl + path, {
    headers: { Authorization: `Bearer ${history.key}` },
  });
  if (response.status !== 200) throw new Error(`${path} was answered ${response.status}`);
  return response;
};

const iso = (ms: number): string => new Date(ms).toISOString();

/** The cursor of the feed at that depth, found through a window that ends there. */
async function deepCursor(subject: Subject): Promise<string> {
  const { from, to } = subject.history;
  const end = iso(from + (to - from) * (1 - depth));
  const page = await get(subject, `/auth/usage/history/v2/summary?page_size=1&end_date=${end}`);
  const { data } = (await page.json()) as { data: { next_cursor: string } };
  return data.next_cursor;
}

/** The reads whose latencies are compared, with the largest acceptable ratio of each. */
const reads: { name: string; most: number; path: (subject: Subject) => Promise<string> }[] = [
  { name: "first page", most: 1.5, path: async () => "/auth/usage/history/v2" },
  {
    name: "lookup by execution_id",
    most: 1.5,
    path: async ({ history }) => `/auth/usage/history/v2?execution_id=${history.executionId}`,
  },
  {
    name: "page deep in the feed",
    most: 1.5,
    path: async (subject) =>
      `/auth/usage/history/v2/summary?page_size=100&cursor=${await deepCursor(subject)}`,
  },
  {
    name: "summary over everything",
    most: 3,
    path: async ({ history }) =>
      `/auth/usage/history/v2?summary=true&bucket=day&start_date=${iso(history.from)}&end_date=${iso(history.to)}`,
  },
];

async function latencies(subject: Subject, path: string): Promise<number[]> {
  const took: number[] = [];
  for (let read = 0; read < readsPerRound; read += 1) {
    const startedAt = performance.now();
    await (await get(subject, path)).arrayBuffer();
    took.push(performance.now() - startedAt);
  }
  return took;
}

async function compare(
  read: (typeof reads)[number],
  of: Subject,
  to: Subject,
  rounds: number,
): Promise<Figure> {
  const [longPath, shortPath] = [await read.path(of), await read.path(to)];
  await latencies(of, longPath);
  await latencies(to, shortPath);
  const took: { long: number[]; short: number[] } = { long: [], short: [] };
  for (let round = 0; round < rounds; round += 1) {
    took.long.push(...(await latencies(of, longPath)));
    took.short.push(...(await latencies(to, shortPath)));
  }
  const [longP95, shortP95] = [quantile(took.long, 0.95), quantile(took.short, 0.95)];
  return {
    name: `history, ${read.name}`,
    says: `p95 with ${long} events, as a multiple of that with ${short}`,
    value: longP95 / shortP95,
    unit: "ratio",
    target: { kind: "most", value: read.most },
    measured: {
      long_p95_ms: longP95,
      short_p95_ms: shortP95,
      long_p50_ms: quantile(took.long, 0.5),
      short_p50_ms: quantile(took.short, 0.5),
    },
  };
}

/** The peak growth of the server's memory while it sends the CSV of the whole history. */
async function exportMemory(of: Subject, warmUp: Subject): Promise<Figure> {
  const csv = "/auth/usage/history/v2/export";
  const drain = async (subject: Subject): Promise<number> => {
    let bytes = 0;
    for await (const chunk of (await get(subject, csv)).body!) bytes += (chunk as Uint8Array).length;
    return bytes;
  };
  await drain(warmUp);
  const before = await of.server.watchMemory();
  const startedAt = performance.now();
  const bytes = await drain(of);
  const seconds = (performance.now() - startedAt) / 1000;
  const most = await of.server.mostMemory();
  return {
    name: `history, CSV of ${long} events`,
    says: "by which the server's resident memory grew during the export",
    value: (most - before) / 2 ** 20,
    unit: "MB",
    target: { kind: "most", value: 64 },
    measured: { rss_before_bytes: before, rss_most_bytes: most, csv_bytes: bytes, seconds },
  };
}

/** Reads of an account with a million events, compared with one with ten thousand; each on its own server. */
export const historyBench: Bench = {
  name: "history",
  run: ({ rounds, say }) =>
    withTemporaryFolder(async (folder) => {
      say(`history: writing ${long} events and ${short}`);
      const histories = [
        await writeHistory(`${folder}/long`, long),
        await writeHistory(`${folder}/short`, short),
      ];
      const subjects: Subject[] = [];
      const figures: Figure[] = [];
      try {
        for (const history of histories) {
          subjects.push({ history, server: await run(history.dataFolder, asItIs) });
        }
        const [ofLong, ofShort] = subjects as [Subject, Subject];
        for (const read of reads) {
          say(`history: ${read.name}`);
          figures.push(await compare(read, ofLong, ofShort, rounds));
        }
        say("history: CSV export");
        figures.push(await exportMemory(ofLong, ofShort));
      } finally {
        for (const { server } of subjects) await server.stop();
      }
      say("start with a history");
      return [...figures, await startWithHistory(histories[0]!, folder, rounds)];
    }),
};
