import http from "node:http";
import https from "node:https";
import type { AddressInfo } from "node:net";
import type { Headers } from "../exchange.ts";
import { contractVersion } from "../rules/general.ts";
import { operationAt, unfolded } from "./har-entry.ts";
import { Masking, type Unmasked } from "./masking.ts";
import { TrafficJudge, type Live, type Party } from "./traffic-judge.ts";

export interface ProxyOptions {
  /** The server behind it: its origin, or its base URL where that does not end in /api/v1 right after the origin. */
  target: string;
  /** 0 takes a free one. */
  port?: number;
  host?: string;
  party: Party;
  /** The traffic is all that its clients do, from their start to their end. */
  complete?: boolean;
  /** Answers 502 in the place of an answer by which a `must` was broken. */
  enforce?: boolean;
  /** A certificate authority that signed the target's certificate, in PEM. */
  ca?: Buffer;
  /** Told of every breach as it is found. */
  onBreach?: (live: Live) => void;
  /** Epoch milliseconds; the system's clock unless told. */
  now?: () => number;
}

export interface Proxy {
  port: number;
  baseUrl: string;
  judge: TrafficJudge;
  /** Waits until all that has passed is judged. */
  settled: () => Promise<void>;
  close: () => Promise<void>;
}

/** Bytes of one body that are kept for judgement; a longer one passes all the same, and is judged in part. */
const longestBody = 4 * 1024 * 1024;
/** Bytes that may wait for judgement; what comes beyond is passed on and counted as partial, without its bodies. */
const mostWaiting = 64 * 1024 * 1024;

/** Judgement waits for a quiet moment of so many milliseconds, or until so many exchanges have come together. */
const quietMs = 5;
const mostQueued = 200;

/** Headers that belong to one connection, not to the message (RFC 9110, 7.6.1). */
const ofConnection = new Set(["connection", "keep-alive", "proxy-connection", "te", "trailer", "upgrade"]);

/** What passed, unjudged. */
interface Passed {
  exchange: Unmasked;
  partial: boolean;
  size: number;
}

/** The bytes of a body as they pass, up to a length. */
class Copy {
  readonly #chunks: Buffer[] = [];
  size = 0;
  cut = false;

  add(chunk: Buffer): void {
    if (this.size + chunk.length > longestBody) this.cut = true;
    if (this.cut) return;
    this.#chunks.push(chunk);
    this.size += chunk.length;
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#chunks);
  }
}

/**
 * Starts a reverse proxy that judges what it passes on. Requests and answers go through byte by byte as they come; the
 * judgement happens beside, and in the order in which answers end.
 */
