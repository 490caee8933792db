import http from "node:http";
import https from "node:https";
import type { Headers } from "../conformance/judge/exchange.ts";
import { recorder, type Came } from "./came.ts";
import { machineClock, type Clock } from "./clock.ts";
import type { Planned } from "./planned.ts";

/** Sends single requests, on as many connections as it takes. */
export interface Sending {
  /**
   * Sends one request; an answer that does not come is an exchange without one. Never rejects.
   * @param intendedAt from when its latency counts, in epoch milliseconds; now unless told
   * @param localAddress the client address to send from
   */
  send(planned: Planned, intendedAt?: number, localAddress?: string): Promise<Came>;
  close(): void;
}

/** How long an answer is waited for, in milliseconds. */
const deadline = 30_000;

export function openSending(baseUrl: string, clock: Clock = machineClock): Sending {
  const base = baseUrl.replace(/\/+$/, "");
  const url = new URL(base);
  const { request, Agent } = url.protocol === "https:" ? https : http;
  const agent = new Agent({ keepAlive: true, maxSockets: 1024 });
  const prefix = url.pathname.replace(/\/$/, "");
  const record = recorder(base);
  return {
    send: (planned, intendedAt = clock.now(), localAddress) =>
      new Promise((resolve) => {
        const headers: Headers = { ...planned.headers };
        if (planned.body !== null) headers["content-length"] = String(Buffer.byteLength(planned.body));
        const fail = (error: Error): void => resolve(record(planned, intendedAt, clock.now(), error));
        const sent = request(
          {
            hostname: url.hostname.replace(/^\[|\]$/g, ""),
            port: url.port,
            method: planned.method,
            path: prefix + planned.path,
            headers,
            agent: localAddress === undefined ? agent : false,
            localAddress,
          },
          (incoming) => {
            const chunks: Buffer[] = [];
            incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
            incoming.on("error", fail);
            incoming.on("end", () => {
              const received: Headers = {};
              for (const [name, value] of Object.entries(incoming.headers)) {
                if (value !== undefined) received[name] = Array.isArray(value) ? value.join(", ") : value;
              }
              const body = Buffer.concat(chunks).toString("utf8");
              const status = incoming.statusCode ?? 0;
              resolve(record(planned, intendedAt, clock.now(), { status, headers: received, body }));
            });
          },
        );
        sent.setTimeout(deadline, () => sent.destroy(new Error("no answer within 30 s")));
        sent.on("error", fail);
        sent.end(planned.body ?? undefined);
      }),
    close: () => agent.destroy(),
  };
}

export interface OpenLoop {
  /** Beginnings a second, whatever becomes of those before. */
  rate: number;
  seconds: number;
  /** Does what begins at a moment, in epoch milliseconds; latencies count from it. */
  begin: (index: number, intendedAt: number) => Promise<void>;
  clock?: Clock;
  /** Ends it before its time; what has begun is waited for. */
  signal?: AbortSignal;
}

/**
 * Begins at a fixed rate. The moment of each beginning is set beforehand, and its latency counts from that moment: what
 * a slow server, or a busy sender, delays is not left out.
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
