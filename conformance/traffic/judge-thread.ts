import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import type { Report } from "../report/report.ts";
import type { Crossed } from "./crossed.ts";
import type { Answer, Brief, Judged, Question } from "./judge-worker.ts";
import type { Counts, Live } from "./traffic-judge.ts";

/** Exchanges that are sent over together at most, and the milliseconds that the first of them waits for others. */
const together = 64;
const patience = 100;

/**
 * The judge of a proxy, in a thread of its own, so that traffic does not wait for its judgement. Exchanges are judged in
 * the order in which they are handed over.
 */
export class JudgeThread {
  /** Rejects when the judge itself fails; what was asked then stays unanswered. */
  readonly failed: Promise<never>;
  readonly #worker: Worker;
  readonly #onBreach: (live: Live) => void;
  /** Those who wait for answers, in the order of their questions. */
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
    // Who passes traffic on without its judge decides for itself; nobody is to be ended by it.
    this.failed.catch(() => undefined);
  }

  /** Starts the thread, and waits until it can judge. */
  static async start(brief: Brief, onBreach: (live: Live) => void): Promise<JudgeThread> {
    const thread = new JudgeThread(brief, onBreach);
    await thread.#answered();
    return thread;
  }

  /** Hands over an exchange, to be judged soon; `done` is told what came of it. */
  later(crossed: Crossed, done: (judged: Judged) => void): void {
    this.#batch.push({ crossed, done });
    if (this.#batch.length >= together) this.#send();
    else this.#timer ??= setTimeout(() => this.#send(), patience);
  }

  /** Hands over an exchange, and waits for what comes of it. */
  now(crossed: Crossed): Promise<Judged> {
    const judged = new Promise<Judged>((resolve) => this.#batch.push({ crossed, done: resolve }));
    this.#send();
    return Promise.race([judged, this.failed]);
  }

  /** Tells that an exchange went by which is not judged, nor will be. */
  missed(): void {
    this.#missed += 1;
    this.#timer ??= setTimeout(() => this.#send(), patience);
  }

  /** Waits until everything so far is judged. */
  async settled(): Promise<Counts> {
    this.#send();
    return (await this.#ask({ kind: "count" })).counts;
  }

  /** Ends the thread, with its report. */
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
        for (const one of judged[index]!.live) this.#onBreach(one);
        done(judged[index]!);
      }
    });
    const crossed = batch.map((one) => one.crossed);
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
