import autocannon from "autocannon";
import { basePath } from "../../../generated/contract.ts";
import { Secrets } from "../../../conformance/server/secrets.ts";
import { recorder } from "../../../load/recorder.ts";
import { openConnections } from "../../../load/engine/connections.ts";
import { Figures } from "../../../load/engine/figures.ts";
import { performPart, type Performer } from "../../../load/engine/part.ts";
import { steady } from "../../../load/engine/schedule.ts";
import { Judgement } from "../../../load/judgement.ts";
import { plan, type Planned } from "../../../load/planned.ts";
import type { Bench, Figure } from "./figure.ts";
import { connections, median } from "./rounds.ts";
import { withProcesses } from "./running.ts";

/** How long a load lasts: seconds, or a number of answers. */
type Length = { seconds: number } | { amount: number };

const round: Length = { seconds: 1 };
/** So that the judging code is compiled. */
const warmUp: Length = { amount: 20_000 };
/** The rate of requests per second of the open loop whose cost is measured. */
const openRate = 5_000;
/** Seconds of each of its rounds, more than of others: on a busy machine, early stalls open connections for later ones. */
const openSeconds = 4;

const request = plan(
  "discover",
  { account: "account 1", key: "sk-bench-0123456789abcdef", keyName: "key 1" },
  { body: { query: "data", limit: 1 } },
);

/** A load against a server; returns the number of answers. */
type Load = (baseUrl: string, length: Length) => Promise<number>;

const plain: Load = async (baseUrl, length) => {
  const { method, headers, body, path } = request;
  const result = await autocannon({
    url: baseUrl,
    connections,
    ...("seconds" in length ? { duration: length.seconds } : length),
    sampleInt: 20,
    requests: [
      { method: method as "POST", path: `${basePath}${path}`, headers: { ...headers }, body: body! },
    ],
  });
  return result["2xx"];
};

/** A load that judges each answer. */
async function judged(
  baseUrl: string,
  use: (performer: Performer<Planned>) => Promise<unknown>,
): Promise<number> {
  const judgement = new Judgement(new Secrets());
  const figures = new Figures();
  const record = recorder(baseUrl);
  const connections = openConnections(baseUrl);
  await use({
    server: { baseUrl },
    connections,
    figures,
    onSent: (sent) => void judgement.judge(record(sent)),
  });
  connections.close();
  const [wrong] = judgement.findings;
  if (wrong !== undefined) {
    throw new Error(
      `the bare server's answer breaks the contract, so judging it measures nothing: ${wrong.title}, received ${wrong.received}`,
    );
  }
  return judgement.judged;
}

const saturating: Load = (baseUrl, length) =>
  judged(baseUrl, (performer) =>
    performPart(
      {
        kind: "closed",
        requests: [request],
        concurrentRequests: connections,
        seconds: "seconds" in length ? length.seconds : 60,
        maxAnswers: "amount" in length ? length.amount : null,
      },
      performer,
    ),
  );

const atRate: Load = (baseUrl) =>
  judged(baseUrl, (performer) =>
    performPart(
      { kind: "open", paths: [[request]], stages: steady(openRate, openSeconds), suffix: "" },
      performer,
    ),
  );

const loads = { plain, closed: saturating, open: atRate };

/** Microseconds of this process's CPU time for an answer. */
async function costOf(load: Load, baseUrl: string): Promise<number> {
  const before = process.cpuUsage();
  const answers = await load(baseUrl, round);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / answers;
}

/** The cost of judging the answers of a load, compared with plain autocannon. */
export const generatorBench: Bench = {
  name: "generator",
  run: ({ rounds, say }) =>
    withProcesses(async (start) => {
      say("the load against a bare server, compared with plain autocannon");
      const { baseUrl } = await start.program("bare-server.ts");
      const us = { plain: [] as number[], closed: [] as number[], open: [] as number[] };
      const names = Object.keys(loads) as (keyof typeof loads)[];
      await plain(baseUrl, warmUp);
      await saturating(baseUrl, warmUp);
      for (let round = 0; round < rounds; round += 1) {
        for (const name of round % 2 === 0 ? names : names.toReversed())
          us[name].push(await costOf(loads[name], baseUrl));
      }
      const figure = (name: "closed" | "open", says: string, most: number): Figure => ({
        name: `CPU of a judged request, ${name} loop`,
        says: `of autocannon's CPU time for a request${says}`,
        value: median(us[name].map((cost, round) => cost / us.plain[round]!)),
        unit: "ratio",
        target: { kind: "most", value: most },
        measured: { us: median(us[name]), autocannon_us: median(us.plain) },
      });
      return [figure("closed", "", 1.3), figure("open", `, at ${openRate} a second`, 1.6)];
    }),
};
