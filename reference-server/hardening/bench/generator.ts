import autocannon from "autocannon";
import { Secrets } from "../../../conformance/server/secrets.ts";
import { recorder } from "../../../load/came.ts";
import { closedLoop } from "../../../load/engine/closed-loop.ts";
import { openConnections } from "../../../load/engine/connections.ts";
import { Figures } from "../../../load/engine/figures.ts";
import { performPart, type Part, type Performer } from "../../../load/engine/part.ts";
import { steady } from "../../../load/engine/schedule.ts";
import { Judgement } from "../../../load/judgement.ts";
import { plan, type Planned } from "../../../load/planned.ts";
import { startProcess } from "../started.ts";
import type { Bench, Figure } from "./figure.ts";
import { median } from "./rounds.ts";
import { basePath } from "../../../generated/contract.ts";

const connections = 32;
const roundSeconds = 1;
/** Answers before the first round, so that the judging code is compiled. */
const warmUp = 20_000;
/** The delay in milliseconds of the server with a known latency, and the rate of requests per second sent to it. */
const delayMs = 50;
const rate = 100;
/** The rate of requests per second of the open loop whose cost is measured. */
const openRate = 5_000;
/** The seconds of one of its rounds, more than of the others: on a busy machine the first stalls open connections, which later ones use again. */
const openSeconds = 4;

const request = plan(
  "discover",
  { account: "account 1", key: "sk-bench-0123456789abcdef", keyName: "key 1" },
  { body: { query: "data", limit: 1 } },
);

/** Starts a server that answers after a fixed delay, and passes its address to `use`. */
async function withBareServer<T>(delay: number, use: (baseUrl: string) => Promise<T>): Promise<T> {
  const server = await startProcess(new URL("bare-server.ts", import.meta.url), [String(delay)]);
  try {
    return await use(server.said.baseUrl);
  } finally {
    await server.stop();
  }
}

/** Microseconds of this process's CPU time for an answer. */
async function costOf(load: () => Promise<number>): Promise<number> {
  const before = process.cpuUsage();
  const answers = await load();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / answers;
}

/** @returns the number of answers to autocannon alone */
async function alone(baseUrl: string, amount?: number): Promise<number> {
  const { method, headers, body, path } = request;
  const result = await autocannon({
    url: baseUrl,
    connections,
    ...(amount === undefined ? { duration: roundSeconds } : { amount }),
    sampleInt: 20,
    requests: [
      { method: method as "POST", path: `${basePath}${path}`, headers: { ...headers }, body: body! },
    ],
  });
  return result["2xx"];
}

/** Passes what a load that judges each answer is made of to `use`. */
async function judging(
  baseUrl: string,
  use: (performer: Performer<Planned>) => Promise<unknown>,
): Promise<{ answers: number; figures: Figures }> {
  const judgement = new Judgement(new Secrets());
  const figures = new Figures();
  const record = recorder(baseUrl);
  const connections = openConnections(baseUrl);
  await use({
    connections,
    figures,
    onSent: (sent) => {
      figures.take(sent);
      judgement.judge(record(sent));
    },
  });
  connections.close();
  const [wrong] = judgement.findings;
  if (wrong !== undefined) {
    throw new Error(
      `the bare server's answer breaks the contract, so judging it measures nothing: ${wrong.title}, received ${wrong.received}`,
    );
  }
  return { answers: judgement.judged, figures };
}

/** @returns the number of answers judged in a closed loop */
async function saturating(baseUrl: string, amount?: number): Promise<number> {
  const { answers } = await judging(baseUrl, (performer) =>
    closedLoop({
      ...performer,
      requests: [request],
      concurrentRequests: connections,
      ...(amount === undefined ? { seconds: roundSeconds } : { amount }),
    }),
  );
  return answers;
}

/** An open loop of requests, each of them judged. */
const openPart = (perSecond: number, seconds: number): Part<Planned> => ({
  kind: "open",
  paths: [[request]],
  stages: steady(perSecond, seconds),
  suffix: "",
});

async function atRate(baseUrl: string): Promise<number> {
  const { answers } = await judging(baseUrl, (performer) =>
    performPart(openPart(openRate, openSeconds), performer),
  );
  return answers;
}

/** Medians in milliseconds: the latency that the load measures, and the delay that the server reports. */
async function knownDelay(baseUrl: string, seconds: number): Promise<{ measured: number; took: number }> {
  const took: number[] = [];
  const { figures } = await judging(baseUrl, (performer) =>
    performPart(openPart(rate, seconds), {
      ...performer,
      onSent: (sent) => {
        performer.onSent(sent);
        if (!(sent.answer instanceof Error)) took.push(Number(sent.answer.headers["x-took-ms"]));
      },
    }),
  );
  return { measured: figures.merged().getValueAtPercentile(50) / 1000, took: median(took) };
}

/** The limits of the load itself: the cost of judging, and the accuracy of its latencies. */
export const generatorBench: Bench = {
  name: "generator",
  async run({ rounds, say }) {
    say("the load against a bare server, beside autocannon alone");
    const measured = await withBareServer(0, async (baseUrl) => {
      const seen = { alone: [] as number[], closed: [] as number[], open: [] as number[] };
      await alone(baseUrl, warmUp);
      await saturating(baseUrl, warmUp);
      for (let round = 0; round < rounds; round += 1) {
        const all = [
          async () => void seen.alone.push(await costOf(() => alone(baseUrl))),
          async () => void seen.closed.push(await costOf(() => saturating(baseUrl))),
          async () => void seen.open.push(await costOf(() => atRate(baseUrl))),
        ];
        for (const one of round % 2 === 0 ? all : all.toReversed()) await one();
      }
      return seen;
    });
    say(`a fixed rate against a server that takes ${delayMs} ms`);
    const delay = await withBareServer(delayMs, (baseUrl) => knownDelay(baseUrl, Math.max(2, rounds / 2)));
    /** The median of a load's costs, as a multiple of autocannon's in the same round. */
    const multiple = (costs: readonly number[]): number =>
      median(costs.map((cost, round) => cost / measured.alone[round]!));
    const rounded = (costs: readonly number[]): number => Math.round(10 * median(costs)) / 10;
    const result: Figure[] = [
      {
        name: "CPU of a judged request, closed loop",
        says: "of autocannon's CPU time for a request",
        value: multiple(measured.closed),
        unit: "ratio",
        target: { kind: "most", value: 1.3 },
        measured: { us: rounded(measured.closed), autocannon_us: rounded(measured.alone) },
      },
      {
        name: "CPU of a judged request, open loop",
        says: `of autocannon's CPU time for a request, at ${openRate} a second`,
        value: multiple(measured.open),
        unit: "ratio",
        target: { kind: "most", value: 1.6 },
        measured: { us: rounded(measured.open), autocannon_us: rounded(measured.alone) },
      },
      {
        name: "latency error",
        says: `of the median at ${rate} requests a second against a server that takes ${delayMs} ms`,
        value: Math.abs(delay.measured - delay.took) / delay.took,
        unit: "ratio",
        target: { kind: "most", value: 0.1 },
        measured: { p50_ms: delay.measured, took_p50_ms: delay.took, delay_ms: delayMs },
      },
    ];
    return result;
  },
};
