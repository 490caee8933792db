import tls from "node:tls";
import { Client, errors, Pool, type Dispatcher } from "undici";
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
/** The most bytes of one answer's body, of its head, and of all bodies that are under way. */
const maxBytes = 16 * mebi;
const maxHeadBytes = mebi;
const maxTotalBytes = 128 * mebi;
/** How long a server may be silent, and an answer may take, in milliseconds. */
const silenceMs = 30_000;
const wholeMs = 60_000;
/** Milliseconds between looks at the requests that take too long. */
const sweepMs = 500;
/** Idle connections are replaced before common servers close theirs (Node: 5 s). */
const maxIdleMs = 4_000;
/** A connection that was idle this long may have been closed while the next request was on its way. */
const raceIdleMs = 500;

/**
 * Opens the way to a server.
 * @param maxConnections further requests wait until a connection is free
 * @param ca a certificate (PEM) to trust in addition to the usual ones
 */
export function openConnections(
  baseUrl: string,
  {
    clock = machineClock,
    maxConnections = 1024,
    ca,
  }: { clock?: Clock; maxConnections?: number; ca?: string | undefined } = {},
): Connections {
  const { origin, pathname } = new URL(baseUrl);
  const prefix = pathname.replace(/\/+$/, "");
  const options: Client.Options = {
    pipelining: 1,
    headersTimeout: silenceMs,
    bodyTimeout: silenceMs,
    keepAliveTimeout: maxIdleMs,
    keepAliveMaxTimeout: maxIdleMs,
    maxHeaderSize: maxHeadBytes,
    maxResponseSize: maxBytes,
  };
  const trusted = ca === undefined ? {} : { ca: [...tls.rootCertificates, ca] };
  const pool = new Pool(origin, { ...options, connections: maxConnections, connect: trusted });
  const underWay = new Set<Exchange>();
  const shared = { totalBytes: 0, answeredAt: -Infinity };
  const sweep = setInterval(() => {
    const now = clock.now();
    for (const exchange of underWay)
      if (now - exchange.sentAt > wholeMs)
        exchange.end(new Error(`the answer did not end within ${wholeMs / 1000} s`));
  }, sweepMs).unref();

  const begin = <R extends Request>(
    request: R,
    sentAt: number,
    done: (sent: Sent<R>) => void,
    { through = pool, mayRepeat = true }: { through?: Dispatcher; mayRepeat?: boolean } = {},
  ): void => {
    const idleMs = sentAt - shared.answeredAt;
    const exchange = new Exchange(sentAt, shared, (answer, raced) => {
      underWay.delete(exchange);
      if (raced && mayRepeat && idleMs >= raceIdleMs && idleMs < Infinity)
        return begin(request, sentAt, done, { mayRepeat: false });
      const answeredAt = clock.now();
      if (!(answer instanceof Error)) shared.answeredAt = answeredAt;
      done({ request, sentAt, answeredAt, answer });
    });
    underWay.add(exchange);
    const { method, path, headers, body } = request;
    through.dispatch({ method, path: prefix + path, headers, body }, exchange);
  };
  return {
    send(request, done, localAddress) {
      const sentAt = clock.now();
      if (localAddress === undefined) return begin(request, sentAt, done);
      const client = new Client(origin, { ...options, connect: trusted, localAddress });
      const closing: typeof done = (sent) => {
        void client.destroy();
        done(sent);
      };
      begin(request, sentAt, closing, { through: client, mayRepeat: false });
    },
    cut(reason) {
      for (const exchange of [...underWay]) exchange.end(reason);
    },
    close() {
      clearInterval(sweep);
      void pool.destroy();
    },
  };
}

/** A request under way, and what has arrived of its answer. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly sentAt: number;
  readonly #shared: { totalBytes: number };
  readonly #ended: (answer: Answer | Error, raced: boolean) => void;
  #controller: Dispatcher.DispatchController | null = null;
  #head: { status: number; headers: Headers } | null = null;
  #chunks: Buffer[] = [];
  #bytes = 0;
  #isOver = false;

  constructor(
    sentAt: number,
    shared: { totalBytes: number },
    ended: (answer: Answer | Error, raced: boolean) => void,
  ) {
    this.sentAt = sentAt;
    this.#shared = shared;
    this.#ended = ended;
  }

  /** Ends it, with an answer or without one. @param raced whether its connection may have been closed before it arrived */
  end(answer: Answer | Error, raced = false): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#shared.totalBytes -= this.#bytes;
    if (answer instanceof Error) this.#controller?.abort(answer);
    this.#ended(answer, raced);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#isOver) controller.abort(new Error("the request was cut before it was sent"));
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    // An interim answer, such as 103, is followed by another one.
    if (status >= 200) this.#head = { status, headers: joined(headers) };
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    this.#shared.totalBytes += chunk.length;
    if (this.#shared.totalBytes > maxTotalBytes)
      this.end(new Error("the answer is too large together with the others under way"));
  }

  onResponseEnd(): void {
    const [first = Buffer.alloc(0), ...others] = this.#chunks;
    const body = (others.length === 0 ? first : Buffer.concat(this.#chunks)).toString("utf8");
    this.end({ ...this.#head!, body });
  }

  onResponseError(_: Dispatcher.DispatchController | null, error: Error): void {
    const isWithin = this.#head !== null;
    this.end(inWords(error, isWithin), !isWithin && isLoss(error));
  }
}

function joined(headers: Record<string, string | string[] | undefined>): Headers {
  for (const [name, value] of Object.entries(headers))
    if (Array.isArray(value)) headers[name] = value.join(", ");
  return headers as Headers;
}

/** Whether the other side has closed the connection. */
const isLoss = (error: Error): boolean =>
  error instanceof errors.SocketError ||
  ["ECONNRESET", "EPIPE"].includes((error as NodeJS.ErrnoException).code ?? "");

/** Why there is no answer. */
function inWords(error: Error, isWithin: boolean): Error {
  if (isWithin && (isLoss(error) || error instanceof errors.ResponseContentLengthMismatchError))
    return new Error("the connection ended within the answer", { cause: error });
  if (error instanceof errors.HTTPParserError)
    return new Error(`the answer is not HTTP: ${error.message}`, { cause: error });
  if (error instanceof errors.HeadersTimeoutError || error instanceof errors.BodyTimeoutError)
    return new Error(`no answer within the deadline of ${silenceMs / 1000} s`, { cause: error });
  if (error instanceof errors.ResponseExceededMaxSizeError)
    return new Error(`the answer is larger than ${maxBytes / mebi} MiB, the most that is read`, {
      cause: error,
    });
  return error instanceof errors.SocketError ? new Error("socket hang up", { cause: error }) : error;
}
