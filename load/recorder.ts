import type { Exchange } from "../conformance/judge/exchange.ts";
import { askedOf, type Asked } from "../conformance/judge/seen.ts";
import type { Sent } from "./engine/request.ts";
import type { Planned } from "./planned.ts";

/** The outcome of a planned request, as an exchange; times in milliseconds since the epoch, with fractions. */
export interface Reply extends Sent<Planned> {
  exchange: Exchange;
  /** The request as rules see it. */
  asked: Asked;
}

/** Records the exchanges with one server. A planned request is prepared once, however often it is sent. */
export function recorder(baseUrl: string): (sent: Sent<Planned>) => Reply {
  const base = baseUrl.replace(/\/+$/, "");
  const prepared = new WeakMap<Planned, { recorded: Exchange["request"]; asked: Asked }>();
  const prepare = (planned: Planned) => {
    const { authorization, ...open } = planned.headers;
    const recorded = {
      method: planned.method,
      url: base + planned.path,
      // Credentials are left out of the recording.
      headers:
        authorization === undefined ? open : { ...open, authorization: `Bearer «${planned.sender.keyName}»` },
      body: planned.body,
    };
    const both = { recorded, asked: askedOf({ request: recorded }) };
    prepared.set(planned, both);
    return both;
  };
  return (sent) => {
    const { request, sentAt, answeredAt, answer } = sent;
    const { recorded, asked } = prepared.get(request) ?? prepare(request);
    const failed = answer instanceof Error;
    const exchange = {
      operation: request.operation,
      account: request.sender.account,
      started_at: Math.round(sentAt),
      duration_ms: Math.round((answeredAt - sentAt) * 1000) / 1000,
      request: recorded,
      response: failed ? null : answer,
      error: failed ? answer.message : null,
    };
    return { request, sentAt, answeredAt, answer, exchange, asked };
  };
}
