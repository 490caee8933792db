import http from "node:http";
import https from "node:https";
import { rootCertificates } from "node:tls";
import { operations, type OperationId } from "../../generated/contract.ts";
import { TooLarge, unfolded } from "../judge/content-coding.ts";
import { Budget } from "../judge/budget.ts";
import { cutTo, parsedOnce, type Exchange, type Headers } from "../judge/exchange.ts";
import { moment } from "../judge/moment.ts";
import { operationOf } from "../judge/operations.ts";
import { Blocked, NotThere, Unverifiable } from "../judge/verdict.ts";
import { Answer } from "../judge/answer.ts";
import { Allowance } from "./allowance.ts";
import { Presence, wentAway } from "./presence.ts";
import { receive, requireShallow, type Bounds } from "./receive.ts";
import type { Secrets } from "./secrets.ts";
import { Waiting } from "./waiting.ts";

/** A request to send. The path is relative to the base URL and includes the query. */
export interface Outgoing {
  method: string;
  path: string;
  headers?: Headers;
  body?: string;
  /** The sender: the label of an account. */
  account?: string | null;
  /** The base URL of another address of the server; the client's own by default. */
  at?: string;
}

export interface ClientOptions {
  /** Certificates (PEM) that are trusted in addition to the usual ones. */
  ca?: string | undefined;
  /** Whether records are used only by listeners, which mask what they pass on: bodies are left unmasked. */
  forgets?: boolean;
  /** Why the server does not have an operation; undefined where it has it. */
  off?: (operation: OperationId | null) => string | undefined;
}

/** Receives each exchange; `json` is the answer's body as JSON. */
type Listener = (exchange: Exchange, json: () => unknown) => void;

/**
 * A connection idle for this long is closed and not reused: the server might close it at the same moment and leave the
 * request unanswered, which is not a fault.
 */
const maxIdleMs = 1_000;

/** How long a request that was not received is sent again, and the time between attempts. */
const unreachedMs = 3_000;
const betweenMs = 100;

/** After this time an answer counts as late, and waiting for it consumes the run's budget. */
const lateMs = 10_000;

const mebi = 1024 * 1024;
/** The maximum size of one answer, in bytes. */
const maxAnswerBytes = 16 * mebi;
/** The maximum total size of answers in transit or in use by checks, in bytes. */
const maxTogether = 128 * mebi;

/** Characters of a body kept in a record, and the smaller limit once all records together fill `maxKept`. */
const maxRecordedCharacters = { first: mebi / 2, afterwards: 2_048 };
const maxKept = 64 * mebi;

/** Sends requests to the server under test and records every exchange. */
export class Client {
  readonly baseUrl: string;
  readonly #secrets: Secrets;
  readonly #agent: http.Agent;
  /** Opens a connection for each request. A Call may be paid for, and cannot be sent again on another connection. */
  readonly #agentOfOne: http.Agent;
  readonly #send: typeof http.request;
  readonly #listeners = new Set<Listener>();
  readonly #base: URL;
  /** The run's budget of waiting. */
  readonly waiting: Waiting;
  readonly allowance: Allowance;
  /** Budget for the size of answers. */
  readonly together = new Budget(maxTogether);
  readonly #kept = new Budget(maxKept);
  /** Whether any answer has shown that the server limits requests. */
  showsLimits = false;
  /** The operations that have answered anything but 429. */
  readonly letIn = new Set<OperationId | null>();
  #roundTrips: number[] = [];
  #median = 100;

