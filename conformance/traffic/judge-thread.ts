import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import type { Report } from "../report/report.ts";
import type { Crossed } from "./crossed.ts";
import type { Answer, Brief, Judged, Question } from "./judge-worker.ts";
import type { Counts, Live } from "./traffic-judge.ts";

/** Maximum batch size, and the milliseconds that the first exchange of a batch waits for others. */
const together = 64;
const patience = 100;

/**
 * The proxy's judge, in its own thread, so that traffic does not wait for judgement. Exchanges are judged in the order
 * in which they are submitted.
 */
export class JudgeThread {
  /** Rejects when the judge itself fails; pending requests then stay unanswered. */
  readonly failed: Promise<never>;
  readonly #worker: Worker;
  readonly #onBreach: (live: Live) => void;
  /** Callers waiting for replies, in the order of their requests. */
  readonly #asking: ((answer: Answer) => void)[] = [];
  #batch: { crossed: Crossed; done: (judged: Judged) => void }[] = [];
  #missed = 0;
  #timer: NodeJS.Timeout | undefined;

  private constructor(brief: Brief, onBreach: (live: Live) => void) {
    this.#onBreach = onBreach;
    this.#worker = new Worker(new URL(`judge-worker${extname(import.meta.url)}`, import.meta.url), {
      workerData: brief,
    });
    this.#worker.on("message", (answer: Answer) => this.#asking.shift()!(answer));
    this.failed = new Promise((_, reject) => this.#worker.once("error", reject));
    // The caller decides what to do without a judge; a failure here must not end the process.
    this.failed.catch(() => undefined);
  }

  /** Starts the thread and waits until it is ready. */
  static async start(brief: Brief, onBreach: (live: Live) => void): Promise<JudgeThread> {
    const thread = new JudgeThread(brief, onBreach);
    await thread.#answered();
    return thread;
  }

  /** Submits an exchange for judgement; `done` receives the result. */
  later(crossed: Crossed, done: (judged: Judged) => void): void {
    this.#batch.push({ crossed, done });
    if (this.#batch.length >= together) this.#send();
    else this.#timer ??= setTimeout(() => this.#send(), patience);
  }

  /** Submits an exchange and waits for the result. */
  now(crossed: Crossed): Promise<Judged> {
    const judged = new Promise<Judged>((resolve) => this.#batch.push({ crossed, done: resolve }));
    this.#send();
    return Promise.race([judged, this.failed]);
  }

  /** Reports an exchange that was not and will not be judged. */
  missed(): void {
    this.#missed += 1;
    this.#timer ??= setTimeout(() => this.#send(), patience);
  }

  /** Waits until everything submitted so far is judged. */
  async settled(): Promise<Counts> {
    this.#send();
    return (await this.#ask({ kind: "count" })).counts;
  }

  /** Asks the audit with the clients' own keys; returns the reasons why some could not be read. */
  async audit(ca: string | undefined): Promise<string[]> {
    this.#send();
    return (await this.#ask({ kind: "audit", ca })).unread;
  }

  /** Ends the thread and returns its report. */
  async end(target: string, recorded: string): Promise<{ report: Report; counts: Counts }> {
    this.#send();
    const { report, counts } = await this.#ask({ kind: "report", target, recorded });
    await this.#worker.terminate();
    return { report: report!, counts };
  }

  #send(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#missed > 0) {
      void this.#ask({ kind: "missed", count: this.#missed }).catch(() => undefined);
      this.#missed = 0;
    }
    const batch = this.#batch;
    if (batch.length === 0) return;
    this.#batch = [];
    this.#asking.push(({ judged }) => {
      for (const [index, { done }] of batch.entries()) {
        for (const breach of judged[index]!.live) this.#onBreach(breach);
        done(judged[index]!);
      }
    });
    const crossed = batch.map((pending) => pending.crossed);
    const bodies = crossed.flatMap(({ sent, answer }) => [
      sent.buffer,
      ...(answer ? [answer.body.buffer] : []),
    ]);
    this.#worker.postMessage({ kind: "judge", crossed } satisfies Question, bodies);
  }

  #ask(question: Question): Promise<Answer> {
    this.#worker.postMessage(question);
    return this.#answered();
  }

  #answered(): Promise<Answer> {
    return Promise.race([new Promise<Answer>((resolve) => this.#asking.push(resolve)), this.failed]);
  }
}
