import { onStop } from "../base/exit.ts";
import { Secrets } from "../conformance/server/secrets.ts";
import { recorder } from "./recorder.ts";
import { machineClock } from "./engine/clock.ts";
import { openConnections } from "./engine/connections.ts";
import { Figures } from "./engine/figures.ts";
import { performPart } from "./engine/part.ts";
import { Unfinished } from "./engine/request.ts";
import type { Order, Told } from "./engine/workers.ts";
import { isExpected } from "./expected.ts";
import { Judgement, type Finding } from "./judgement.ts";
import type { Planned } from "./planned.ts";

/** The findings of a worker. */
export interface FoundByWorker {
  findings: Finding[];
  judged: number;
}

/** Milliseconds between a worker's messages. */
const interval = 500;

let stop = new AbortController();
// A signal may reach all processes of a group; the main one tells this one to stop.
onStop(() => undefined);
process.on("message", (order: Order) => {
  if (order === "stop") return stop.abort();
  stop = new AbortController();
  perform(order, stop.signal).catch((error: unknown) => {
    process.stderr.write(`${String(error)}\n`);
    process.exit(4);
  });
});

process.send!("ready");

/** Performs a part, judging every answer, and reports its figures as they grow. */
async function perform(
  { baseUrl, ca, part, grain }: Exclude<Order, string>,
  signal: AbortSignal,
): Promise<void> {
  const secrets = new Secrets();
  const planned = (part.kind === "closed" ? part.requests : part.paths.flat()) as Planned[];
  for (const { sender } of planned) if (sender.key !== null) secrets.learn(sender.key, "key");
  const judgement = new Judgement(secrets);
  const record = recorder(baseUrl);
  const connections = openConnections(baseUrl, { ca });
  signal.addEventListener("abort", () => connections.cut(new Unfinished()));
  const figures = new Figures();
  figures.grain = grain;
  const takeFigures = (): Told<FoundByWorker>["figures"] => {
    const packed = figures.pack();
    figures.clear();
    return packed;
  };
  const timer = setInterval(() => process.send!({ figures: takeFigures() }), interval);
  const end = await performPart(part, {
    server: { baseUrl, ca },
    connections,
    figures,
    clock: machineClock,
    signal,
    isExpected,
    onSent: (sent) => {
      if (!(sent.answer instanceof Unfinished)) judgement.judge(record(sent as never));
    },
  }).finally(() => clearInterval(timer));
  connections.close();
  const found: FoundByWorker = { findings: judgement.findings, judged: judgement.judged };
  process.send!({ figures: takeFigures(), done: { ...end, found } } satisfies Told<FoundByWorker>);
}
