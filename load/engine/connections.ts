import { validateHeaderValue } from "node:http";
import net from "node:net";
import tls from "node:tls";
import httpParser from "http-parser-js";
import { machineClock, type Clock } from "./clock.ts";
import type { Answer, Headers, Request, Sent } from "./request.ts";

/** Sends requests over as many connections as needed, one at a time over each. */
export interface Connections {
  /**
   * Sends a request; `done` is called once, with the answer or with the reason why there is none.
   * @param localAddress the client address to send from, over a connection of its own
   */
  send<R extends Request>(request: R, done: (sent: Sent<R>) => void, localAddress?: string): void;
  /** Ends the requests that are under way without an answer, for a reason. */
  cut(reason: Error): void;
  close(): void;
}

const mebi = 1024 * 1024;
/** The most bytes of one answer, and of all that are under way. */
const maxBytes = 16 * mebi;
const maxTotalBytes = 128 * mebi;
/** Time limits of an answer, checked by a sweep over the requests under way. */
const silenceSeconds = 30;
const wholeSeconds = 60;
const sweepSeconds = 0.5;
/** Idle connections are replaced before common servers close theirs (Node: 5 s). */
const maxIdleMs = 4_000;
/** A connection that was idle for so long may have been closed while the next request was on its way. */
const raceIdleMs = 500;

/** A request under way. */
interface Job {
  request: Request;
  done: (sent: Sent<Request>) => void;
  sentAt: number;
  localAddress: string | undefined;
  /** The head of the answer so far, and its body. */
  head: { statusCode: number; headers: string[]; shouldKeepAlive: boolean } | null;
  chunks: Buffer[];
  size: number;
  /** Sweeps since it was sent, and since something arrived. */
  sweeps: number;
  silentSweeps: number;
  repeated: boolean;
}

/**
 * Opens the way to a server.
 * @param maxConnections further requests wait until a connection is free
 * @param ca a certificate (PEM) that is trusted beside the usual ones
 */
export function openConnections(
  baseUrl: string,
  {
    clock = machineClock,
    maxConnections = 1024,
    ca,
  }: { clock?: Clock; maxConnections?: number; ca?: string | undefined } = {},
): Connections {
  const url = new URL(baseUrl);
  const encode = encoder(url);
  const busy = new Set<Connection>();
  const idle: Connection[] = [];
  const queue: Job[] = [];
  let totalBytes = 0;

  const finish = (
    { size, request, done, sentAt }: Job,
    answer: Answer | Error,
    answeredAt = clock.now(),
  ): void => {
    totalBytes -= size;
    done({ request, sentAt, answeredAt, answer });
  };

  const begin = (job: Job, connection: Connection): void => {
    busy.add(connection);
    connection.perform(job, encode(job.request));
  };

  const open = (localAddress?: string): Connection => {
    const connection: Connection = new Connection(connect(url, ca, localAddress), {
      received: (job, bytes) => {
        job.silentSweeps = 0;
        job.size += bytes;
        totalBytes += bytes;
        if (job.size > maxBytes)
          return `the answer is larger than ${maxBytes / mebi} MiB, the most that is read`;
        return totalBytes > maxTotalBytes
          ? "the answer is too large beside the others that are under way"
          : null;
      },
      answered: (job, answer, reusable) => {
        busy.delete(connection);
        const now = (connection.idleSince = clock.now());
        if (!reusable || localAddress !== undefined) connection.close();
        const next = queue.shift();
        if (next !== undefined) begin(next, connection.isOpen ? connection : open());
        else if (connection.isOpen) idle.push(connection);
        finish(job, answer, now);
      },
      lost: (job, error, raced) => {
        busy.delete(connection);
        const at = idle.indexOf(connection);
        if (at >= 0) idle.splice(at, 1);
        if (job === null) return;
        if (raced && !job.repeated) return begin({ ...job, repeated: true }, open());
        const next = queue.shift();
        if (next !== undefined) begin(next, open());
        finish(job, error);
      },
    });
    return connection;
  };

  /** A connection that has not been idle for too long; the last used one first. */
  const reuse = (now: number): Connection | undefined => {
    const connection = idle.pop();
    if (connection === undefined) return undefined;
    connection.idleMs = now - connection.idleSince;
    if (connection.idleMs <= maxIdleMs) return connection;
    // Those below have been idle for longer.
    for (const old of [connection, ...idle.splice(0)]) old.close();
    return undefined;
  };

  const sweep = setInterval(() => {
    for (const connection of busy) connection.sweep();
  }, 1000 * sweepSeconds);
  sweep.unref();

  return {
    send(request, done, localAddress) {
      const sentAt = clock.now();
      const job: Job = {
        request,
        done: done as Job["done"],
        sentAt,
        localAddress,
        head: null,
        chunks: [],
        size: 0,
        sweeps: 0,
        silentSweeps: 0,
        repeated: false,
      };
      if (localAddress !== undefined) return begin(job, open(localAddress));
      const connection = reuse(sentAt);
      if (connection !== undefined) begin(job, connection);
      else if (busy.size < maxConnections) begin(job, open());
      else queue.push(job);
    },
    cut(reason) {
      const waiting = queue.splice(0);
      for (const connection of [...busy]) connection.fail(reason);
      for (const job of waiting) finish(job, reason);
    },
    close() {
      clearInterval(sweep);
      for (const connection of idle.splice(0)) connection.close();
      for (const connection of busy) connection.close();
    },
  };
}

