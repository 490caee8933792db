import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import {
  basePath,
  limitedOperations,
  operations,
  responseHeaders,
  type LimitedOperation,
} from "../../generated/contract.ts";
import type { Quotas } from "../config.ts";
import { versionHeader } from "../http/app.ts";
import { failure } from "../http/operation.ts";
import type { Clock } from "../parts.ts";
import { choose, throwFor } from "./dice.ts";
import type { Faults } from "./faults.ts";

type Kind = "lost" | "cut" | "limited" | "slow" | "timeout";

/** How often each fault strikes the requests of an operation. The contract permits all of them: see docs/traffic.md. */
const shares: Readonly<Record<string, Readonly<Partial<Record<Kind, number>>>>> = {
  "POST /search": { limited: 0.08, slow: 0.1, lost: 0.03 },
  "POST /tools/by-ids": { limited: 0.08, slow: 0.1, lost: 0.05 },
  "POST /tools/probe": { limited: 0.08, slow: 0.1, timeout: 0.08 },
  "POST /tools/execute": { lost: 0.1, cut: 0.05, limited: 0.08, slow: 0.1 },
  "POST /capabilities/query": { lost: 0.08, slow: 0.1, timeout: 0.05 },
};

/** The values for the headers of a limited request. */
export interface Limits {
  quotas: Quotas;
  clock: Clock;
}

const quotaNames: Readonly<Record<string, LimitedOperation>> = Object.fromEntries(
  limitedOperations.map((id) => [`${operations[id].method} ${operations[id].path}`, id]),
);
const quotaOf = (operation: string, quotas: Quotas): number => quotas[quotaNames[operation] ?? "discover"];

const retryAfterSeconds = 2;
const slowMs = { least: 200, most: 1500 };

/**
 * Wraps a listener with faults: answers lost after the work was done and charged, truncated or late; requests limited
 * or timed out. The n-th request of an operation has the same fault in every run of a seed.
 */
export function unfriendly(listener: RequestListener, faults: Faults, limits: Limits): RequestListener {
  const counts = new Map<string, number>();
  return (request, response) => {
    const path = (request.url ?? "").replace(/\?.*$/s, "");
    const operation = path.startsWith(basePath)
      ? `${request.method ?? ""} ${path.slice(basePath.length)}`
      : "";
    const chances = Object.hasOwn(shares, operation) ? shares[operation] : undefined;
    if (chances === undefined) return listener(request, response);
    const count = (counts.get(operation) ?? 0) + 1;
    counts.set(operation, count);
    const kind = choose<Kind>(throwFor(faults.seed, operation, count), chances);
    const say = (fault: string): void => faults.add(operation, count, fault);
    switch (kind) {
      case null:
        return listener(request, response);
      case "lost":
        say("the answer is lost after the work was done");
        lose(response, false);
        return listener(request, response);
      case "cut":
        say("the answer is cut short after the work was done");
        lose(response, true);
        return listener(request, response);
      case "slow": {
        const share = throwFor(faults.seed, "how slow", operation, count);
        const ms = Math.round(slowMs.least + share * (slowMs.most - slowMs.least));
        say(`the answer is ${ms} ms late`);
        delay(response, ms);
        return listener(request, response);
      }
      case "limited":
        say(`the request is limited for ${retryAfterSeconds} s`);
        return limit(request, response, quotaOf(operation, limits.quotas), limits.clock);
      case "timeout":
        say("the request times out, and nothing was done");
        return timeOut(operation, request, response);
    }
  };
}

type End = (chunk?: unknown) => ServerResponse;

/** Does the work, but sends none or half of the answer. */
function lose(response: ServerResponse, half: boolean): void {
  const chunks: Buffer[] = [];
  const keep = (chunk: unknown): void => {
    if (typeof chunk === "string" || chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk));
  };
  const write = response.write.bind(response) as (chunk: Buffer, done: () => void) => boolean;
  response.write = ((chunk: unknown) => {
    keep(chunk);
    return true;
  }) as typeof response.write;
  response.end = ((chunk?: unknown) => {
    keep(chunk);
    const body = Buffer.concat(chunks);
    if (!half || body.length < 2) {
      response.destroy();
      return response;
    }
    response.setHeader("Content-Length", body.length);
    write(body.subarray(0, body.length >> 1), () => response.destroy());
    return response;
  }) satisfies End as typeof response.end;
}

function delay(response: ServerResponse, ms: number): void {
  const end = response.end.bind(response) as End;
  response.end = ((chunk?: unknown) => {
    setTimeout(() => end(chunk), ms);
    return response;
  }) satisfies End as typeof response.end;
}

function answer(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  body: object,
  headers: Record<string, string> = {},
): void {
  request.resume();
  response
    .writeHead(status, { ...versionHeader, ...headers, "Content-Type": "application/json; charset=utf-8" })
    .end(JSON.stringify(body));
}

/** A 429 in the contract's form. */
function limit(request: IncomingMessage, response: ServerResponse, quota: number, clock: Clock): void {
  const body = failure(429, `Too many requests; try again in ${retryAfterSeconds} s.`);
  answer(request, response, 429, body, {
    Date: new Date(clock.now()).toUTCString(),
    [responseHeaders.retryAfter]: String(retryAfterSeconds),
    [responseHeaders.rateLimitLimit]: String(quota),
    [responseHeaders.rateLimitRemaining]: "0",
    [responseHeaders.rateLimitReset]: String(Math.ceil(clock.now() / 1000) + retryAfterSeconds),
  });
}

/** The way in which each operation reports a timeout behind it. */
function timeOut(operation: string, request: IncomingMessage, response: ServerResponse): void {
  const status = operation === "POST /tools/probe" ? 504 : 408;
  answer(request, response, status, failure(status, "The upstream service did not answer in time."));
}
