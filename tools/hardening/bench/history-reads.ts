import { withTemporaryFolder } from "../../../base/temporary-folder.ts";
import type { Bench, Figure } from "./figure.ts";
import { writeHistory, type History } from "./history.ts";
import { alternate, costOf, medianCost } from "./rounds.ts";
import { withProcesses, type Running } from "./running.ts";
import { asItIs } from "./variants.ts";

const short = 10_000;
const long = 1_000_000;

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

/** The reads whose costs are compared, with the largest acceptable ratio of each. */
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

/** Reads both accounts in turn, one read after another. */
async function compare(
  { name, most, path }: (typeof reads)[number],
  subjects: { long: Subject; short: Subject },
  rounds: number,
): Promise<Figure> {
  const loadOf = async (subject: Subject) => ({
    servers: [subject.server],
    requests: [
      {
        method: "GET" as const,
        path: await path(subject),
        headers: { authorization: `Bearer ${subject.history.key}` },
      },
    ],
  });
  const loaded = { long: await loadOf(subjects.long), short: await loadOf(subjects.short) };
  const of = await alternate(loaded, rounds, { of: 1 });
  return {
    name: `history, ${name}`,
    says: `CPU time of a read with ${long} events, as a multiple of that with ${short}`,
    ...costOf(of.long, of.short),
    unit: "ratio",
    target: { kind: "most", value: most },
    measured: { long_cpu_ms: medianCost(of.long), short_cpu_ms: medianCost(of.short) },
  };
}

/** How much the server's peak memory grows while it sends the CSV of the whole history. */
async function exportMemory(of: Subject, warmUp: Subject): Promise<Figure> {
  const csv = "/auth/usage/history/v2/export";
  const drain = async (subject: Subject): Promise<number> => {
    let bytes = 0;
    for await (const chunk of (await get(subject, csv)).body!) bytes += (chunk as Uint8Array).length;
    return bytes;
  };
  await drain(warmUp);
  const most = async (): Promise<number> => (await of.server.ask<{ most: number }>("memory")).most;
  const before = await most();
  const bytes = await drain(of);
  const after = await most();
  return {
    name: `history, CSV of ${long} events`,
    says: "by which the export raised the most memory that the server had held",
    value: (after - before) / 2 ** 20,
    unit: "MB",
    target: { kind: "most", value: 64 },
    measured: { rss_before_bytes: before, rss_most_bytes: after, csv_bytes: bytes },
  };
}

/** Reads of an account with a million events, compared with one with ten thousand; each on its own server. */
export const historyBench: Bench = {
  name: "history",
  run: ({ rounds, say }) =>
    withTemporaryFolder((folder) =>
      withProcesses(async (start) => {
        say(`history: writing ${long} events and ${short}`);
        const open = async (events: number): Promise<Subject> => {
          const history = await writeHistory(`${folder}/${events}`, events);
          return { history, server: await start.server(history.dataFolder, asItIs) };
        };
        const subjects = { long: await open(long), short: await open(short) };
        const figures: Figure[] = [];
        for (const read of reads) {
          say(`history: ${read.name}`);
          figures.push(await compare(read, subjects, rounds));
        }
        say("history: CSV export");
        return [...figures, await exportMemory(subjects.long, subjects.short)];
      }),
    ),
};
