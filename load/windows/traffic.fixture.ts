import { createLimiter, type WindowKind } from "../../reference-server/http/limiter.ts";
import type { Allowance } from "../../reference-server/parts.ts";
import { operations, type LimitedOperation } from "../../generated/contract.ts";
import { observationOf, type Observation } from "./observation.ts";

/** A request sent by a test; times in milliseconds. */
export interface Sent {
  at: number;
  account?: string;
  key?: string;
  operation?: LimitedOperation;
  /** The delay until it is counted, and from then until its answer arrives. */
  there?: number;
  back?: number;
}

export interface Served {
  kind: WindowKind;
  quota: number;
  windowSeconds: number;
  /** How far the server's clock is ahead, in milliseconds. */
  ahead?: number;
  /** The bucket of a request; account and operation by default. */
  bucketOf?: (sent: Required<Sent>) => string;
  /** Changes the limiter's verdict, given the server's time. */
  change?: (allowance: Allowance, now: number, sent: Required<Sent>) => Allowance;
  /** Changes the headers of the server's answers. */
  headers?: (headers: Record<string, string>, status: number) => Record<string, string>;
}

/** The answers of a server to some requests; it uses the reference's limiter. */
export async function answersTo(requests: readonly Sent[], served: Served): Promise<Observation[]> {
  const { kind, quota, windowSeconds, ahead = 0 } = served;
  const {
    bucketOf = ({ account, operation }: Required<Sent>) => `${operation} ${account}`,
    change = (allowance: Allowance) => allowance,
    headers = (given: Record<string, string>) => given,
  } = served;
  let now = 0;
  const limiter = createLimiter({ clock: { now: () => now }, windowSeconds, kind });
  const full = requests.map(
    ({ at, account = "one", key = "key 1", operation = "discover", there = 2, back = 2 }) => ({
      at,
      account,
      key,
      operation,
      there,
      back,
    }),
  );
  const observations: Observation[] = [];
  for (const sent of full.toSorted((one, other) => one.at + one.there - (other.at + other.there))) {
    now = Math.floor(sent.at + sent.there + ahead);
    const { allowed, limit, remaining, reset, retryAfter } = change(
      await limiter.take(bucketOf(sent), quota),
      now,
      sent,
    );
    const status = allowed ? 200 : 429;
    const seen = observationOf({
      request: {
        operation: sent.operation,
        step: sent.operation,
        sender: { account: sent.account, key: null, keyName: sent.key },
        method: "POST",
        path: operations[sent.operation].path,
        headers: {},
        body: null,
      },
      sentAt: sent.at,
      answeredAt: sent.at + sent.there + sent.back,
      exchange: {
        operation: sent.operation,
        account: sent.account,
        started_at: sent.at,
        duration_ms: sent.there + sent.back,
        request: { method: "POST", url: "http://127.0.0.1/api/v1/search", headers: {}, body: null },
        response: {
          status,
          headers: headers(
            {
              date: new Date(now).toUTCString(),
              "x-ratelimit-limit": String(limit),
              "x-ratelimit-remaining": String(remaining),
              "x-ratelimit-reset": String(reset),
              ...(allowed ? {} : { "retry-after": String(retryAfter) }),
            },
            status,
          ),
          body: "{}",
        },
        error: null,
      },
    });
    observations.push(seen!);
  }
  return observations;
}

/** Concurrent requests, spread over some keys. */
export const burst = (at: number, amount: number, keys = ["key 1", "key 2"]): Sent[] =>
  Array.from({ length: amount }, (_, index) => ({
    at: at + index * 0.2,
    key: keys[index % keys.length]!,
    there: 1 + (index % 7),
    back: 1 + (index % 3),
  }));
