import { parentPort, workerData } from "node:worker_threads";
import type { Report } from "../report/report.ts";
import { readCrossed, type Crossed, type Read } from "./crossed.ts";
import { Masking } from "./masking.ts";
import { TrafficJudge, type Counts, type Live, type Party } from "./traffic-judge.ts";

/** The thread's initial data. */
export interface Brief {
  party: Party;
  complete: boolean;
  /** The base URL of the server behind the proxy. */
  baseUrl: string;
}

/** The requests to the thread; each gets one reply, in order. */
export type Question =
  | { kind: "judge"; crossed: Crossed[] }
  | { kind: "missed"; count: number }
  | { kind: "count" }
  | { kind: "report"; target: string; recorded: string };

/** The result for one exchange. */
export interface Judged {
  /** The rules that it breaks. */
  live: Live[];
  tooLarge: Read["tooLarge"];
}

/** The thread's reply to a request, and to its start. */
export interface Answer {
  /** The result for each exchange in turn; empty for other requests. */
  judged: Judged[];
  counts: Counts;
  report: Report | null;
}

const { party, complete, baseUrl } = workerData as Brief;
const judge = new TrafficJudge(party, complete);
const masking = new Masking();

function judged(crossed: Crossed): Judged {
  const { exchange, missing, tooLarge } = readCrossed(crossed, baseUrl);
  const live = judge.see({ exchange: masking.mask(exchange), missing }).map(({ rule, ...live }) => ({
    // A rule contains a function, which cannot be sent to another thread.
    rule: { id: rule.id, clauses: rule.clauses, title: rule.title },
    ...live,
  }));
  return { live, tooLarge };
}

const answer = (given: Partial<Answer> = {}): void =>
  parentPort!.postMessage({ judged: [], counts: judge.counts, report: null, ...given } satisfies Answer);

parentPort!.on("message", (question: Question) => {
  if (question.kind === "judge") return answer({ judged: question.crossed.map(judged) });
  if (question.kind === "missed") judge.miss(question.count);
  if (question.kind !== "report") return answer();
  answer({ report: judge.report(question.target, question.recorded) });
});
answer();
