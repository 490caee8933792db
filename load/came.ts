import type { Exchange, Headers } from "../conformance/judge/exchange.ts";
import { askedOf, type Asked } from "../conformance/judge/seen.ts";
import type { Planned } from "./planned.ts";

/** The result of a planned request; times in milliseconds since the epoch, with fractions. */
export interface Came {
  exchange: Exchange;
  planned: Planned;
  /** The request as rules see it. */
  asked: Asked;
  sentAt: number;
  answeredAt: number;
}

/** The answer, or the reason why there is none. */
export type Received = { status: number; headers: Headers; body: string } | Error;

/** Records the exchanges with one server. A planned request is prepared once, however often it is sent. */
export function recorder(baseUrl: string) {
  const prepared = new WeakMap<Planned, { request: Exchange["request"]; asked: Asked }>();
  const prepare = (planned: Planned) => {
    const { authorization, ...open } = planned.headers;
    const request = {
      method: planned.method,
      url: baseUrl + planned.path,
      // Credentials are left out of the recording.
      headers:
        authorization === undefined ? open : { ...open, authorization: `Bearer «${planned.sender.keyName}»` },
      body: planned.body,
    };
    const both = { request, asked: askedOf({ request }) };
    prepared.set(planned, both);
    return both;
  };
  return (planned: Planned, sentAt: number, answeredAt: number, received: Received): Came => {
    const { request, asked } = prepared.get(planned) ?? prepare(planned);
    const failed = received instanceof Error;
    return {
      planned,
      asked,
      sentAt,
      answeredAt,
      exchange: {
        operation: planned.operation,
        account: planned.sender.account,
        started_at: Math.round(sentAt),
        duration_ms: Math.round((answeredAt - sentAt) * 1000) / 1000,
        request,
        response: failed ? null : received,
        error: failed ? received.message : null,
      },
    };
  };
}
