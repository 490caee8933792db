import autocannon, { type Client, type Request } from "autocannon";
import type { Headers } from "../conformance/exchange.ts";
import { nowMs, type Came, type Planned } from "./planned.ts";

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
  const { baseUrl, requests, seconds } = loop;
  const amount = loop.once ? requests.length : loop.amount;
  const connections = Math.min(loop.connections, amount ?? Infinity);
  const base = baseUrl.replace(/\/+$/, "");
  const prefix = new URL(base).pathname.replace(/\/$/, "");
  let opened = 0;
  let answers = 0;
  const instance = autocannon({
    url: base,
    connections,
    requests: [toAutocannon(requests[0]!, prefix, () => undefined)],
    sampleInt: lookMs,
    timeout: 30,
    ...(amount === undefined ? { duration: seconds ?? 1 } : { amount }),
    setupClient: (client: Client) => {
      const number = opened++;
      const from = number % requests.length;
      const mine = loop.once
        ? requests.filter((_, index) => index % connections === number)
        : [...requests.slice(from), ...requests.slice(0, from)];
      let sentAt = 0;
      client.on("request", () => (sentAt = nowMs()));
      client.setRequests(
        mine.map((planned) =>
          toAutocannon(planned, prefix, (status, body, headers) => {
            loop.onCame(cameOf(base, planned, sentAt, { status, body, headers }));
            if ((answers += 1) === loop.most) instance.stop();
          }),
        ),
      );
    },
  });
  const result = await instance;
  return { errors: result.errors, seconds: result.duration };
}

function toAutocannon(
  { method, path, headers, body }: Planned,
  prefix: string,
  onResponse: (status: number, body: string, headers: Headers) => void,
): Request {
  return {
    method,
    path: prefix + path,
    headers: { ...headers },
    ...(body === null ? {} : { body }),
    onResponse: (status, text, _context, received) => onResponse(status, text, lowered(received)),
  };
}

const lowered = (headers: Record<string, string | string[]>): Headers => {
  const result: Headers = {};
  for (const name in headers) {
    const value = headers[name]!;
    result[name.toLowerCase()] = typeof value === "string" ? value : value.join(", ");
  }
  return result;
};

/** The exchange of a planned request and its answer; a credential does not stand in it. */
export function cameOf(
  base: string,
  planned: Planned,
  sentAt: number,
  response: Came["exchange"]["response"],
  error: string | null = null,
): Came {
  const answeredAt = nowMs();
  const { authorization, ...open } = planned.headers;
  return {
    planned,
    sentAt,
    answeredAt,
    exchange: {
      operation: planned.operation,
      account: planned.sender.account,
      started_at: Math.round(sentAt),
      duration_ms: Math.round((answeredAt - sentAt) * 1000) / 1000,
      request: {
        method: planned.method,
        url: base + planned.path,
        headers:
          authorization === undefined
            ? open
            : { ...open, authorization: `Bearer «${planned.sender.keyName}»` },
        body: planned.body,
      },
      response,
      error,
    },
  };
}
