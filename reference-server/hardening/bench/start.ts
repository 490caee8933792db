import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { createInterface } from "node:readline";
import type { Figure } from "./figure.ts";
import type { History } from "./history.ts";
import { median } from "./rounds.ts";

const program = fileURLToPath(new URL("../../../cli/cli.ts", import.meta.url));

/**
 * Starts the server as an operator does, sends one request and stops it. Returns the ms until the answer.
 * @param key of an account in the folder; null for an empty one, whose first key the server prints
 */
async function startToAnswer(dataFolder: string, key: string | null): Promise<number> {
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
      return performance.now() - startedAt;
    }
    throw new Error("a server ended before it said where it listens");
  } finally {
    child.kill("SIGTERM");
    await ended;
  }
}

/** The duration of a start with a long history, compared with an empty database. */
export async function startWithHistory(long: History, folder: string, rounds: number): Promise<Figure> {
  const took = { empty: [] as number[], long: [] as number[] };
  for (let round = 0; round < rounds; round += 1) {
    took.empty.push(await startToAnswer(`${folder}/empty-${round}`, null));
    took.long.push(await startToAnswer(long.dataFolder, long.key));
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
