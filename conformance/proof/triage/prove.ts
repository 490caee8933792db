import { written } from "../../../base/write.ts";
import { performAll } from "../jobs.ts";
import { shardOf } from "../part.ts";
import type { Choice } from "../prove.ts";
import { printRemarks } from "../report.ts";
import { faultsOf } from "./fault.ts";
import type { Mending } from "./mend.ts";

/** How many faults an unfinished server has. */
const faultsOfAServer = 5;

/** The required share of servers that are fixed in no more rounds than they have faults. */
const minMended = 0.95;

/**
 * Fixes in unfinished servers only what the first finding names, and prints how far that leads.
 * @returns the exit status: 1 when too few become green
 */
export async function unfinishedServers({ sample = 200, seed, shard, json }: Choice): Promise<number> {
  const seeds = shardOf(
    Array.from({ length: sample }, (_, number) => `${seed}-${number}`),
    shard,
  );
  const mendings: (Mending & { seed: string })[] = [];
  const unfinished = await performAll(
    seeds,
    (serverSeed) => ({ kind: "unfinished", seed: serverSeed, faults: faultsOf(serverSeed, faultsOfAServer) }),
    (outcome, serverSeed) => {
      if (outcome.kind === "unfinished") mendings.push({ seed: serverSeed, ...outcome.mending });
    },
  );
  await written(json, `${JSON.stringify(mendings, null, 2)}\n`);
  const green = mendings.filter(({ isGreen }) => isGreen).length;
  printRemarks(unfinished.map((what) => ["✗ not judged", what]));
  for (const text of figuresOf(mendings)) console.log(text);
  return unfinished.length === 0 && green / Math.max(1, mendings.length) >= minMended ? 0 : 1;
}

function figuresOf(mendings: readonly Mending[]): string[] {
  const rounds = mendings.flatMap((mending) => mending.rounds).filter(({ leads }) => leads.length > 0);
  const share = (some: number, of: number): string =>
    `${some} of ${of} (${((100 * some) / Math.max(1, of)).toFixed(1)} %)`;
  const led = rounds.filter(({ mended }) => mended !== null).length;
  const causes = rounds.reduce((sum, { leads }) => sum + leads.length, 0);
  const strays = rounds.reduce((sum, { strays }) => sum + strays.length, 0);
  const single = rounds.filter((round) => round.strays.length + round.split.length === 0).length;
  const most = (of: "page" | "longest"): number =>
    Math.ceil(Math.max(0, ...rounds.map((round) => round[of])) / 4);
  return [
    ...mendings
      .filter(({ isGreen }) => !isGreen)
      .map(({ faults, rounds: all }) => `stuck: ${all.at(-1)!.leads[0]} (${faults.join("; ")})`),
    `green by fixing only what the first finding names: ${share(mendings.filter(({ isGreen }) => isGreen).length, mendings.length)} of servers with ${faultsOfAServer} faults`,
    `the first finding names a fault: ${share(led, rounds.length)} of runs`,
    `each cause one finding, each finding a cause: ${share(single, rounds.length)} of runs; ${share(causes - strays, causes)} of findings name a fault`,
    `for agents, at most: the first page ${most("page")} tokens, a finding ${most("longest")}`,
  ];
}
