import { operations, type OperationId } from "../../generated/contract.ts";
import { Finality, readsBooks } from "../books/finality.ts";
import type { Tally } from "../judge/expect.ts";
import type { Exchange } from "../judge/exchange.ts";
import type { Outgoing } from "./client.ts";
import type { Client } from "./client.ts";
import type { Answer } from "../judge/answer.ts";
import type { Secrets } from "./secrets.ts";
import { operationOf } from "../judge/operations.ts";
import { Blocked, Unverifiable } from "../judge/verdict.ts";
import type { Budget } from "../judge/budget.ts";
import { shortWindowMs, UsedUp } from "./waiting.ts";

/**
 * Maximum number of retries of a rate-limited request in a check that is not about rate limits. It is generous because
 * other requests compete for the same slot in a sliding window.
 */
const patience = 12;
/** The same for a server that is too busy. */
const patienceWhenBusy = 3;

/** Answers longer than this, in characters, count against the budget while the check runs. */
const largeAnswer = 256 * 1024;

/** State shared by the sessions of a run. */
export interface Shared {
  /** Limit on the total size of the answers that checks hold; unlimited by default. */
  together?: Budget;
  /** Whether the check ends where a quota is used up, instead of waiting. */
  leaves?: boolean;
  /** Which reads of an account's books are final; all of them by default. */
  finality?: Finality;
}

/** One check's conversation with the server: its exchanges in order, and its counters. */
export class Session implements Tally {
  readonly client: Client;
  readonly secrets: Secrets;
  readonly exchanges: Exchange[] = [];
  readonly finality: Finality;
  /** Whether the check ends where a quota is used up, instead of waiting. */
  readonly leaves: boolean;
  expectations = 0;
  isOver = false;
  /** Until when a quota of an account is used up, in epoch ms, where the check ended for it. */
  usedUp: { account: string | null; operation: OperationId; until: number } | undefined;
  readonly #together: Budget | undefined;
  readonly #underway = new Set<Promise<Answer>>();
  /** Requests that may have left an event, by the label of their account. */
  readonly #traces = new Map<string | null, number>();
  #held = 0;

  constructor(client: Client, secrets: Secrets, { together, leaves = false, finality }: Shared = {}) {
    this.client = client;
    this.secrets = secrets;
    this.#together = together;
    this.leaves = leaves;
    this.finality = finality ?? new Finality({ lagMs: () => 0 });
  }

  get last(): Exchange | undefined {
    return this.exchanges.at(-1);
  }

  /**
   * Sends a request once and keeps the exchange.
   * @throws Blocked where no answer comes, and once the check is over
   */
  async send(outgoing: Outgoing): Promise<Answer> {
    if (this.isOver) throw new Blocked("the check is over");
    const { method, path, account = null } = outgoing;
    if (readsBooks(operationOf(method, path.replace(/\?.*$/, "")))) await this.finality.beforeRead(account);
    const sent = this.client.send(outgoing);
    this.#underway.add(sent);
    try {
      const answer = await sent;
      this.#keep(answer.exchange);
      this.#hold(answer);
      return answer;
    } catch (error) {
      if (error instanceof Blocked && error.exchange !== undefined && this.last !== error.exchange) {
        this.#keep(error.exchange);
      }
      throw error;
    } finally {
      this.#underway.delete(sent);
    }
  }