  readonly presence = new Presence(() => this.#greet());
  readonly #options: ClientOptions;

  /** @param baseUrl includes the path prefix of the API, such as `http://127.0.0.1:8080/api/v1` */
  constructor(
    baseUrl: string,
    secrets: Secrets,
    waiting = new Waiting(),
    allowance = new Allowance(),
    options: ClientOptions = {},
  ) {
    this.#options = options;
    this.waiting = waiting;
    this.allowance = allowance;
    this.baseUrl = baseUrl.replace(/\/+$/, "");
    this.#secrets = secrets;
    this.#base = new URL(this.baseUrl);
    const secure = this.#base.protocol === "https:";
    const agent = (idleMs?: number): http.Agent =>
      new (secure ? https : http).Agent({
        ...(idleMs !== undefined && { keepAlive: true, maxSockets: 256, timeout: idleMs }),
        ...(options.ca !== undefined && { ca: [...rootCertificates, options.ca] }),
        // As curl does, except that a machine reaches itself without a proxy.
        ...(!isLoopback(this.#base.hostname) && { proxyEnv: process.env }),
      });
    this.#agent = agent(maxIdleMs);
    this.#agentOfOne = agent();
    this.presence.signal.addEventListener("abort", () => waiting.end(wentAway()));
    this.#send = secure ? https.request : http.request;
  }

  /** Calls the listener with every exchange from now on; returns a function that unsubscribes. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** A client of the same server, within the same limits, without listeners. */
  unheard(): Client {
    return new Client(this.baseUrl, this.#secrets, this.waiting, this.allowance, this.#options);
  }

  /** The median round trip of the last hundred answers, in milliseconds; 100 before the first. */
  get roundTrip(): number {
    return this.#median;
  }

  /** The timeout for an answer: 30 s, or more for a server that is consistently slow. */
  get deadline(): number {
    return Math.max(30_000, 50 * this.roundTrip);
  }

  /**
   * Sends one request and returns the answer, whatever its status. Listeners receive the whole exchange; the answer's
   * record may hold only the beginning of the body.
   * @throws Unverifiable when the run's limits exclude the request, its budget of waiting is used up, or the server
   *   went away
   * @throws Blocked when there is no usable answer: refused, reset, timed out, endless, too large, or nested too deeply
   */
  async send(outgoing: Outgoing): Promise<Answer> {
    if (this.waiting.leftMs === 0) throw this.waiting.usedUp;
    if (this.presence.gone !== null) throw wentAway();
    const declared = this.#options.off?.(operationOf(outgoing.method, outgoing.path.replace(/\?.*$/, "")));
    if (declared !== undefined) throw new NotThere(declared);
    await this.allowance.admit(outgoing);
    if (this.allowance.exhausted !== null) this.waiting.end(this.allowance.exhausted);
    const { at, since } = moment();
    const answered = this.waiting.sleepers?.send();
    const url = `${outgoing.at ?? this.baseUrl}${outgoing.path}`;
    const operation = operationOf(outgoing.method, outgoing.path.replace(/\?.*$/, ""));
    const headers: Headers = { accept: acceptedFrom(operation), ...outgoing.headers };
    if (outgoing.body !== undefined) {
      headers["content-type"] ??= "application/json";
      headers["content-length"] = String(Buffer.byteLength(outgoing.body));
    }
    const record = (response: Exchange["response"], error: string | null, json?: () => unknown): Exchange =>
      this.#record(
        outgoing,
        {
          started_at: at + this.waiting.aheadMs,
          duration_ms: Math.round((performance.now() - since) * 1000) / 1000,
        },
        { method: outgoing.method, url, headers, body: outgoing.body ?? null },
        response,
        error,
        json,
      );
    let inTime: (() => void) | undefined;
    const late = setTimeout(() => {
      inTime = this.waiting.begin(
        `the answer to ${outgoing.method} ${outgoing.path}`,
        this.deadline - lateMs,
      );
      void this.presence.doubt(performance.now() - lateMs);
    }, lateMs);

    try {
      const changes = operation === null ? outgoing.method !== "GET" : operations[operation].changes !== null;
      const { incoming, bytes } = await this.#received(outgoing, headers, changes);
      const received = joined(incoming.headers);
      this.waiting.sleepers?.learn(received["date"]);
      const text = textOf(bytes, received["content-encoding"]);
      requireShallow(text);
      const status = incoming.statusCode ?? 0;
      this.showsLimits ||= status === 429 || "x-ratelimit-limit" in received;
      if (status !== 429) this.letIn.add(operation);
      this.#measure(performance.now() - since);
      if (operation === "registerAnonymous") this.#learnFrom(text);
      const json = parsedOnce(text);
      const exchange = record({ status, headers: received, body: text }, null, json);
      const answer = new Answer(status, received, text, exchange, json);
      this.allowance.learn(outgoing, answer.body);
      return answer;
    } catch (error) {
      const { message } = error as Error;
      const exchange = record(null, message);
      if (error instanceof Unverifiable) throw error;
      throw new Blocked(`no answer to ${outgoing.method} ${outgoing.path}: ${message}`, exchange);
    } finally {
      answered?.();
      clearTimeout(late);
      inTime?.();
    }
  }

  /**
   * Sends a request and reads its answer. The request is sent again where it cannot have had an effect: the connection
   * was refused, or it is a read on an idle connection that the server closed.
   */
  async #received(
    outgoing: Outgoing,
    headers: Headers,
    changes: boolean,
  ): Promise<Awaited<ReturnType<typeof receive>>> {
    const until = performance.now() + unreachedMs;
    for (let agent = changes ? this.#agentOfOne : this.#agent; ;) {
      const begun = performance.now();
      const request = this.#requestOf(outgoing, headers, agent);
      request.once("response", () => this.presence.hear()).end(outgoing.body);
      try {
        return await receive(request, this.#bounds);
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        const isCut = code === "ECONNRESET" || code === "EPIPE";
        if (isCut && request.reusedSocket) agent = this.#agentOfOne;
        else {
          const reachedNobody = neverSent(error);
          const asked = `${outgoing.method} ${outgoing.path} ${outgoing.body ?? ""}`.trim();
          if (!reachedNobody) this.presence.miss(this.#secrets.mask(asked).slice(0, 120));
          await this.presence.doubt(Math.max(begun, performance.now() - lateMs));
          // Only a connection that the server cut may mean that it has ended.
          if (this.presence.gone !== null && !isCut) throw wentAway();
          if (!reachedNobody || !this.presence.hasAnswered || performance.now() > until) throw error;
          await new Promise((resolve) => setTimeout(resolve, betweenMs));
        }
      }
    }
  }

  #requestOf({ method, path, at }: Outgoing, headers: Headers, agent: http.Agent): http.ClientRequest {
    const { hostname, port, pathname } = at === undefined ? this.#base : new URL(at);
    return this.#send({
      hostname: hostname.replace(/^\[|\]$/g, ""),
      port,
      method,
      path: pathname.replace(/\/$/, "") + path,
      headers,
      agent,
      signal: this.presence.signal,
    });
  }

  /** Asks the server for any answer at all, on a separate connection. */
  async #greet(): Promise<void> {
    const asked = { method: "GET", path: "/auth/credits" };
    await this.allowance.admit(asked);
    const request = this.#requestOf(asked, {}, this.#agentOfOne);
    await receive(request.end(), { silenceMs: this.deadline, bytes: maxAnswerBytes });
  }

