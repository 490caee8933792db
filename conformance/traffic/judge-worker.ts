import { parentPort, workerData } from "node:worker_threads";
import type { Report } from "../report/report.ts";
import { readCrossed, type Crossed, type Read } from "./crossed.ts";
import { eventsSince } from "./client-audit.ts";
import { Masking } from "./masking.ts";
import { HarFile } from "./write-har.ts";
import { TrafficJudge, type Counts, type Live, type Party } from "./traffic-judge.ts";

/** The thread's initial data. */
export interface Brief {
  party: Party;
  complete: boolean;
  /** The base URL of the server behind the proxy. */
  baseUrl: string;
  /** Where a HAR file of all that passes goes. */
  har?: string | undefined;
}

/** The requests to the thread; each gets one reply, in order. */
export type Question =
  | { kind: "judge"; crossed: Crossed[] }
  | { kind: "missed"; count: number }
  | { kind: "count" }
  | { kind: "audit"; ca: string | undefined }
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
  /** Accounts whose audit could not be read, with the reason. */
  unread: string[];
}

const { party, complete, baseUrl, har: harFile } = workerData as Brief;
const judge = new TrafficJudge(party, complete);
const masking = new Masking();
const har = harFile === undefined ? null : new HarFile(harFile);

function judged(crossed: Crossed): Judged {
  const { exchange, missing, tooLarge } = readCrossed(crossed, baseUrl);
  const shown = masking.mask(exchange);
  har?.add(shown, missing);
  const live = judge.see({ exchange: shown, missing }).map(({ rule, ...live }) => ({
    // A rule contains a function, which cannot be sent to another thread.
    rule: { id: rule.id, clauses: rule.clauses, title: rule.title },
    ...live,
  }));
  return { live, tooLarge };
}

const answer = (members: Partial<Answer> = {}): void =>
  parentPort!.postMessage({
    judged: [],
    counts: judge.counts,
    report: null,
    unread: [],
    ...members,
  } satisfies Answer);

/** Asks the audit of each account with Calls of unknown outcome, with the account's own key. */
async function audit(ca: string | undefined): Promise<string[]> {
  const unread: string[] = [];
  for (const [account, since] of judge.unsure) {
    try {
      judge.audited(account, await eventsSince(baseUrl, masking.secretOf(account) ?? "", since, ca));
    } catch (error) {
      unread.push(`the audit of ${account} could not be read: ${(error as Error).message}`);
    }
  }
  return unread;
}

parentPort!.on("message", (question: Question) => {
  if (question.kind === "judge") return answer({ judged: question.crossed.map(judged) });
  if (question.kind === "missed") judge.miss(question.count);
  if (question.kind === "audit") return void audit(question.ca).then((unread) => answer({ unread }));
  if (question.kind !== "report") return answer();
  har?.close();
  answer({ report: judge.report(question.target, question.recorded) });
});
answer();
