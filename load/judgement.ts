import { factOf } from "../conformance/judge/rule.ts";
import type { Exchange } from "../conformance/judge/exchange.ts";
import type { Fault } from "../conformance/judge/fault.ts";
import { condition, expectedWords, receivedWords, shortened, type Fact } from "../conformance/judge/fact.ts";
import { mayBreak } from "../conformance/suite/rules.ts";
import { seenOf } from "../conformance/judge/seen.ts";
import { levelOf } from "../conformance/judge/level.ts";
import type { Bar } from "../conformance/books/history/contradiction.ts";
import type { Secrets } from "../conformance/server/secrets.ts";
import type { Reply } from "./recorder.ts";
import type { Figures } from "./engine/figures.ts";

/** A fault of the server, however often it occurs. */
export interface Finding extends Fault {
  /** `fail`: an obligation is broken; `warn`: a recommendation is. */
  verdict: "fail" | "warn";
  /** The fact in words. */
  expected: string;
  received: string;
  /** The number of occurrences. */
  count: number;
  /** The first few exchanges that show it, with secrets masked. */
  exchanges: Exchange[];
  /** The operations that contradict each other, and the order that would have been lawful. */
  history?: { bars: readonly Bar[]; lawful: string };
}

export type Found = Fault &
  Pick<Finding, "history"> & {
    verdict?: Finding["verdict"];
    count?: number;
    exchanges?: readonly Exchange[];
    /** The clause whose rule of a single exchange says the same in other words, and gives way. */
    insteadOf?: string;
  };

type Judged = Pick<Reply, "exchange"> & Partial<Reply>;

/**
 * Exchanges judged in one batch: judging each answer by itself would evict the judge's code and data from the caches.
 */
const batchExchanges = 32;

/** The share of requests that may get no answer, since a connection can be lost through no fault. */
const maxLostShare = 0.01;

/** Exchanges kept for one finding. */
const maxKept = 3;

/** Applies the rules to every exchange of a load, and collects the scenario's own findings. */
export class Judgement {
  readonly #secrets: Secrets;
  readonly #found = new Map<string, Finding>();
  /** Clauses whose rules of a single exchange give way to a finding. */
  readonly #replaced = new Set<string>();
  readonly #waiting: Judged[] = [];
  readonly #unanswered: Exchange[] = [];
  #judged = 0;

  constructor(secrets: Secrets) {
    this.#secrets = secrets;
  }

  /** The number of exchanges judged. */
  get judged(): number {
    this.#judgeWaiting();
    return this.#judged;
  }

  /**
   * Queues an exchange to be judged by the rules, or keeps it for `judgeUnanswered`.
   * @param reply request: the sender; asked: the request as rules see it, if already parsed
   */
  judge(reply: Judged): void {
    if (reply.exchange.response === null) {
      if (this.#unanswered.length < maxKept) this.#unanswered.push(reply.exchange);
      return;
    }
    // The client of a session cuts the body of an exchange once it has reported it.
    const whole = reply.asked === undefined ? { ...reply, exchange: { ...reply.exchange } } : reply;
    if (this.#waiting.push(whole) >= batchExchanges) this.#judgeWaiting();
  }

  /** Records the requests that were not answered as a fault, unless they are so few that chance explains them. */
  judgeUnanswered({ unanswered, answers }: Pick<Figures, "unanswered" | "answers">): void {
    if (unanswered === 0) return;
    this.find({
      name: "unanswered requests",
      clauses: [],
      verdict: unanswered > maxLostShare * (unanswered + answers) ? "fail" : "warn",
      title: "the server answers every request",
      fact: condition(
        `${unanswered + answers} answers`,
        `${answers}${this.#unanswered[0] === undefined ? "" : `: ${this.#unanswered[0].error}`}`,
      ),
      count: unanswered,
      exchanges: this.#unanswered,
    });
  }

  #judgeWaiting(): void {
    for (const reply of this.#waiting) this.#judgeNow(reply);
    this.#waiting.length = 0;
  }

  #judgeNow({ exchange, request, asked }: Judged): void {
    const key = request?.sender.key ?? null;
    // A key in an answer is shown by its label. Searching for one key is cheap, for all keys it is not.
    const open = key !== null && exchange.response!.body.includes(key) ? this.#maskedIn(exchange) : exchange;
    const seen = seenOf(open, asked)!;
    this.#judged += 1;
    for (const rule of mayBreak(seen)) {
      const judgement = rule.judge(seen);
      if (judgement === null || judgement === true) continue;
      const { id, clauses, title } = rule;
      this.find({ name: id, clauses, title, fact: factOf(judgement), exchanges: [open] });
    }
  }

  /** Records a fault; a repeated name raises its count. */
  find({ name, clauses, title, fact, verdict, count = 1, exchanges = [], history, insteadOf }: Found): void {
    if (insteadOf !== undefined) this.#replaced.add(insteadOf);
    const known = this.#found.get(name);
    if (known !== undefined) {
      known.count += count;
      if (known.exchanges.length < maxKept && exchanges[0])
        known.exchanges.push(this.#maskedIn(exchanges[0]));
      return;
    }
    this.#found.set(name, {
      name,
      clauses,
      verdict: verdict ?? (clauses.length === 0 || levelOf(clauses) === "must" ? "fail" : "warn"),
      title,
      fact: this.#maskedIn(shortened(fact)),
      expected: this.#secrets.mask(expectedWords(fact)),
      received: this.#secrets.mask(receivedWords(fact)),
      count,
      exchanges: exchanges.slice(0, maxKept).map((exchange) => this.#maskedIn(exchange)),
      ...(history && { history }),
    });
  }

  /** Adds the findings of another process. */
  merge(findings: readonly Finding[], judged: number): void {
    for (const finding of findings) this.find(finding);
    this.#judged += judged;
  }

  /** Failures first, then in the order of the clauses. */
  get findings(): Finding[] {
    this.#judgeWaiting();
    const order = ({ verdict, clauses, name }: Finding): string =>
      `${verdict === "fail" ? 0 : 1} ${clauses[0] ?? ""} ${name}`;
    const givesWay = ({ name, clauses }: Finding): boolean =>
      clauses.some((id) => this.#replaced.has(id) && name.startsWith(`${id}/`));
    const found = [...this.#found.values()].filter((finding) => !givesWay(finding));
    return found.sort((one, other) => (order(one) < order(other) ? -1 : 1));
  }

  #maskedIn<Data extends Exchange | Fact>(data: Data): Data {
    return JSON.parse(this.#secrets.mask(JSON.stringify(data))) as Data;
  }
}
