import tls from "node:tls";
import autocannon, { type Client } from "autocannon";
import { machineClock, type Clock } from "./clock.ts";
import { Unfinished, type Answer, type Headers, type Request, type Sent } from "./request.ts";

export interface Saturation<R extends Request> {
  baseUrl: string;
  /** A certificate (PEM) to trust in addition to the usual ones. */
  ca?: string | undefined;
  /** Each connection sends all of them in turn, starting at a different one. */
  requests: readonly R[];
  connections: number;
  /** Requests under way at the end are awaited. */
  seconds: number;
  /** Ends the loop early after this many answers; a few more may be under way. */
  maxAnswers?: number;
  onSent: (sent: Sent<R>) => void;
  clock?: Clock;
  /** Ends the loop early; requests under way have no answer. */
  signal?: AbortSignal | undefined;
}

/** How long a server may be silent, in seconds. */
const silenceSeconds = 30;
/** The pause of a connection after a request that was not answered, in milliseconds. */
const errorPauseMs = 50;
/** The most bytes of an answer's head, and of its body. */
const maxHeadBytes = 1024 * 1024;
const maxBodyBytes = 16 * 1024 * 1024;
/** Milliseconds between autocannon's looks at whether all its connections are done. */
const sampleMs = 20;

/**
 * Sends as fast as the server allows, with autocannon: each connection sends its next request when the last one is
 * answered. Every answer is passed on, of any status, with the request that it answers.
 * @returns its duration in seconds
 */
export async function saturate<R extends Request>(loop: Saturation<R>): Promise<number> {
  const { baseUrl, ca, requests, connections, seconds, clock = machineClock, signal } = loop;
  const { origin, pathname } = new URL(baseUrl);
  const prefix = pathname.replace(/\/+$/, "");
  const startAt = clock.now();
  const endAt = startAt + 1000 * seconds;
  let ended = 0;
  const lanes: Lane<R>[] = [];
  const ends = {
    isOver: () => ended >= (loop.maxAnswers ?? Infinity) || signal?.aborted === true || clock.now() >= endAt,
    onSent: (sent: Sent<R>): void => {
      ended += 1;
      loop.onSent(sent);
    },
  };
  const cut = (): void => {
    for (const lane of lanes) lane.cut();
  };
  signal?.addEventListener("abort", cut);
  try {
    if (signal?.aborted !== true)
      await autocannon({
        url: origin,
        connections,
        // The connections end by themselves.
        duration: seconds + 2 * silenceSeconds,
        timeout: silenceSeconds,
        sampleInt: sampleMs,
        skipAggregateResult: true,
        ...(ca !== undefined && { tlsOptions: { ca: [...tls.rootCertificates, ca] } }),
        setupClient(client) {
          const first = lanes.length % requests.length;
          const inTurn = [...requests.slice(first), ...requests.slice(0, first)];
          client.setRequests(
            inTurn.map(({ method, path, headers, body }) => ({
              ...{ method, path: prefix + path, headers: { ...headers } },
              ...(body !== null && { body }),
            })),
          );
          lanes.push(new Lane(client, inTurn, clock, ends));
        },
      });
  } finally {
    signal?.removeEventListener("abort", cut);
  }
  return (clock.now() - startAt) / 1000;
}

/** What one connection has under way. */
interface UnderWay<R extends Request> {
  request: R;
  sentAt: number;
  head: { statusCode: number; headers: string[]; shouldKeepAlive: boolean } | null;
  chunks: Buffer[];
  bytes: number;
}

/** When connections end, and where their answers go. */
interface Ends<R extends Request> {
  isOver: () => boolean;
  onSent: (sent: Sent<R>) => void;
}

/**
 * One connection of autocannon's, with what a judge needs besides: which request an answer belongs to when connections
 * close, interim answers that are not final, bytes that are not HTTP, and the reason why there is no answer.
 */
class Lane<R extends Request> {
  readonly #client: Client;
  readonly #requests: readonly R[];
  readonly #clock: Clock;
  readonly #ends: Ends<R>;
  #next = 0;
  #underWay: UnderWay<R> | null = null;
  /** An answer that is passed on once the next request is sent, so that judging does not hold the server up. */
  #answered: Sent<R> | null = null;
  #isClosing = false;
  #failure: Error | null = null;

