import autocannon, { type Client, type Request } from "autocannon";
import type { Headers } from "../conformance/judge/exchange.ts";
import { recorder, type Came } from "./came.ts";
import { machineClock, type Clock } from "./clock.ts";
import type { Planned } from "./planned.ts";

export interface ClosedLoop {
  baseUrl: string;
  /** Each connection sends them in turn and begins at another one; with `once` the connections share them out. */
  requests: readonly Planned[];
  /** Each request is sent exactly once; wants no amount and no seconds. */
  once?: boolean;
  connections: number;
  /** Requests in all, every one of them answered. */
  amount?: number;
  /** Or seconds; what is under way at their end is cut off and not reported. */
  seconds?: number;
  /** Ends a loop of some seconds earlier, after as many answers; a few more may be under way. */
  most?: number;
  onCame: (came: Came) => void;
  /** What tells when a request was sent and answered; the machine's unless told. */
  clock?: Clock;
}

/** Milliseconds between two looks at whether a loop has ended. */
const lookMs = 20;

/** Requests of a closed loop that got no answer. */
export interface Unanswered {
  errors: number;
  /** Seconds that the loop took. */
  seconds: number;
}

/** Sends as fast as the connections allow: each sends its next request when its last is answered. On autocannon. */
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
      let head = { statusCode: 0, headers: [] as string[] };
      client.on("request", () => {
        sent += 1;
        sentAt = clock.now();
      });
      client.on("headers", (received) => (head = received));
      client.on("response", () => {
        answered = { planned: mine[sent % mine.length]!, sentAt, answeredAt: clock.now(), head };
      });
    },
    // Called when the connection's next request is already under way, so that the server need not wait for the judge.
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

/** The answer whose body autocannon hands over next. */
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

/** Header names as they came, to lower case: a server has few. */
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
