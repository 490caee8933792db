import { setTimeout as pause } from "node:timers/promises";
import { withTemporaryFolder } from "../../../base/temporary-folder.ts";
import {
  withCluster,
  withDatabase,
  type ClusterDatabase,
  type ClusterServer,
  type Shared,
} from "../cluster/cluster.ts";
import { leaseMs } from "../../../reference-server/storage/books.ts";
import { defaultConfig } from "../../../reference-server/config.ts";
import { checkBooks, killConfig, openAccounts, roundsOfAccounts, type Driven } from "./accounts.ts";
import { drive } from "./drive.ts";
import { chosenTrap } from "./points.ts";
import type { Reckoning } from "./reckoning.ts";
import { longestLife, patienceMs } from "./rounds.ts";
import { seeded, type Seeded } from "../../../base/seeded.ts";

/** The number of servers behind the balancer. */
const servers = 3;

/** The time in ms after the end of a dead process's lease by which its holds must be void. */
const sweptWithinMs = 10_000;
const lookMs = 250;

/** Accounts whose rounds are over, while the holds of the killed processes are still to be swept. */
interface Resting {
  rounds: readonly [number, number];
  kills: string[];
  driven: Driven;
  calls: number;
  answered: number;
  /** By the monotonic clock in ms: the time by which every hold must be void. */
  deadline: number;
}

/**
 * Repeatedly kills one of three servers on one Postgres, all of them, or their connections to it, while a few accounts
 * call tools through the balancer. Each kill happens at a random moment or at a named point. The other servers go on; a
 * killed one restarts on its port. After some rounds the accounts rest until the survivors must have swept, by the real
 * lease and the database's clock. They are then read through the public API; meanwhile other accounts are driven.
 * @param seed determines victims, points, moments and calls; the timing within the processes varies
 */
export async function clusterKillRounds(
  { rounds, seed, shared }: { rounds: number; seed: number; shared: Shared },
  reckoned: (reckoning: Reckoning) => void = () => undefined,
): Promise<Reckoning[]> {
  const choices = seeded(seed);
  const done: Reckoning[] = [];
  await withTemporaryFolder((dataFolder) =>
    withDatabase(killConfig({ ...defaultConfig, dataFolder }), shared, (config, database) =>
      withCluster(
        servers,
        config,
        async (cluster) => {
          const resting: Resting[] = [];
          const reckonFirst = async (): Promise<void> => {
            const reckoning = await reckon(cluster.baseUrl, resting.shift()!);
            done.push(reckoning);
            reckoned(reckoning);
          };
          for (let first = 1; first <= rounds; first += roundsOfAccounts) {
            const last = Math.min(rounds, first + roundsOfAccounts - 1);
            const driven = await openAccounts(config, cluster.baseUrl);
            resting.push({
              rounds: [first, last],
              driven,
              ...(await killWhileDriven({ ...cluster, database }, driven, choices, [first, last])),
              deadline: performance.now() + leaseMs + sweptWithinMs,
            });
            while (resting.length > 0 && performance.now() >= resting[0]!.deadline) await reckonFirst();
          }
          while (resting.length > 0) await reckonFirst();
        },
        new URL("server.ts", import.meta.url),
      ),
    ),
  );
  return done;
}

/** The victims of the kills and the balancer in front of them. */
interface Killed {
  baseUrl: string;
  servers: readonly ClusterServer[];
  database: ClusterDatabase;
}

/** Drives the accounts without a pause through some rounds of kills; returns the kills and counts the Calls. */
async function killWhileDriven(
  cluster: Killed,
  driven: Driven,
  choices: Seeded,
  [first, last]: readonly [number, number],
): Promise<{ kills: string[]; calls: number; answered: number }> {
  let number = first;
  let over = false;
  const driving = drive(cluster.baseUrl, driven, choices, {
    label: () => `round-${number}`,
    last: () => over,
  });
  driving.catch(() => undefined);
  const kills: string[] = [];
  try {
    for (; number <= last; number += 1) kills.push(await killRound(cluster, choices));
  } finally {
    over = true;
  }
  return { kills, ...(await driving) };
}

/** Kills and restarts one server or all of them, or cuts every connection to the database; returns the moment. */
async function killRound({ servers: all, database }: Killed, choices: Seeded): Promise<string> {
  const chosen = choices.below(all.length + 2);
  if (chosen === all.length + 1) {
    const afterMs = choices.below(longestLife);
    await pause(afterMs);
    await database.cut();
    return `cut all connections to the database after ${afterMs} ms`;
  }
  const victims = chosen === all.length ? all : [all[chosen]!];
  const trap = chosenTrap(choices);
  const lifeMs = choices.below(longestLife);
  if (trap === null) {
    await pause(lifeMs);
    for (const { process } of victims) process.kill("SIGKILL");
  } else {
    for (const victim of victims) await victim.ask("arm", trap);
  }
  await Promise.all(
    victims.map(async (victim) => {
      let isLate = false;
      const late = setTimeout(() => {
        isLate = true;
        victim.process.kill("SIGKILL");
      }, patienceMs);
      await victim.gone;
      clearTimeout(late);
      if (isLate) {
        throw new Error(
          `no Call reached ${JSON.stringify(trap?.point)} ${trap?.count} times in ${patienceMs} ms`,
        );
      }
      await victim.restart();
    }),
  );
  const who = victims.length === 1 ? `server ${chosen + 1}` : "all servers";
  return `killed ${who} ${trap === null ? `after ${lifeMs} ms` : `${trap.point}, ${trap.count}`}`;
}

/** Waits until every hold is or must be void, and compares the accounts with their calls. */
async function reckon(baseUrl: string, resting: Resting): Promise<Reckoning> {
  const { driven, rounds, kills, calls, answered, deadline } = resting;
  for (;;) {
    const { voided, broken } = await checkBooks(baseUrl, driven);
    if (broken.length > 0 && performance.now() < deadline) {
      await pause(lookMs);
      continue;
    }
    return { rounds, kills, answered, unanswered: calls - answered, voided, broken };
  }
}
