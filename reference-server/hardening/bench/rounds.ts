import autocannon, { type Request } from "autocannon";

/** A target whose throughput is measured: its address and the requests sent to it. */
export interface Loaded {
  baseUrl: string;
  requests: readonly Request[];
  /** CPU time in microseconds used by the server's process. */
  cpu(): Promise<number>;
}

/** One round of load: answers per second, and per second of the server's CPU time. */
export interface Round {
  perSecond: number;
  perCpuSecond: number;
}

/** Length of one round and of the warm-up before the first, in seconds. */
export const roundSeconds = 1;
export const warmUpSeconds = 3;

/** How often the load checks the clock, in ms. */
const sampleMs = 100;

/**
 * Loads a server over a number of connections, each of which sends its next request when the last one is answered.
 * @throws Error on any answer but a 2xx, which would make the figure meaningless
 */
export async function load(
  server: Loaded,
  connections: number,
  seconds: number,
  round: number,
): Promise<Round> {
  const { baseUrl } = server;
  const prefix = new URL(baseUrl).pathname;
  const requests = server.requests.map((request) => ({ ...request, path: prefix + request.path }));
  const shares = shared(requests, connections, round);
  let clients = 0;
  const cpuBefore = await server.cpu();
  const result = await autocannon({
    url: baseUrl,
    connections,
    duration: seconds,
    sampleInt: sampleMs,
    requests: requests.slice(0, 1),
    setupClient: (client) => client.setRequests(shares[clients++ % connections]!),
  });
  const cpuSeconds = ((await server.cpu()) - cpuBefore) / 1e6;
  if (result.non2xx > 0 || result.errors > 0 || result.timeouts > 0) {
    throw new Error(
      `under load ${result.non2xx} answers were no 2xx, ${result.errors} requests failed, ${result.timeouts} timed out`,
    );
  }
  return { perSecond: result["2xx"] / result.duration, perCpuSecond: result["2xx"] / cpuSeconds };
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
 * Loads the servers in turn, round after round, so that other work on the machine affects all alike; the order is
 * reversed after each round. Returns the rounds of each server.
 */
export async function alternate<Name extends string>(
  servers: Record<Name, Loaded>,
  { rounds, connections, warmUp = warmUpSeconds }: { rounds: number; connections: number; warmUp?: number },
): Promise<Record<Name, Round[]>> {
  const names = Object.keys(servers) as Name[];
  const measured = Object.fromEntries(names.map((name) => [name, [] as Round[]])) as Record<Name, Round[]>;
  for (const name of names) await load(servers[name], connections, warmUp, 0);
  for (let round = 0; round < rounds; round += 1) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      measured[name].push(await load(servers[name], connections, roundSeconds, round + 1));
    }
  }
  return measured;
}

/** The median of some rounds, in answers per second. */
export const medianThroughput = (rounds: readonly Round[]): number =>
  Math.round(median(rounds.map(({ perSecond }) => perSecond)));

/** The middle of the values of some rounds, and their spread. */
export const middleOf = (values: readonly number[]): { value: number; spread: [number, number] } => ({
  value: median(values),
  spread: [quantile(values, 0.25), quantile(values, 0.75)],
});

/** The throughput of one server as a share of another's: the median over pairs of adjacent rounds. */
export const shareOf = (rounds: readonly Round[], ceiling: readonly Round[]) => ({
  ...middleOf(rounds.map(({ perSecond }, round) => perSecond / ceiling[round]!.perSecond)),
  byCpuTime: median(rounds.map(({ perCpuSecond }, round) => perCpuSecond / ceiling[round]!.perCpuSecond)),
});

/** The median of some values. */
export function median(values: readonly number[]): number {
  return (quantile(values, 0.5, Math.floor) + quantile(values, 0.5, Math.ceil)) / 2;
}

/** The quantile of some values at a given share. */
export function quantile(values: readonly number[], share: number, round = Math.ceil): number {
  if (values.length === 0) throw new RangeError("a quantile needs at least one value");
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[round((sorted.length - 1) * share)]!;
}