interface Events {
  /** Something of the body has arrived. @returns why no more of it is read, or null */
  received: (job: Job, bytes: number) => string | null;
  answered: (job: Job, answer: Answer, reusable: boolean) => void;
  /** The connection has ended. `raced`: the server may have closed it before the request arrived. */
  lost: (job: Job | null, error: Error, raced: boolean) => void;
}

/** The part of http-parser-js that is used here; its own types are of another version. */
interface Parser {
  /** @returns an Error if the bytes are not HTTP */
  execute(bytes: Buffer): unknown;
  finish(): unknown;
}
interface ParserEvents {
  kOnHeadersComplete: (head: { statusCode: number; headers: string[]; shouldKeepAlive: boolean }) => void;
  kOnBody: (chunk: Buffer, offset: number, length: number) => void;
  kOnMessageComplete: () => void;
}
const { HTTPParser } = httpParser as unknown as {
  HTTPParser: (new (type: string) => Parser) & Record<keyof ParserEvents, number> & { RESPONSE: string };
};

/** A parser of answers, with its events. */
function parserOf(events: ParserEvents): Parser {
  const parser = new HTTPParser(HTTPParser.RESPONSE);
  for (const [name, listener] of Object.entries(events))
    Object.assign(parser, { [HTTPParser[name as keyof ParserEvents]]: listener });
  return parser;
}

/** One connection, with at most one request under way. */
class Connection {
  readonly #socket: net.Socket;
  readonly #events: Events;
  #job: Job | null = null;
  #used = false;
  isOpen = true;
  idleSince = 0;
  idleMs = 0;

