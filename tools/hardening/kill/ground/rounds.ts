import { setTimeout as pause } from "node:timers/promises";
import { seeded, type Seeded } from "../../../../base/seeded.ts";
import type { Started } from "../../started.ts";
import { checkBooks, roundsOfAccounts, type Driven, type Held } from "../accounts.ts";
import { drive } from "../drive.ts";
import { chosenTrap, type Trap } from "../points.ts";
import type { Reckoning } from "../reckoning.ts";
import { patienceMs } from "../rounds.ts";
import { endings, type Ending, type Fault, type Ground } from "./fault.ts";

/** How long after a fault the server may take to serve again, and the books to be in order, in ms. */
const recoveredWithinMs = 60_000;
const lookMs = 250;

/** How long a lane of Calls waits after a refusal, in ms: a fault refuses all of them for seconds. */
const refusedPauseMs = 150;

/** How long a fault must last before the server is asked whether it is ready, in ms: it learns of some by its next write. */
const noticedAfterMs = 2_500;

/** A server on a ground, which is started again after it ended. */
export interface Stood {
  /** @param restarts how often it was started before */
  start(restarts: number): Promise<Started>;
  openAccounts(server: Started): Promise<Driven>;
}

/**
 * Lets faults of the ground begin while a few accounts call tools, each at a named point of a Call or at a random moment,
 * and end after a while, in which the server goes on, is killed or is stopped. Then every account is read.
 * @param seed determines faults, points, moments, endings and calls; the timing within the processes varies
 */
export async function groundRounds(
  { rounds, seed }: { rounds: number; seed: number },
  ground: Ground,
  stood: Stood,
  reckoned: (reckoning: Reckoning) => void = () => undefined,
): Promise<Reckoning[]> {
  const choices = seeded(seed);
  const done: Reckoning[] = [];
  let restarts = 0;
  let driven: Driven | undefined;
  let voidedBefore = 0;
  let server = await stood.start(restarts);
  for (let number = 1; number <= rounds; number += 1) {
    if (driven === undefined || number % roundsOfAccounts === 1) {
      driven = await stood.openAccounts(server);
      voidedBefore = 0;
    }
    const plan = planOf(ground.faults[(number - 1) % ground.faults.length]!, choices);
    const { isOver, broken, calls, answered } = await strike(server, driven, choices, { plan, number });
    if (isOver) server = await stood.start((restarts += 1));
    broken.push(...(await recovered(server.said.baseUrl)));
    const held = await readInOrder(server.said.baseUrl, driven);
    const reckoning: Reckoning = {
      rounds: [number, number],
      kills: [plan.text],
      answered,
      unanswered: calls - answered,
      voided: held.voided - voidedBefore,
      broken: [...broken, ...held.broken],
    };
    voidedBefore = held.voided;
    done.push(reckoning);
    reckoned(reckoning);
  }
  await server.stop();
  return done;
}

/** What happens in a round. */
interface Plan {
  fault: Fault;
  trap: Trap | null;
  afterMs: number;
  lastsMs: number;
  ending: Ending;
  text: string;
}

function planOf(fault: Fault, choices: Seeded): Plan {
  const trap = chosenTrap(choices);
  const afterMs = choices.below(600);
  const [least, most] = fault.lasts;
  const lastsMs = least + choices.below(most - least);
  const ending = choices.pick(fault.endings ?? endings);
  const moment = trap === null ? `after ${afterMs} ms` : `${trap.point}, ${trap.count}`;
  const text = `${fault.name} (${moment}) for ${lastsMs} ms; the server ${ending}`;
  return { fault, trap, afterMs, lastsMs, ending, text };
}

/** Lets the accounts call while the fault begins, lasts and ends. @returns whether the server has ended, and what it said wrongly */
async function strike(
  server: Started,
  driven: Driven,
  choices: Seeded,
  { plan, number }: { plan: Plan; number: number },
): Promise<{ isOver: boolean; broken: string[]; calls: number; answered: number }> {
  const { fault, trap, afterMs, lastsMs, ending } = plan;
  const broken: string[] = [];
  let over = false;
  const driving = drive(server.said.baseUrl, driven, choices, {
    label: () => `round-${number}`,
    last: () => over,
    pauseMs: refusedPauseMs,
  });
  driving.catch(() => undefined);
  try {
    if (trap === null) await pause(afterMs);
    else await within(patienceMs, server.ask("hold", trap), `no Call reached ${trap.point}`);
    await fault.begin();
    if (trap !== null) await server.ask("proceed");
    broken.push(...(await watch(server.said.baseUrl, driven, fault, lastsMs)));
    if (ending === "is killed within") await kill(server);
    if (ending === "is stopped within") await server.stop();
    await fault.end();
    if (ending === "is killed after") await kill(server);
    if (ending === "is stopped after") await server.stop();
    if (ending === "goes on") broken.push(...(await recovered(server.said.baseUrl)));
  } finally {
    over = true;
  }
  return { isOver: ending !== "goes on", broken, ...(await driving) };
}

async function kill(server: Started): Promise<void> {
  server.process.kill("SIGKILL");
  await server.gone;
}

/** Asks with valid keys while a fault lasts: they are never unknown, and no answer but 200 lacks when to come again. */
async function watch(baseUrl: string, { senders }: Driven, fault: Fault, lastsMs: number): Promise<string[]> {
  const broken: string[] = [];
  const until = performance.now() + lastsMs;
  while (performance.now() < until) {
    const answer = await fetch(`${baseUrl}/auth/credits`, {
      headers: { Authorization: `Bearer ${senders[0]!.key!}` },
      signal: AbortSignal.timeout(Math.max(1, Math.ceil(until - performance.now()))),
    }).catch(() => null);
    if (answer !== null) {
      const text = await answer.text();
      const isRefusal = answer.status === 503 && answer.headers.has("Retry-After");
      if (answer.status !== 200 && !isRefusal)
        broken.push(`a valid key is answered ${answer.status} while ${fault.name}: ${text}`);
    }
    await pause(50);
  }
  if (fault.stopsAll && lastsMs > noticedAfterMs && (await isReady(baseUrl)))
    broken.push(`the server says that it is ready while ${fault.name}`);
  return broken;
}

const isReady = async (baseUrl: string): Promise<boolean> =>
  fetch(new URL("/readyz", baseUrl), { signal: AbortSignal.timeout(5_000) }).then(
    ({ ok }) => ok,
    () => false,
  );

/** Waits until the server is ready again. */
async function recovered(baseUrl: string): Promise<string[]> {
  const until = performance.now() + recoveredWithinMs;
  while (performance.now() < until) {
    if (await isReady(baseUrl)) return [];
    await pause(lookMs);
  }
  return [`the server is not ready ${recoveredWithinMs} ms after the end of the fault`];
}

/** Reads the books once they are in order: a server that goes on releases what it could not settle within a few seconds. */
async function readInOrder(baseUrl: string, driven: Driven): Promise<Held> {
  const until = performance.now() + recoveredWithinMs;
  for (;;) {
    const held = await checkBooks(baseUrl, driven);
    if (held.broken.length === 0 || performance.now() >= until) return held;
    await pause(lookMs);
  }
}

async function within<T>(ms: number, work: Promise<T>, message: string): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`${message} in ${ms} ms`)), ms);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
