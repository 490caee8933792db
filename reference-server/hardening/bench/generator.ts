import { fork } from "node:child_process";
import { once } from "node:events";
import autocannon from "autocannon";
import { Secrets } from "../../../conformance/server/secrets.ts";
import { closedLoop } from "../../../load/closed-loop.ts";
import { Figures } from "../../../load/figures.ts";
import { Judgement } from "../../../load/judgement.ts";
import { openLoop, openSending } from "../../../load/open-loop.ts";
import { plan } from "../../../load/planned.ts";
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

const request = plan(
  "discover",
  { account: "account 1", key: "sk-bench-0123456789abcdef", keyName: "key 1" },
  { body: { query: "data", limit: 1 } },
);

/** Starts a server that answers after a fixed delay, and passes its address to `use`. */
async function withBareServer<T>(delay: number, use: (baseUrl: string) => Promise<T>): Promise<T> {
  const child = fork(new URL("bare-server.ts", import.meta.url), [String(delay)]);
  try {
    const [{ baseUrl }] = (await once(child, "message")) as [{ baseUrl: string }];
    return await use(baseUrl);
  } finally {
    const ended = once(child, "exit");
    child.disconnect();
    await ended;
  }
}

/** Answers per second, and per second of this process's CPU time. */
interface Pace {
  perSecond: number;
  perCpuSecond: number;
}

async function paced(load: () => Promise<{ answers: number; seconds: number }>): Promise<Pace> {
  const before = process.cpuUsage();
  const { answers, seconds } = await load();
  const { user, system } = process.cpuUsage(before);
  return { perSecond: answers / seconds, perCpuSecond: (1e6 * answers) / (user + system) };
}

/** The throughput of autocannon alone. */
async function alone(baseUrl: string, amount?: number): Promise<{ answers: number; seconds: number }> {
  const { method, headers, body, path } = request;
  const result = await autocannon({
    url: baseUrl,
    connections,
    ...(amount === undefined ? { duration: roundSeconds } : { amount }),
    sampleInt: 20,
    requests: [{ method, path: `${basePath}${path}`, headers: { ...headers }, body: body! }],
  });
  return { answers: result["2xx"], seconds: result.duration };
}

/** The throughput of a load that judges and counts each answer. */
async function judging(baseUrl: string, amount?: number): Promise<{ answers: number; seconds: number }> {
  const judgement = new Judgement(new Secrets());
  const figures = new Figures();
  const { seconds } = await closedLoop({
    baseUrl,
    requests: [request],
    connections,
    ...(amount === undefined ? { seconds: roundSeconds } : { amount }),
    onCame: (came) => {
      judgement.judge(came);
      figures.take(came);
    },
  });
  const [wrong] = judgement.findings;
  if (wrong !== undefined) {
    throw new Error(
      `the bare server's answer breaks the contract, so judging it measures nothing: ${wrong.title}, received ${wrong.received}`,
    );
  }
  return { answers: judgement.judged, seconds };
}

/** Medians in milliseconds: the latency that the load measures, and the delay that the server reports. */
async function knownDelay(baseUrl: string, seconds: number): Promise<{ measured: number; took: number }> {
  const figures = new Figures();
  const took: number[] = [];
  const sending = openSending(baseUrl);
  try {
    await openLoop({
      rate,
      seconds,
      begin: async (_, intendedAt) => {
        const came = await sending.send(request, intendedAt);
        figures.take(came);
        took.push(Number(came.exchange.response?.headers["x-took-ms"]));
      },
    });
    return { measured: figures.merged().getValueAtPercentile(50) / 1000, took: median(took) };
  } finally {
    sending.close();
  }
}

/** The limits of the load itself: the cost of judging, and the accuracy of its latencies. */
export const generatorBench: Bench = {
  name: "generator",
  async run({ rounds, say }) {
    say("the load against a bare server, beside autocannon alone");
    const measured = await withBareServer(0, async (baseUrl) => {
      const seen = { alone: [] as Pace[], judging: [] as Pace[] };
      await alone(baseUrl, warmUp);
      await judging(baseUrl, warmUp);
      for (let round = 0; round < rounds; round += 1) {
        const both = [
          async () => void seen.alone.push(await paced(() => alone(baseUrl))),
          async () => void seen.judging.push(await paced(() => judging(baseUrl))),
        ];
        for (const one of round % 2 === 0 ? both : both.toReversed()) await one();
      }
      return seen;
    });
    say(`a fixed rate against a server that takes ${delayMs} ms`);
    const delay = await withBareServer(delayMs, (baseUrl) => knownDelay(baseUrl, Math.max(2, rounds / 2)));
    const ratio = (of: (pace: Pace) => number): number =>
      median(measured.judging.map((pace, round) => of(pace) / of(measured.alone[round]!)));
    const result: Figure[] = [
      {
        name: "load with judgement",
        says: "of the answers that autocannon alone gets from a bare server, one process each",
        value: ratio(({ perSecond }) => perSecond),
        byCpuTime: ratio(({ perCpuSecond }) => perCpuSecond),
        unit: "ratio",
        target: { kind: "least", value: 0.7 },
        measured: {
          judged_per_second: Math.round(median(measured.judging.map(({ perSecond }) => perSecond))),
          autocannon_per_second: Math.round(median(measured.alone.map(({ perSecond }) => perSecond))),
        },
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