  #keep(exchange: Exchange): void {
    this.exchanges.push(exchange);
    if (!mayLeaveEvent(exchange)) return;
    this.#traces.set(exchange.account, (this.#traces.get(exchange.account) ?? 0) + 1);
    this.finality.acted(exchange.account);
  }

  /** Shows exchanges of an earlier check, on which this one builds, before its own. */
  show(earlier: readonly Exchange[]): void {
    this.exchanges.unshift(...earlier.filter((exchange) => !this.exchanges.includes(exchange)));
  }

  /** How many requests may have left an event of an account: those of its label, and of keys of unknown accounts. */
  tracesOf(label: string | null): number {
    return [...new Set([label, null, "made up"])].reduce(
      (sum, account) => sum + (this.#traces.get(account) ?? 0),
      0,
    );
  }

  /**
   * Like `send`, but waits when the request is not executed and may be repeated: it is rate-limited, or the server is
   * too busy for it.
   * @throws Unverifiable when it must wait again and again, or for longer than the run's budget allows; Shut when nobody
   *   has been let in yet; UsedUp where the check does not wait
   */
  async sendPatiently(outgoing: Outgoing): Promise<Answer> {
    const what = `${outgoing.method} ${outgoing.path}`;
    const { waiting } = this.client;
    for (let attempt = 0; ; attempt += 1) {
      const answer = await this.send(outgoing);
      const retryAfter = answer.headers["retry-after"];
      if (attempt >= retriesAfter(answer)) {
        if (answer.status !== 429 || retryAfter === undefined) return answer;
        const refused = `${what} is refused with 429 after every Retry-After`;
        // Others may be let in instead, but not where nobody ever was.
        if (!this.client.letIn.has(answer.exchange.operation)) {
          throw new Shut(`${refused}, and nobody was ever let in`);
        }
        throw new Unverifiable(refused);
      }
      const milliseconds = 1000 * Math.max(Number(retryAfter) || 1, 1);
      const { operation } = answer.exchange;
      if (this.leaves && answer.status === 429 && operation !== null && milliseconds > shortWindowMs) {
        this.usedUp = { account: outgoing.account ?? null, operation, until: this.now() + milliseconds };
        throw new UsedUp(operation);
      }
      if (milliseconds > waiting.leftMs) throw waiting.usedUp;
      await this.pause(milliseconds, `the Retry-After of ${what}`);
    }
  }

  /**
   * Waits for a time that the server determines, within the run's budget.
   * @param what completes "waiting for …"
   * @throws Unverifiable when the budget is too small
   */
  pause(milliseconds: number, what: string): Promise<void> {
    return this.client.waiting.pause(milliseconds, what, this);
  }

  /** Waits for a rate-limit window to end. @throws Unverifiable also when the run is to be fast */
  untilWindowEnds(milliseconds: number, what: string): Promise<void> {
    return this.client.waiting.untilWindowEnds(milliseconds, what, this);
  }

  /** Waits for something that another check has. */
  idle<T>(other: Promise<T>): Promise<T> {
    return this.client.waiting.sleepers?.idle(this, other) ?? other;
  }

  /** The time in epoch ms, by the server's clock where the suite has set it ahead. */
  now(): number {
    return this.client.waiting.now();
  }

  /**
   * Ends the check and releases its answers. One that fails may leave requests on their way, which would still charge
   * its account after the next check has borrowed it.
   */
  async end(): Promise<void> {
    this.isOver = true;
    await Promise.allSettled(this.#underway);
    this.#together?.give(this.#held);
    this.#held = 0;
  }

  #hold({ text, exchange }: Answer): void {
    if (text.length <= largeAnswer || this.#together === undefined) return;
    if (!this.#together.take(text.length)) {
      throw new Blocked("the answers that checks hold at the same time are too large together", exchange);
    }
    this.#held += text.length;
  }
}

/** Whether a request may leave a usage event: by the contract, a request that reads the account does not. */
const mayLeaveEvent = ({ operation, request }: Exchange): boolean =>
  request.method !== "GET" || operation === null || operation === "getCapability";

/** An operation refuses everyone with 429, however often the time is waited for that it names. */
export class Shut extends Unverifiable {}

/** How often a request with this answer is sent again. */
function retriesAfter({ status, headers, exchange: { operation } }: Answer): number {
  if (status === 429) return patience;
  // Whether a Call was executed is unknown then, and it might be charged twice.
  const isFree = operation !== null && operations[operation].changes !== "credits";
  return status === 503 && headers["retry-after"] !== undefined && isFree ? patienceWhenBusy : 0;
}

/** Resolves after some milliseconds: only for intervals that the suite itself bounds. */
export const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

/**
 * Reads repeatedly, with increasing pauses, until the predicate holds or time is up; returns the last reading.
 * @param within milliseconds
 */
export async function until<T>(
  within: number,
  read: () => Promise<T>,
  predicate: (value: T) => boolean,
): Promise<T> {
  const end = performance.now() + within;
  for (let wait = 10; ; wait = Math.min(wait * 2, 500)) {
    const value = await read();
    if (predicate(value) || performance.now() + wait > end) return value;
    await pause(wait);
  }
}
