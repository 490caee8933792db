import { readFile } from "node:fs/promises";
import http from "node:http";
import https from "node:https";
import type { Exchange } from "../../judge/exchange.ts";
import type { ClientAnswer, ClientRequest, Send } from "./transport.ts";

/** A clock that advances by itself, and jumps when a client sleeps. */
export class LeapingClock {
  #ahead = 0;

  readonly now = (): number => Date.now() + this.#ahead;

  readonly sleep = (ms: number): Promise<void> => {
    this.#ahead += ms;
    return Promise.resolve();
  };
}

/** Everything a sample client sends and receives, recorded as a browser would: with its secrets. */
export class Recorder {
  readonly exchanges: Exchange[] = [];
  readonly #clock: LeapingClock;
  readonly #caFile: string;
  /** Whether to lose the answer of a request in transit. */
  loses: (request: ClientRequest) => boolean = () => false;

  /** @param caFile the authority of the object storage, there at the latest when something is to be downloaded */
  constructor(clock: LeapingClock, caFile: string) {
    this.#clock = clock;
    this.#caFile = caFile;
  }

  readonly send: Send = async (request) => {
    const startedAt = this.#clock.now();
    const ca = request.url.startsWith("https:") ? await readFile(this.#caFile) : undefined;
    const received = await sendOnce(request, ca);
    const answer = this.loses(request) ? null : received;
    this.exchanges.push({
      operation: null,
      account: null,
      started_at: startedAt,
      duration_ms: this.#clock.now() - startedAt,
      request: { ...request, body: request.body ?? null },
      response: answer,
      error: answer === null ? "socket hang up" : null,
    });
    return answer;
  };
}

/** Sends one request over HTTP or HTTPS; null when there is no complete answer. */
export function sendOnce(
  { method, url, headers, body }: ClientRequest,
  ca?: Buffer,
): Promise<ClientAnswer | null> {
  return new Promise((resolve) => {
    const { request } = url.startsWith("https:") ? https : http;
    const outgoing = request(url, { method, headers, agent: false, ...(ca && { ca }) }, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
      incoming.on("error", () => resolve(null));
      incoming.on("end", () =>
        resolve({
          status: incoming.statusCode ?? 0,
          headers: Object.fromEntries(
            Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]),
          ),
          body: Buffer.concat(chunks).toString("utf8"),
        }),
      );
    });
    outgoing.on("error", () => resolve(null));
    outgoing.end(body);
  });
}
