import { join } from "node:path";
import { withTemporaryFolder } from "../../../base/temporary-folder.ts";
import { leaseMs } from "../../../reference-server/storage/books.ts";
import { defaultConfig, type Config } from "../../../reference-server/config.ts";
import { startProcess, type Started } from "../started.ts";
import { checkBooks, killConfig, openAccounts, roundsOfAccounts, type Driven } from "./accounts.ts";
import { drive } from "./drive.ts";
import { chosenTrap } from "./points.ts";
import type { Reckoning } from "./reckoning.ts";
import { seeded, type Seeded } from "../../../base/seeded.ts";

/** A random kill happens within this many ms after the first call. */
export const longestLife = 600;

/** A time limit, since a point that is never passed would keep a round from ending. */
export const patienceMs = 60_000;

/**
 * The latest time after its process's death at which a hold can be swept; the clocks of restarts run this far ahead.
 */
export const aheadMs = 2 * leaseMs;

/**
 * Repeatedly kills the reference server on SQLite while a few accounts call its tools, at a random moment or at a named
 * point. Restarts it on the same data, and reads every account through the public API.
 * @param seed determines points, moments and calls; the timing within the processes varies
 */
export const killRounds = (
  { rounds, seed }: { rounds: number; seed: number },
  reckoned: (reckoning: Reckoning) => void = () => undefined,
): Promise<Reckoning[]> =>
  withTemporaryFolder(async (dataFolder) => {
    const config = killConfig({ ...defaultConfig, dataFolder });
    const choices = seeded(seed);
    const done: Reckoning[] = [];
    let driven: Driven | undefined;
    let voidedBefore = 0;
    let server = await start(config, 0);
    for (let number = 1; number <= rounds; number += 1) {
      if (driven === undefined || number % roundsOfAccounts === 1) {
        driven = await openAccounts(config, server.said.baseUrl);
        voidedBefore = 0;
      }
      const { kill, calls, answered } = await killWhileDriven(server, driven, choices, number);
      server = await start(config, number * aheadMs);
      const { voided, broken } = await checkBooks(server.said.baseUrl, driven);
      const reckoning: Reckoning = {
        rounds: [number, number],
        kills: [`killed ${kill}`],
        answered,
        unanswered: calls - answered,
        voided: voided - voidedBefore,
        broken,
      };
      voidedBefore = voided;
      done.push(reckoning);
      reckoned(reckoning);
    }
    await server.stop();
    return done;
  });

/** Lets the accounts call until the server is killed; returns the moment and counts their Calls. */
async function killWhileDriven(
  server: Started,
  driven: Driven,
  choices: Seeded,
  number: number,
): Promise<{ kill: string; calls: number; answered: number }> {
  const trap = chosenTrap(choices);
  const lifeMs = choices.below(longestLife);
  if (trap !== null) await server.ask("arm", trap);
  const timer = setTimeout(() => server.process.kill("SIGKILL"), trap === null ? lifeMs : patienceMs);
  const startedAt = performance.now();
  let dead = false;
  void server.gone.then(() => (dead = true));
  const counts = await drive(server.said.baseUrl, driven, choices, {
    label: () => `round-${number}`,
    // A call without an answer may also be one that a busy server refused.
    last: () => dead,
  });
  await server.gone;
  clearTimeout(timer);
  if (trap !== null && performance.now() - startedAt >= patienceMs) {
    throw new Error(`no Call reached ${JSON.stringify(trap.point)} ${trap.count} times in ${patienceMs} ms`);
  }
  return { kill: trap === null ? `after ${lifeMs} ms` : `${trap.point}, ${trap.count}`, ...counts };
}

/** Starts the server with its trap; once it listens, it has swept once. */
const start = (config: Config, ahead: number): Promise<Started> =>
  startProcess(new URL("server.ts", import.meta.url), [JSON.stringify(config), String(ahead)], {
    env: { NODE_COMPILE_CACHE: join(config.dataFolder, "compiled") },
  });
