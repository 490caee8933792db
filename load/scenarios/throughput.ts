import { limitedOperations } from "../../generated/contract.ts";
import { pause } from "../../conformance/server/session.ts";
import { goPath, lawfulRate, pathOf, sendersOf, stepOf } from "../agent-path.ts";
import { openLoop } from "../open-loop.ts";
import type { Outcome } from "../outcome.ts";
import type { Planned, Sender } from "../planned.ts";
import { openWorkers, type Workers } from "../part.ts";
import type { LoadRun } from "../run.ts";
import { cpuReader } from "../server-cpu.ts";
import type { Options } from "./index.ts";

/** The shares of a window's quota: single steps, the path at full speed, the path at a fixed rate. */
const shares = { steps: 0.4, path: 0.25, fixed: 0.2 } as const;

/**
 * Measures the speed of the server: each step as fast as the connections allow, then the path in the same way, then the
 * path at a fixed rate in an open loop. The load is spread over the accounts, so that each keeps its quota.
 */
export async function throughput(
  run: LoadRun,
  options: Pick<Options, "seconds" | "rate" | "connections" | "workers" | "cpu">,
): Promise<Outcome> {
  const workers = openWorkers(run, options.workers);
  try {
    return await loaded(run, options, workers);
  } finally {
    workers.close();
  }
}

type Loading = Parameters<typeof throughput>[1];

async function loaded(run: LoadRun, options: Loading, workers: Workers): Promise<Outcome> {
  const { profile, seats } = run;
  const { connections, workers: count } = options;
  const senders = sendersOf(seats);
  const values: Record<string, number> = {};
  const notes: string[] = [
    `${senders.length} accounts, ${connections} connections, ${count} sending ${count === 1 ? "process" : "processes"}`,
  ];
  const cpuSeconds = cpuReader(options.cpu);
  const quotas = profile.features.rate_limits === undefined;
  const budget = (quota: number, share: number): number =>
    quotas ? Math.max(1, Math.floor(senders.length * quota * share)) : Infinity;
  const saturate = async (name: string, requests: Planned[], most: number): Promise<void> => {
    const told = await saturated(run, { name, requests, most, cpuSeconds }, options, workers);
    values[`rate_${name}`] = told.rate;
    if (told.cpuMs !== null) values[`cpu_ms_${name}`] = told.cpuMs;
    notes.push(told.note);
  };

  for (const operation of limitedOperations) {
    const requests = senders.map((sender) => stepOf(operation, sender, profile));
    await saturate(operation, requests, budget(profile.limits[operation], shares.steps));
  }
  const least = Math.min(...limitedOperations.map((operation) => profile.limits[operation]));
  // Within each step the accounts are adjacent, so that connections with different starting points are spread over
  // them.
  const paths = limitedOperations.flatMap((_, step) =>
    senders.map((sender) => ({ ...pathOf(sender, profile)[step]!, step: "path" })),
  );
  await saturate("path", paths, 4 * budget(least, shares.path));
  values["rate"] = values["rate_path"]!;

  notes.push(...(await atFixedRate(run, senders, options, budget(least, shares.fixed))));
  if (quotas) values["lawful_rate"] = lawfulRate(senders.length, profile);
  return { notes, values };
}

/** Sends requests as fast as the connections allow; `most` answers end it early. */
async function saturated(
  { profile, say, figures }: LoadRun,
  {
    name,
    requests,
    most,
    cpuSeconds,
  }: { name: string; requests: Planned[]; most: number; cpuSeconds: ReturnType<typeof cpuReader> },
  { connections, seconds }: Loading,
  workers: Workers,
): Promise<{ rate: number; cpuMs: number | null; note: string }> {
  say(`${name}: as fast as it goes`);
  const before = figures.answers;
  const cpuBefore = await cpuSeconds?.();
  const took = await workers.share({ baseUrl: profile.base_url, requests, connections, seconds, most });
  const answers = figures.answers - before;
  const cpuMs =
    cpuSeconds !== null && answers > 0 ? (1000 * ((await cpuSeconds()) - cpuBefore!)) / answers : null;
  const each = cpuMs === null ? "" : `, ${cpuMs.toFixed(2)} ms of the server's CPU time each`;
  const cut = answers >= most ? "; the quotas of the accounts ended it" : "";
  const rate = answers / took;
  return {
    rate,
    cpuMs,
    note: `${name}: ${rate.toFixed(0)} answers a second over ${took.toFixed(1)} s${each}${cut}`,
  };
}

/** Sends paths at the fixed rate, at most `most` of them; tells what cut it short. */
async function atFixedRate(
  run: LoadRun,
  senders: readonly Sender[],
  { seconds, rate }: Loading,
  most: number,
): Promise<string[]> {
  // Otherwise the server's remaining work on requests that were cut off would distort this load.
  await pause(200);
  const lasting = Math.min(seconds, most / rate);
  run.say(`the path at ${rate} a second`);
  const suffix = `, ${rate}/s`;
  const paths = senders.map((sender) => pathOf(sender, run.profile, suffix));
  await openLoop({
    clock: run.clock,
    rate,
    seconds: lasting,
    begin: (index, intendedAt) => goPath(run, paths[index % paths.length]!, intendedAt, suffix),
  });
  return lasting < seconds
    ? [`the quotas of ${senders.length} accounts allow ${rate} paths a second for ${lasting.toFixed(1)} s`]
    : [];
}
