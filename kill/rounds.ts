import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readAccount } from "../reference-server/account-reading.fixture.ts";
import { micro } from "../reference-server/billing/money.ts";
import { leaseMs } from "../reference-server/billing/books.ts";
import { defaultConfig } from "../reference-server/config.ts";
import { openDataFolder } from "../reference-server/parts-default.ts";
import { driveUntilGone, type Driven } from "./drive.ts";
import { points, type Trap } from "./points.ts";
import { brokenPromises } from "./promises.ts";
import { seeded, type Seeded } from "./seeded.ts";

/** One round, when it is over. */
export interface Round {
  number: number;
  /** The point at which the process died, or how long after the first call. */
  moment: string;
  answered: number;
  unanswered: number;
  /** Calls that the sweep voided. */
  voided: number;
  broken: string[];
}

const accounts = 3;

/** What each account is given, in credits. */
const granted = 1_000_000;

/** Calls that are driven before a named point is passed for the last time, at most. */
const mostPassings = 12;

/** A random moment lies within this many ms after the first call. */
const longestLife = 600;

/** A point that nobody passes would keep a round from ending. */
const patienceMs = 20_000;

/** How long after its process's death a hold can be swept at the latest; the clocks of restarts run this much ahead. */
const aheadMs = 2 * leaseMs;

/**
 * Kills the reference server again and again while a few accounts call its tools, each time at a random moment or at a
 * named point, starts it on the same data, and reads every account through the public API.
 * @param seed decides points, moments and calls; what the processes make of them is up to the machine
 */
export async function killRounds(
  { rounds, seed }: { rounds: number; seed: number },
  told: (round: Round) => void = () => undefined,
): Promise<Round[]> {
  const folder = await mkdtemp(join(tmpdir(), "capability-kill-"));
  const choices = seeded(seed);
  const done: Round[] = [];
  const driven: Driven[] = [];
  try {
    const keys = await openAccounts(folder);
    let server = await start(folder, 0);
    for (let number = 1; number <= rounds; number += 1) {
      const { moment, calls } = await killWhileDriven(server, keys, choices, number);
      driven.push(...calls);
      server = await start(folder, number * aheadMs);
      const broken: string[] = [];
      let voided = 0;
      for (const key of keys) {
        const reading = await readAccount(server.baseUrl, key);
        const mine = driven.filter((call) => call.key === key);
        broken.push(...brokenPromises(reading, mine, granted));
        const unanswered = new Set(mine.flatMap(({ answer, session }) => (answer === null ? [session] : [])));
        voided += reading.events.filter(
          (event) =>
            event.session_id?.startsWith(`round-${number}-`) === true &&
            unanswered.has(event.session_id) &&
            event.response_payload_summary === undefined &&
            event.reason_code === "transport.execution_failed",
        ).length;
      }
      const answered = calls.filter(({ answer }) => answer !== null).length;
      const round = { number, moment, answered, unanswered: calls.length - answered, voided, broken };
      done.push(round);
      told(round);
    }
    await server.stop();
    return done;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Lets the accounts call until the server is killed; answers when it was, and their calls. */
async function killWhileDriven(
  server: Started,
  keys: readonly string[],
  choices: Seeded,
  number: number,
): Promise<{ moment: string; calls: Driven[] }> {
  const trap: Trap | null =
    choices.below(points.length + 1) === 0
      ? null
      : { point: choices.pick(points), count: 1 + choices.below(mostPassings) };
  const lifeMs = choices.below(longestLife);
  if (trap !== null) server.arm(trap);
  const timer = setTimeout(() => server.kill(), trap === null ? lifeMs : patienceMs);
  const startedAt = performance.now();
  const calls = await driveUntilGone(server.baseUrl, keys, choices, `round-${number}`);
  await server.gone;
  clearTimeout(timer);
  if (trap !== null && performance.now() - startedAt >= patienceMs) {
    throw new Error(`nobody came by ${JSON.stringify(trap.point)} ${trap.count} times in ${patienceMs} ms`);
  }
  return { moment: trap === null ? `after ${lifeMs} ms` : `${trap.point}, ${trap.count}`, calls };
}

interface Started {
  baseUrl: string;
  arm(trap: Trap): void;
  kill(): void;
  gone: Promise<unknown>;
  stop(): Promise<void>;
}

/** Starts the trapped server; it has swept once when it listens. */
async function start(folder: string, ahead: number): Promise<Started> {
  const env = { ...process.env, NODE_COMPILE_CACHE: join(folder, "compiled") };
  const child = fork(new URL("server.ts", import.meta.url), [folder, String(ahead)], { env });
  const gone = once(child, "exit");
  const [message] = (await Promise.race([
    once(child, "message"),
    gone.then(([code]) => {
      throw new Error(`the server ended with status ${String(code)} before it listened`);
    }),
  ])) as [{ baseUrl: string }];
  return {
    baseUrl: message.baseUrl,
    arm: (trap) => void child.send(trap),
    kill: () => void child.kill("SIGKILL"),
    gone,
    async stop() {
      child.send("stop");
      await gone;
    },
  };
}

async function openAccounts(dataFolder: string): Promise<string[]> {
  const folder = await openDataFolder({ ...defaultConfig, dataFolder, logLevel: "fatal" });
  try {
    const keys: string[] = [];
    for (let index = 0; index < accounts; index += 1) {
      const { id } = await folder.accounts.create({ name: `driven ${index}`, email: null });
      await folder.books.move({
        accountId: id,
        entryType: "grant_payment_recharge",
        amount: micro(granted),
        description: "kill test",
      });
      keys.push((await folder.accounts.addKey(id, "driven")).apiKey);
    }
    return keys;
  } finally {
    await folder.storage.close();
  }
}
