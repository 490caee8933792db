import autocannon, { type Client, type Request } from "autocannon";
import type { Headers } from "../conformance/judge/exchange.ts";
import { recorder, type Came } from "./came.ts";
import { machineClock, type Clock } from "./clock.ts";
import { mostOfAnswer } from "./open-loop.ts";
import type { Planned } from "./planned.ts";

export interface ClosedLoop {
  baseUrl: string;
  /**
   * Each connection sends all of them in turn, starting at a different one; with `once` the connections divide them up.
   */
  requests: readonly Planned[];
  /** Sends each request exactly once; needs no amount and no seconds. */
  once?: boolean;
  connections: number;
  /** The total number of requests, each of them answered. */
  amount?: number;
  /** Or a duration in seconds; requests in flight at its end are cut off and not reported. */
  seconds?: number;
  /** Ends a timed loop early after this many answers; a few more may be in flight. */
  most?: number;
  onCame: (came: Came) => void;
  /** The clock for the times of requests and answers; the machine's by default. */
  clock?: Clock;
}

/** Interval in milliseconds between checks whether a loop has ended. */
const lookMs = 20;

/** The number of requests without an answer. */
export interface Unanswered {
  errors: number;
  /** The duration of the loop in seconds. */
  seconds: number;
}

/**
 * Sends as fast as the connections allow: each sends its next request when the last one is answered. Built on
 * autocannon.
 */
export async function closedLoop(loop: ClosedLoop): Promise<Unanswered> {
  const { baseUrl, requests, seconds, clock = machineClock } = loop;
  const amount = loop.once ? requests.length : loop.amount;
  const connections = Math.min(loop.connections, amount ?? Infinity);
  const base = baseUrl.replace(/\/+$/, "");
  const prefix = new URL(base).pathname.replace(/\/$/, "");
  const record = recorder(base);
  let opened = 0;
  let answers = 0;
  let answered: Answered | null = null;
  const instance = autocannon({
    url: base,
    connections,
    requests: [toAutocannon(requests[0]!, prefix)],
    sampleInt: lookMs,
    timeout: 30,
    ...(amount === undefined ? { duration: seconds ?? 1 } : { amount }),
    setupClient: (client: Client) => {
      const number = opened++;
      const from = number % requests.length;
      const mine = loop.once
        ? requests.filter((_, index) => index % connections === number)
        : [...requests.slice(from), ...requests.slice(0, from)];
      client.setRequests(mine.map((planned) => toAutocannon(planned, prefix)));
      let sent = -1;
      let sentAt = 0;
      let size = 0;
      let head = { statusCode: 0, headers: [] as string[] };
      client.on("request", () => {
        sent += 1;
        size = 0;
        sentAt = clock.now();
      });
      client.on("headers", (received) => (head = received));
      client.on("body", ({ length }) => {
        if ((size += length) > mostOfAnswer) client.conn.destroy(new Error("the answer is too large"));
      });
      client.on("response", () => {
        answered = { planned: mine[sent % mine.length]!, sentAt, answeredAt: clock.now(), head };
      });
    },
    // Called after the connection has sent its next request, so that judging does not hold the server up.
    verifyBody: (body) => {
      const { planned, sentAt, answeredAt, head } = answered!;
      const received = { status: head.statusCode, headers: headersOf(head.headers), body };
      loop.onCame(record(planned, sentAt, answeredAt, received));
      if ((answers += 1) === loop.most) instance.stop();
      return true;
    },
  });
  const result = await instance;
  return { errors: result.errors, seconds: result.duration };
}

/** The answer whose body autocannon passes on next. */
interface Answered {
  planned: Planned;
  sentAt: number;
  answeredAt: number;
  head: { statusCode: number; headers: string[] };
}

const toAutocannon = ({ method, path, headers, body }: Planned, prefix: string): Request => ({
  method,
  path: prefix + path,
  headers: { ...headers },
  ...(body === null ? {} : { body }),
});

/** Received header names in lower case; a server uses few. */
const lowered = new Map<string, string>();
const mostNames = 1000;

function headersOf(raw: readonly string[]): Headers {
  const headers: Headers = {};
  for (let at = 0; at < raw.length; at += 2) {
    const given = raw[at]!;
    let name = lowered.get(given);
    if (name === undefined) {
      name = given.toLowerCase();
      if (lowered.size < mostNames) lowered.set(given, name);
    }
    const before = headers[name];
    headers[name] = before === undefined ? raw[at + 1]! : `${before}, ${raw[at + 1]!}`;
  }
  return headers;
}