  constructor(socket: net.Socket, events: Events) {
    this.#socket = socket;
    this.#events = events;
    const parser = parserOf({
      kOnHeadersComplete: (head) => {
        if (this.#job !== null) this.#job.head = head;
      },
      kOnBody: (chunk, offset, length) => {
        const job = this.#job;
        if (job === null) return;
        job.chunks.push(chunk.subarray(offset, offset + length));
        const refused = events.received(job, length);
        if (refused !== null) this.fail(new Error(refused));
      },
      kOnMessageComplete: () => this.#complete(),
    });
    socket.setNoDelay(true);
    socket.on("data", (chunk) => {
      if (this.#job === null) return this.fail(new Error("the server sent more than was asked for"));
      this.#job.silentSweeps = 0;
      const error = parser.execute(chunk);
      if (error instanceof Error) this.fail(new Error(`the answer is not HTTP: ${error.message}`));
    });
    socket.on("error", (error) => this.fail(error));
    socket.on("close", () => {
      // A body without a length ends with its connection.
      if (this.#job?.head != null) parser.finish();
      this.fail(
        new Error(this.#job?.head != null ? "the connection ended within the answer" : "socket hang up"),
      );
    });
  }

  perform(job: Job, bytes: Buffer): void {
    this.#job = job;
    this.#socket.write(bytes);
  }

  /** Ends the connection and its request, without an answer. */
  fail(error: Error): void {
    if (!this.isOpen) return;
    const job = this.#job;
    const raced =
      this.#used && this.idleMs >= raceIdleMs && job !== null && job.head === null && isLoss(error);
    this.#job = null;
    this.close();
    this.#events.lost(job, error, raced);
  }

  /** Counts the time of its request. */
  sweep(): void {
    const job = this.#job;
    if (job === null) return;
    job.sweeps += 1;
    job.silentSweeps += 1;
    if (job.silentSweeps * sweepSeconds > silenceSeconds)
      this.fail(new Error(`no answer within the deadline of ${silenceSeconds} s`));
    else if (job.sweeps * sweepSeconds > wholeSeconds)
      this.fail(new Error(`the answer did not end within ${wholeSeconds} s`));
  }

  close(): void {
    this.isOpen = false;
    this.#socket.destroy();
  }

  #complete(): void {
    const job = this.#job;
    if (job === null || job.head === null) return;
    const { statusCode, headers, shouldKeepAlive } = job.head;
    // An interim answer, such as 103.
    if (statusCode < 200) {
      job.head = null;
      return;
    }
    const body = (job.chunks.length === 1 ? job.chunks[0]! : Buffer.concat(job.chunks)).toString("utf8");
    this.#job = null;
    this.#used = true;
    const reusable = this.isOpen && shouldKeepAlive;
    this.#events.answered(job, { status: statusCode, headers: headersOf(headers), body }, reusable);
  }
}

/** Whether the other side has closed the connection. */
const isLoss = (error: Error): boolean =>
  error.message === "socket hang up" ||
  ["ECONNRESET", "EPIPE"].includes((error as NodeJS.ErrnoException).code ?? "");

function connect(url: URL, ca?: string, localAddress?: string): net.Socket {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const secure = url.protocol === "https:";
  const to = {
    host,
    port: Number(url.port || (secure ? 443 : 80)),
    ...(localAddress !== undefined && { localAddress }),
  };
  if (!secure) return net.connect(to);
  return tls.connect({
    ...to,
    ALPNProtocols: ["http/1.1"],
    ...(ca !== undefined && { ca: [...tls.rootCertificates, ca] }),
    ...(net.isIP(host) === 0 && { servername: host }),
  });
}

/** Encodes requests to a server, each of them once. */
function encoder(url: URL): (request: Request) => Buffer {
  const prefix = url.pathname.replace(/\/+$/, "");
  const encoded = new WeakMap<Request, Buffer>();
  const encode = (request: Request): Buffer => {
    const { method, path, headers, body } = request;
    const lines = [`${method} ${prefix}${path} HTTP/1.1`, `host: ${url.host}`, "connection: keep-alive"];
    for (const [name, value] of Object.entries(headers)) {
      validateHeaderValue(name, value);
      lines.push(`${name}: ${value}`);
    }
    if (body !== null) lines.push(`content-length: ${Buffer.byteLength(body)}`);
    const bytes = Buffer.concat([
      Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1"),
      Buffer.from(body ?? "", "utf8"),
    ]);
    encoded.set(request, bytes);
    return bytes;
  };
  return (request) => encoded.get(request) ?? encode(request);
}

/** Received header names in lower case; a server uses few. */
const lowered = new Map<string, string>();
const maxNames = 1000;

function headersOf(raw: readonly string[]): Headers {
  const headers: Headers = {};
  for (let at = 0; at < raw.length; at += 2) {
    const given = raw[at]!;
    let name = lowered.get(given);
    if (name === undefined) {
      name = given.toLowerCase();
      if (lowered.size < maxNames) lowered.set(given, name);
    }
    const before = headers[name];
    headers[name] = before === undefined ? raw[at + 1]! : `${before}, ${raw[at + 1]!}`;
  }
  return headers;
}