export async function startProxy(options: ProxyOptions): Promise<Proxy> {
  const { party, enforce = false, now = Date.now, host = "127.0.0.1" } = options;
  const target = new URL(options.target);
  const secure = target.protocol === "https:";
  const prefix = target.pathname.replace(/\/+$/, "") || "/api/v1";
  const baseUrl = target.origin + prefix;
  const agent = new (secure ? https : http).Agent({ keepAlive: true, maxSockets: 1024 });
  const send = secure ? https.request : http.request;
  const masking = new Masking();
  const judge = new TrafficJudge(party, options.complete ?? false);

  const judged = ({ exchange, partial }: Passed): Live[] => {
    const live = judge.see({ exchange: masking.mask(exchange), partial });
    for (const one of live) options.onBreach?.(one);
    return live;
  };

  const queue: Passed[] = [];
  let waiting = 0;
  let idle: (() => void)[] = [];
  let working = false;
  const work = (): void => {
    const next = queue.shift();
    if (next === undefined) {
      working = false;
      for (const resolve of idle.splice(0)) resolve();
      return;
    }
    waiting -= next.size;
    judged(next);
    setImmediate(work);
  };
  let pause: NodeJS.Timeout | undefined;
  const begin = (): void => {
    clearTimeout(pause);
    pause = undefined;
    if (working) return;
    working = true;
    setImmediate(work);
  };
  const later = (passed: Passed): void => {
    const full = waiting + passed.size > mostWaiting;
    const kept = full ? withoutBodies(passed) : passed;
    queue.push(kept);
    waiting += kept.size;
    if (queue.length >= mostQueued) begin();
    else if (!working) {
      pause ??= setTimeout(begin, quietMs);
      pause.refresh();
    }
  };

  const server = http.createServer((request, response) => {
    const startedAt = now();
    const started = performance.now();
    const url = target.origin + (request.url ?? "/");
    const method = request.method ?? "GET";
    const sent = new Copy();
    let isDone = false;
    const passed = (answer: Unmasked["response"], error: string | null, partial: boolean): Passed | null => {
      if (isDone) return null;
      isDone = true;
      const body = sent.bytes.toString("utf8");
      return {
        exchange: {
          operation: operationAt(method, url, baseUrl),
          started_at: startedAt,
          duration_ms: Math.round((performance.now() - started) * 1000) / 1000,
          request: { method, url, headers: joined(request.headers), body: body === "" ? null : body },
          response: answer,
          error,
        },
        partial: partial || sent.cut,
        size: sent.size + (answer?.body.length ?? 0),
      };
    };
    const finish = (answer: Unmasked["response"], error: string | null, partial = false): void => {
      const one = passed(answer, error, partial);
      if (one !== null) later(one);
    };

    const onward = send(
      {
        hostname: target.hostname.replace(/^\[|\]$/g, ""),
        port: target.port,
        method,
        path: request.url ?? "/",
        headers: messageHeaders(request.rawHeaders, target.host),
        agent,
        ...(options.ca && { ca: options.ca }),
      },
      (incoming) => {
        const copy = new Copy();
        const status = incoming.statusCode ?? 502;
        const head = messageHeaders(incoming.rawHeaders);
        let held = enforce;
        const writeHead = (): void => void response.writeHead(status, incoming.statusMessage, head);
        if (!held) writeHead();
        incoming.on("data", (chunk: Buffer) => {
          copy.add(chunk);
          if (held && copy.cut) {
            // Too long to be held back: it passes unjudged in its body, as without --enforce.
            held = false;
            writeHead();
            response.write(copy.bytes);
          }
          if (held) return;
          if (!response.write(chunk)) {
            incoming.pause();
            response.once("drain", () => incoming.resume());
          }
        });
        incoming.on("error", (error) => {
          finish(null, `the answer broke off: ${error.message}`);
          response.destroy();
        });
        incoming.on("end", () => {
          const headers = joined(incoming.headers);
          const { body, partial } = textOf(copy, headers, method);
          const one = passed({ status, headers, body }, null, partial);
          if (one === null) return;
          if (!held) {
            response.end();
            later(one);
            return;
          }
          const broken = judged(one).find(({ level }) => level === "must");
          if (broken !== undefined) return refuse(response, sentenceOf(broken));
          writeHead();
          response.end(copy.bytes);
        });
      },
    );
    onward.on("error", (error) => {
      finish(null, error.message);
      if (response.headersSent) response.destroy();
      else refuse(response, `${target.origin} gave no answer: ${error.message}`);
    });
    response.on("close", () => {
      if (response.writableFinished) return;
      finish(null, "the client left before the answer was there");
      onward.destroy();
    });
    request.on("data", (chunk: Buffer) => {
      sent.add(chunk);
      if (!onward.write(chunk)) {
        request.pause();
        onward.once("drain", () => request.resume());
      }
    });
    request.on("end", () => onward.end());
    request.on("error", () => onward.destroy());
  });

  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port ?? 0, host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  const settled = (): Promise<void> =>
    new Promise((resolve) => {
      idle.push(resolve);
      begin();
    });
  return {
    port,
    baseUrl: `http://${host.includes(":") ? `[${host}]` : host}:${port}${prefix}`,
    judge,
    settled,
    async close() {
      const ended = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await ended;
      agent.destroy();
      await settled();
      idle = [];
    },
  };
}

const sentenceOf = ({ rule, breach }: Live): string =>
  `The answer breaks ${rule.clauses[0]}, ${rule.title}: expected ${breach.expected}, received ${breach.received}.`;

/** An answer of the proxy's own: the contract's error object. */
function refuse(response: http.ServerResponse, message: string): void {
  const body = JSON.stringify({ status: "failure", message, status_code: 502, data: null });
  response
    .writeHead(502, {
      "Content-Type": "application/json; charset=utf-8",
      "Content-Length": Buffer.byteLength(body),
      "X-Service-Api-Version": contractVersion,
    })
    .end(body);
}

/** The headers as they came, names and order unchanged, but for those of the connection. */
function messageHeaders(raw: readonly string[], host?: string): string[] {
  const headers: string[] = [];
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index]!;
    const lower = name.toLowerCase();
    if (ofConnection.has(lower) || (lower === "transfer-encoding" && host === undefined)) continue;
    headers.push(name, lower === "host" && host !== undefined ? host : raw[index + 1]!);
  }
  return headers;
}

function joined(headers: http.IncomingHttpHeaders): Headers {
  const result: Headers = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) result[name] = Array.isArray(value) ? value.join(", ") : value;
  }
  return result;
}

function textOf(copy: Copy, headers: Headers, method: string): { body: string; partial: boolean } {
  if (copy.cut || method === "HEAD") return { body: "", partial: true };
  try {
    return { body: unfolded(copy.bytes, headers).toString("utf8"), partial: false };
  } catch {
    return { body: "", partial: true };
  }
}

const withoutBodies = ({ exchange }: Passed): Passed => ({
  exchange: {
    ...exchange,
    request: { ...exchange.request, body: null },
    response: exchange.response && { ...exchange.response, body: "" },
  },
  partial: true,
  size: 0,
});