  constructor(client: Client, requests: readonly R[], clock: Clock, ends: Ends<R>) {
    this.#client = client;
    this.#requests = requests;
    this.#clock = clock;
    this.#ends = ends;
    client.on("connError", (error) => (this.#failure = error));
    client.on("headers", (head) => {
      if (this.#underWay !== null) this.#underWay.head = head;
    });
    const connect = client._connect.bind(client);
    const send = client._doRequest.bind(client);
    client._doRequest = () => this.#send(send);
    // Its constructor connects when its parser is ready.
    client._connect = () => {
      this.#readBytes();
      client._connect = () => this.#connectAgain(connect);
      connect();
    };
  }

  /** Ends it, and the request under way without an answer. */
  cut(): void {
    this.#lose(new Unfinished());
    this.#client.destroy();
  }

  #send(send: () => void): void {
    const answered = this.#answered;
    this.#answered = null;
    if (!this.#isClosing) {
      // Autocannon listens for the end of a connection only after it has begun.
      if (this.#ends.isOver()) queueMicrotask(() => this.#client.destroy());
      else {
        const request = this.#requests[this.#next]!;
        this.#next = (this.#next + 1) % this.#requests.length;
        this.#underWay = { request, sentAt: this.#clock.now(), head: null, chunks: [], bytes: 0 };
        send();
      }
    }
    if (answered !== null) this.#ends.onSent(answered);
  }

  /** The connection has ended: its request is lost, unless the end completes its answer. */
  #connectAgain(connect: () => void): void {
    const { parser, pipelinedRequests } = this.#client;
    this.#isClosing = true;
    if (this.#underWay?.head) parser.finish();
    const isLost = this.#underWay !== null;
    this.#lose(this.#failure ?? this.#endOf(this.#underWay));
    this.#failure = null;
    pipelinedRequests.clear();
    parser.reinitialize("RESPONSE");
    this.#isClosing = false;
    if (this.#ends.isOver()) this.#client.destroy();
    else if (isLost) setTimeout(() => this.#client.destroyed || connect(), errorPauseMs);
    else connect();
  }

  #endOf(underWay: UnderWay<R> | null): Error {
    if (underWay?.head) return new Error("the connection ended within the answer");
    const isSilent = underWay !== null && this.#clock.now() - underWay.sentAt >= 1000 * silenceSeconds;
    return new Error(isSilent ? `no answer within the deadline of ${silenceSeconds} s` : "socket hang up");
  }

  #lose(error: Error): void {
    const lost = this.#underWay;
    if (lost === null) return;
    this.#underWay = null;
    const { request, sentAt } = lost;
    this.#ends.onSent({ request, sentAt, answeredAt: this.#clock.now(), answer: error });
  }

  /** Gives up the request under way, and its connection. */
  #fail(why: string): void {
    this.#failure = new Error(why);
    if (this.#underWay !== null) this.#underWay.head = null;
    this.#client._resetConnection();
  }

  /** Keeps bodies as bytes, since characters may arrive in halves. */
  #readBytes(): void {
    const { parser } = this.#client;
    const { kOnBody, kOnMessageComplete } = parser.constructor;
    parser.constructor.maxHeaderSize = maxHeadBytes;
    const complete = parser[kOnMessageComplete]! as () => void;
    parser[kOnBody] = (bytes: Buffer, offset: number, length: number) => {
      const underWay = this.#underWay;
      if (underWay === null) return;
      underWay.bytes += length;
      if (underWay.bytes > maxBodyBytes)
        return this.#fail(`the answer is larger than ${maxBodyBytes / 1024 ** 2} MiB, the most that is read`);
      underWay.chunks.push(Buffer.from(bytes.subarray(offset, offset + length)));
    };
    parser[kOnMessageComplete] = () => {
      const underWay = this.#underWay;
      // An interim answer, such as 103, is followed by another one.
      if (!underWay?.head || underWay.head.statusCode < 200) return;
      const { request, sentAt, head } = underWay;
      this.#underWay = null;
      this.#answered = {
        request,
        sentAt,
        answeredAt: this.#clock.now(),
        answer: answerOf(head, underWay.chunks),
      };
      const staysOpen = head.shouldKeepAlive || this.#isClosing;
      this.#isClosing ||= !staysOpen;
      complete();
      if (!staysOpen && !this.#client.destroyed) this.#client._resetConnection();
    };
    const execute = parser.execute.bind(parser);
    parser.execute = (bytes) => {
      const read = execute(bytes);
      if (!(read instanceof Error) || this.#client.destroyed) return read;
      this.#fail(`the answer is not HTTP: ${read.message}`);
      return read;
    };
  }
}

function answerOf(
  { statusCode: status, headers: raw }: NonNullable<UnderWay<Request>["head"]>,
  chunks: Buffer[],
): Answer {
  const headers: Headers = {};
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at]!.toLowerCase();
    const before = headers[name];
    headers[name] = before === undefined ? raw[at + 1]! : `${before}, ${raw[at + 1]!}`;
  }
  const body = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
  return { status, headers, body: body.toString("utf8") };
}
