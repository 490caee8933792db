import type { Tally } from "../judge/expect.ts";
import type { Exchange } from "../judge/exchange.ts";
import type { Outgoing } from "./client.ts";
import type { Client } from "./client.ts";
import type { Answer } from "../judge/answer.ts";
import type { Secrets } from "./secrets.ts";

/**
 * How often a request that a rate limit refuses is sent again, when the check is not about rate limits. More than a few
 * times, since others wait for the same place in a sliding window.
 */
const patience = 12;

/** One check's conversation with the server: its exchanges in order, and what it counts. */
export class Session implements Tally {
  readonly client: Client;
  readonly secrets: Secrets;
  readonly exchanges: Exchange[] = [];
  expectations = 0;

  constructor(client: Client, secrets: Secrets) {
    this.client = client;
    this.secrets = secrets;
  }

  get last(): Exchange | undefined {
    return this.exchanges.at(-1);
  }

  /** Sends a request as it is, and keeps the exchange. */
  async send(outgoing: Outgoing): Promise<Answer> {
    try {
      const answer = await this.client.send(outgoing);
      this.exchanges.push(answer.exchange);
      return answer;
    } catch (error) {
      if (error instanceof Error && "exchange" in error && error.exchange) {
        this.exchanges.push(error.exchange as Exchange);
      }
      throw error;
    }
  }

  /** As `send`, but waits where a rate limit says so: a 429 is not executed, so it may be sent again. */
  async sendPatiently(outgoing: Outgoing): Promise<Answer> {
    for (let attempt = 0; ; attempt += 1) {
      const answer = await this.send(outgoing);
      if (answer.status !== 429 || attempt === patience) return answer;
      await pause(1000 * Math.min(Math.max(Number(answer.headers["retry-after"]) || 1, 1), 90));
    }
  }
}

/** Resolves after some milliseconds: only for deadlines and intervals that the server itself sets. */
export const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

/**
 * Reads again, less and less often, until the predicate holds or the time is over; answers the last reading.
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
