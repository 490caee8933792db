import http from "node:http";
import https from "node:https";
import type { Headers } from "../conformance/judge/exchange.ts";
import { recorder, type Came } from "./came.ts";
import { Budget } from "../conformance/judge/budget.ts";
import { receive } from "../conformance/server/receive.ts";
import { machineClock, type Clock } from "./clock.ts";
import type { Planned } from "./planned.ts";

/** Sends single requests over as many connections as needed. */
export interface Sending {
  /**
   * Sends one request; an answer that does not arrive gives an exchange without one. Never rejects.
   * @param intendedAt the start of its latency in epoch milliseconds; now by default
   * @param localAddress the client address to send from
   */
  send(planned: Planned, intendedAt?: number, localAddress?: string): Promise<Came>;
  close(): void;
}

const mebi = 1024 * 1024;
/** The most bytes of one answer that are read. */
export const mostOfAnswer = 16 * mebi;
/** The limits of an answer, and of all that are under way. */
const bounds = { silenceMs: 30_000, wholeMs: 60_000, bytes: mostOfAnswer };
const mostTogether = 128 * mebi;

export function openSending(baseUrl: string, clock: Clock = machineClock): Sending {
  const base = baseUrl.replace(/\/+$/, "");
  const url = new URL(base);
  const { request, Agent } = url.protocol === "https:" ? https : http;
  const agent = new Agent({ keepAlive: true, maxSockets: 1024 });
  const prefix = url.pathname.replace(/\/$/, "");
  const record = recorder(base);
  const together = new Budget(mostTogether);
  return {
    send: (planned, intendedAt = clock.now(), localAddress) =>
      new Promise((resolve) => {
        const headers: Headers = { ...planned.headers };
        if (planned.body !== null) headers["content-length"] = String(Buffer.byteLength(planned.body));
        const fail = (error: Error): void => resolve(record(planned, intendedAt, clock.now(), error));
        const sent = request({
          hostname: url.hostname.replace(/^\[|\]$/g, ""),
          port: url.port,
          method: planned.method,
          path: prefix + planned.path,
          headers,
          agent: localAddress === undefined ? agent : false,
          localAddress,
        });
        sent.end(planned.body ?? undefined);
        receive(sent, { ...bounds, together }).then(({ incoming, bytes }) => {
          const received: Headers = {};
          for (const [name, value] of Object.entries(incoming.headers)) {
            if (value !== undefined) received[name] = Array.isArray(value) ? value.join(", ") : value;
          }
          const status = incoming.statusCode ?? 0;
          const body = bytes.toString("utf8");
          resolve(record(planned, intendedAt, clock.now(), { status, headers: received, body }));
        }, fail);
      }),
    close: () => agent.destroy(),
  };
}

export interface OpenLoop {
  /** Starts per second, regardless of those still running. */
  rate: number;
  seconds: number;
  /** Runs the work intended for a moment, in epoch milliseconds; latencies count from it. */
  begin: (index: number, intendedAt: number) => Promise<void>;
  clock?: Clock;
  /** Ends the loop early; work that has started is awaited. */
  signal?: AbortSignal;
}

/**
 * Starts work at a fixed rate. The moment of each start is set in advance and latencies count from it, so that delays
 * by a slow server or a busy sender are included.
 */
export async function openLoop({
  rate,
  seconds,
  begin,
  clock = machineClock,
  signal,
}: OpenLoop): Promise<void> {
  const startAt = clock.now();
  const total = Math.max(1, Math.round(rate * seconds));
  const underWay = new Set<Promise<void>>();
  for (let begun = 0; begun < total && !signal?.aborted;) {
    const due = Math.min(total, Math.floor(((clock.now() - startAt) * rate) / 1000) + 1);
    for (; begun < due; begun += 1) {
      const ended = begin(begun, startAt + (begun * 1000) / rate).finally(() => underWay.delete(ended));
      underWay.add(ended);
    }
    await clock.pause(startAt + (begun * 1000) / rate - clock.now());
  }
  await Promise.all(underWay);
}