  /** Records an exchange with its secrets masked, and notifies the listeners. */
  #record(
    { method, path, account }: Outgoing,
    times: Pick<Exchange, "started_at" | "duration_ms">,
    request: Exchange["request"],
    response: Exchange["response"],
    error: string | null,
    json: () => unknown = () => undefined,
  ): Exchange {
    const { forgets = false } = this.#options;
    const masked = <Message extends Exchange["request"] | NonNullable<Exchange["response"]>>(
      message: Message,
    ) => ({
      ...message,
      headers: this.#secrets.maskHeaders(message.headers),
      body: (message.body === null || forgets
        ? message.body
        : this.#secrets.mask(message.body)) as Message["body"],
    });
    const exchange: Exchange = {
      operation: operationOf(method, path.replace(/\?.*$/, "")),
      account: account ?? null,
      ...times,
      request: { ...masked(request), url: this.#secrets.mask(request.url) },
      response: response && masked(response),
      error,
    };
    const isMasked = exchange.response?.body !== response?.body;
    const shown = isMasked ? parsedOnce(exchange.response!.body) : json;
    for (const listener of this.#listeners) listener(exchange, shown);
    if (!forgets) this.keep(exchange);
    return exchange;
  }

  /** The time and size limits of an answer, within the rest of the run's budget of waiting. */
  get #bounds(): Bounds {
    const maxMs = lateMs + this.waiting.leftMs;
    return {
      silenceMs: Math.min(this.deadline, maxMs),
      wholeMs: Math.min(4 * this.deadline, maxMs),
      bytes: maxAnswerBytes,
      together: this.together,
    };
  }

  /** Truncates the bodies of a record, so that a run's records stay within `maxKept`. */
  keep(exchange: Exchange): void {
    cutTo(maxRecordedCharacters.first, exchange);
    if (!this.#kept.take(exchange.response?.body.length ?? 0))
      cutTo(maxRecordedCharacters.afterwards, exchange);
  }

  /** Closes the kept-alive connections. */
  close(): void {
    this.#agent.destroy();
  }

  /** Adds a round trip to the median, recomputed for the first ten and then every tenth. */
  #measure(roundTrip: number): void {
    this.#roundTrips.push(roundTrip);
    const count = this.#roundTrips.length;
    if (count > 10 && count % 10 !== 0) return;
    this.#median = this.#roundTrips.toSorted((one, other) => one - other)[count >> 1]!;
    if (count >= 100) this.#roundTrips = this.#roundTrips.slice(-50);
  }

  #learnFrom(text: string): void {
    try {
      this.#secrets.learnFrom(JSON.parse(text));
    } catch {
      // Not JSON: nothing to learn, and the schema rule reports it.
    }
  }
}

/**
 * A body without its content coding, as text; left encoded when it does not match its header, which the rules report.
 * @throws TooLarge when it would exhaust memory
 */
export function textOf(bytes: Buffer, encoding: string | undefined): string {
  try {
    return unfolded(bytes, encoding).toString("utf8");
  } catch (error) {
    if (error instanceof TooLarge) throw new TooLarge(`the body is ${error.message}`);
    return bytes.toString("utf8");
  }
}

/** The content types that a client of the operation accepts: a refused export is JSON too. */
const acceptedFrom = (operation: OperationId | null): string =>
  operation !== null && operations[operation].answer === "csv"
    ? "text/csv, application/json;q=0.5"
    : "application/json";

function joined(headers: http.IncomingHttpHeaders): Headers {
  const result: Headers = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) result[name] = Array.isArray(value) ? value.join(", ") : value;
  }
  return result;
}

/** Whether a request failed before any part of it was sent. */
function neverSent(error: unknown): boolean {
  const { syscall } = (error instanceof AggregateError ? error.errors[0] : error) as NodeJS.ErrnoException;
  return syscall === "connect" || syscall === "getaddrinfo";
}

const isLoopback = (hostname: string): boolean => /^(localhost|127\.[\d.]+|\[::1\])$/.test(hostname);
