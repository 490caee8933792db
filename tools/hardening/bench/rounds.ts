import autocannon, { type Request } from "autocannon";
import type { Running } from "./running.ts";

/** Servers that are loaded together, and the requests sent to them. */
export interface Loaded {
  servers: readonly Running[];
  requests: readonly Request[];
}

/** One round of load: answers per second, and the servers' CPU time for an answer in ms. */
export interface Round {
  perSecond: number;
  cpuMs: number;
}

/** Connections of each load. Each sends its next request when the last one is answered. */
export const connections = 32;

/** Length of one round and of the warm-up before the first, in seconds. */
const roundSeconds = 1;
const warmUpSeconds = 3;

/** How often the load checks the clock, in ms. */
const sampleMs = 100;

/** Loads servers together, with the connections shared among them. */
async function load({ servers, requests }: Loaded, all: number, seconds: number, round: number) {
  const each = await Promise.all(
    servers.map((server, index) =>
      loadOne(server, requests, all / servers.length, seconds, round * servers.length + index),
    ),
  );
  const sum = (of: (round: (typeof each)[number]) => number): number =>
    each.reduce((total, round) => total + of(round), 0);
  return {
    perSecond: sum((round) => round.perSecond),
    cpuMs: sum(({ cpuMs }) => cpuMs) / sum((round) => round.answers),
  };
}

/** @throws Error on any answer but a 2xx, which would make the figure meaningless */
async function loadOne(
  { baseUrl, ask }: Running,
  given: readonly Request[],
  connections: number,
  seconds: number,
  round: number,
): Promise<{ answers: number; perSecond: number; cpuMs: number }> {
  const prefix = new URL(baseUrl).pathname;
  const requests = given.map((request) => ({ ...request, path: prefix + request.path }));
  const shares = shared(requests, connections, round);
  let clients = 0;
  const cpuBefore = await ask("cpu");
  const result = await autocannon({
    url: baseUrl,
    connections,
    duration: seconds,
    sampleInt: sampleMs,
    requests: requests.slice(0, 1),
    setupClient: (client) => client.setRequests(shares[clients++ % connections]!),
  });
  const cpuMs = ((await ask("cpu")) - cpuBefore) / 1_000;
  const { "2xx": answers, non2xx, errors, timeouts, duration } = result;
  if (non2xx + errors + timeouts > 0) {
    throw new Error(
      `under load ${non2xx} answers were not 2xx, ${errors} requests failed, ${timeouts} timed out`,
    );
  }
  return { answers, perSecond: answers / duration, cpuMs };
}

/** A prime stride, so that successive rounds begin at different requests. */
const stride = 997;

/**
 * The requests of each connection in turn: all of them if there are few, else a share that differs by connection and
 * round.
 */
function shared(requests: readonly Request[], connections: number, round: number): Request[][] {
  const size = Math.floor(requests.length / connections);
  return Array.from({ length: connections }, (_, connection) =>
    size === 0
      ? [...requests]
      : Array.from(
          { length: size },
          (__, index) => requests[(round * stride + connection * size + index) % requests.length]!,
        ),
  );
}

/**
 * Loads each in turn, round after round: other work on the machine affects all alike. The order is reversed after each
 * round. Returns the rounds of each.
 */
export async function alternate<Name extends string>(
  loaded: Record<Name, Loaded>,
  rounds: number,
  { warmUp = warmUpSeconds, of = connections } = {},
): Promise<Record<Name, Round[]>> {
  const names = Object.keys(loaded) as Name[];
  const measured = Object.fromEntries(names.map((name) => [name, [] as Round[]])) as Record<Name, Round[]>;
  for (const name of names) await load(loaded[name], of, warmUp, 0);
  for (let round = 1; round <= rounds; round += 1) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      measured[name].push(await load(loaded[name], of, roundSeconds, round));
    }
  }
  return measured;
}

/** The median of some rounds, in answers per second. */
export const medianThroughput = (rounds: readonly Round[]): number =>
  Math.round(median(rounds.map(({ perSecond }) => perSecond)));

/** The median of some rounds, in ms of CPU time for an answer. */
export const medianCost = (rounds: readonly Round[]): number => median(rounds.map(({ cpuMs }) => cpuMs));

/** The middle of the values of some rounds, and their spread. */
const middleOf = (values: readonly number[]): { value: number; spread: [number, number] } => ({
  value: median(values),
  spread: [quantile(values, 0.25), quantile(values, 0.75)],
});

/** The throughput of one as a share of another's: the median over pairs of adjacent rounds. */
export const shareOf = (rounds: readonly Round[], ceiling: readonly Round[]) => ({
  ...middleOf(rounds.map(({ perSecond }, round) => perSecond / ceiling[round]!.perSecond)),
  byCpuTime: median(rounds.map(({ cpuMs }, round) => ceiling[round]!.cpuMs / cpuMs)),
});

/** The CPU time for an answer of one as a multiple of another's. */
export const costOf = (rounds: readonly Round[], bare: readonly Round[]) =>
  middleOf(rounds.map(({ cpuMs }, round) => cpuMs / bare[round]!.cpuMs));

/** The median of some values. */
export function median(values: readonly number[]): number {
  return (quantile(values, 0.5, Math.floor) + quantile(values, 0.5, Math.ceil)) / 2;
}

/** The quantile of some values at a given share. */
function quantile(values: readonly number[], share: number, round = Math.ceil): number {
  if (values.length === 0) throw new RangeError("a quantile needs at least one value");
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[round((sorted.length - 1) * share)]!;
}
