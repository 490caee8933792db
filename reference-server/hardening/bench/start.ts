import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { createInterface } from "node:readline";
import { withTemporaryFolder } from "../../../cli/temporary-folder.ts";
import { cpuMsOf } from "../cpu-time.ts";
import type { Bench, Figure } from "./figure.ts";
import type { History } from "./history.ts";
import { median } from "./rounds.ts";

const program = fileURLToPath(new URL("../../../cli/cli.ts", import.meta.url));

/** One start: the ms until the first answer to an operation, and the CPU time used until then. */
interface Start {
  ms: number;
  cpuMs: number | null;
}

/**
 * Starts the server as an operator does, sends one request and stops it.
 * @param key of an account in the folder; null for an empty one, whose first key the server prints
 */
async function startToAnswer(dataFolder: string, key: string | null): Promise<Start> {
  const startedAt = performance.now();
  const args = [program, "start", "--port", "0", "--data", dataFolder, "--log-level", "silent"];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "ignore"] });
  const ended = once(child, "exit");
  try {
    let url: string | undefined;
    let known = key;
    for await (const line of createInterface(child.stdout)) {
      url ??= / listens at (\S+)/.exec(line)?.[1];
      known ??= /Its key, shown once: (\S+)/.exec(line)?.[1] ?? null;
      if (url === undefined || known === null) continue;
      const answer = await fetch(`${url}/auth/credits`, { headers: { Authorization: `Bearer ${known}` } });
      if (answer.status !== 200) throw new Error(`a started server answered ${answer.status}`);
      const ms = performance.now() - startedAt;
      return { ms, cpuMs: await cpuMsOf(child.pid!) };
    }
    throw new Error("a server ended before it said where it listens");
  } finally {
    child.kill("SIGTERM");
    await ended;
  }
}

/** The duration of a start with an empty database. */
export const startBench: Bench = {
  name: "start",
  run: ({ rounds, say }) =>
    withTemporaryFolder(async (folder) => {
      say("start to first answer");
      // The first start fills the compile cache for the others.
      await startToAnswer(`${folder}/first`, null);
      const took: Start[] = [];
      for (let round = 0; round < rounds; round += 1) {
        took.push(await startToAnswer(`${folder}/${round}`, null));
      }
      const ms = took.map((start) => start.ms);
      const cpuMs = took.flatMap((start) => start.cpuMs ?? []);
      return [
        {
          name: "start to first answer",
          says: "from the start of the process, with an empty database",
          value: median(ms),
          ...(cpuMs.length > 0 && { byCpuTime: median(cpuMs) }),
          unit: "ms",
          target: { kind: "most", value: 1_000 },
          measured: { ms: median(ms), fastest_ms: Math.min(...ms) },
        },
      ];
    }),
};

/** The duration of a start with a long history, compared with an empty database. */
export async function startWithHistory(long: History, folder: string, rounds: number): Promise<Figure> {
  const took = { empty: [] as number[], long: [] as number[] };
  for (let round = 0; round < rounds; round += 1) {
    took.empty.push((await startToAnswer(`${folder}/empty-${round}`, null)).ms);
    took.long.push((await startToAnswer(long.dataFolder, long.key)).ms);
  }
  return {
    name: `start with ${long.events} events`,
    says: "as a multiple of the start with an empty database",
    value: median(took.long.map((ms, round) => ms / took.empty[round]!)),
    unit: "ratio",
    target: { kind: "most", value: 1.2 },
    measured: { empty_ms: median(took.empty), long_ms: median(took.long) },
  };
}
