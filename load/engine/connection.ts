import net from "node:net";
import tls from "node:tls";
import { AnswerReader } from "./answer-reader.ts";
import type { Answer, Request, Sent } from "./request.ts";

/** Time limits of an answer, checked by a sweep over the requests under way. */
const silenceSeconds = 30;
const wholeSeconds = 60;
export const sweepSeconds = 0.5;
/** A connection that was idle this long may have been closed while the next request was on its way. */
const raceIdleMs = 500;
/** The most bytes of one read; each connection reads into one buffer. */
const readBytes = 32 * 1024;

/** A request under way. */
export interface Job {
  request: Request;
  done: (sent: Sent<Request>) => void;
  sentAt: number;
  /** The bytes of its answer's body so far. */
  size: number;
  /** Sweeps since it was sent, and since something arrived. */
  sweeps: number;
  silentSweeps: number;
  repeated: boolean;
}

/** A server, as a socket reaches it. */
export interface Destination {
  url: URL;
  /** A certificate (PEM) to trust in addition to the usual ones. */
  ca: string | undefined;
  /** The client address to send from. */
  localAddress?: string | undefined;
}

export interface ConnectionEvents {
  /** Something of the body has arrived. @returns why no more of it is read, or null */
  received: (job: Job, bytes: number) => string | null;
  answered: (connection: Connection, job: Job, answer: Answer, reusable: boolean) => void;
  /** The connection has ended. `raced`: the server may have closed it before the request arrived. */
  lost: (connection: Connection, job: Job | null, error: Error, raced: boolean) => void;
}

/** One connection, with at most one request under way. */
export class Connection {
  readonly #socket: net.Socket;
  readonly #events: ConnectionEvents;
  readonly #reader = new AnswerReader({
    body: (bytes) => {
      const refused = this.#job === null ? null : this.#events.received(this.#job, bytes);
      if (refused !== null) this.fail(new Error(refused));
    },
    answer: (answer, reusable) => this.#complete(answer, reusable),
  });
  #job: Job | null = null;
  #used = false;
  isOpen = true;
  idleSince = 0;
  idleMs = 0;

  constructor(to: Destination, events: ConnectionEvents) {
    this.#events = events;
    this.#socket = connect(to, (bytes) => this.#read(bytes));
    this.#socket.setNoDelay(true);
    this.#socket.on("error", (error) => this.fail(error));
    this.#socket.on("close", () => {
      this.#reader.end();
      this.fail(
        new Error(this.#reader.isWithin ? "the connection ended within the answer" : "socket hang up"),
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
    const raced = this.#used && this.idleMs >= raceIdleMs && !this.#reader.isWithin && isLoss(error);
    this.#job = null;
    this.close();
    this.#events.lost(this, job, error, raced);
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

  #read(bytes: Buffer): void {
    if (this.#job === null) return this.fail(new Error("the server sent more than was asked for"));
    this.#job.silentSweeps = 0;
    const error = this.#reader.read(bytes);
    if (error instanceof Error) this.fail(new Error(`the answer is not HTTP: ${error.message}`));
  }

  #complete(answer: Answer, reusable: boolean): void {
    const job = this.#job;
    if (job === null) return;
    this.#job = null;
    this.#used = true;
    this.#events.answered(this, job, answer, reusable && this.isOpen);
  }
}

/** Whether the other side has closed the connection. */
const isLoss = (error: Error): boolean =>
  error.message === "socket hang up" ||
  ["ECONNRESET", "EPIPE"].includes((error as NodeJS.ErrnoException).code ?? "");

/** Opens a socket. `read` sees what arrives in a buffer that is used again: one for each read would cost more. */
function connect({ url, ca, localAddress }: Destination, read: (bytes: Buffer) => void): net.Socket {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const secure = url.protocol === "https:";
  const buffer = Buffer.allocUnsafe(readBytes);
  const to = {
    host,
    port: Number(url.port || (secure ? 443 : 80)),
    ...(localAddress !== undefined && { localAddress }),
    onread: {
      buffer,
      callback: (length: number) => {
        read(buffer.subarray(0, length));
        return true;
      },
    },
  };
  if (!secure) return net.connect(to);
  return tls.connect({
    ...to,
    ALPNProtocols: ["http/1.1"],
    ...(ca !== undefined && { ca: [...tls.rootCertificates, ca] }),
    ...(net.isIP(host) === 0 && { servername: host }),
  });
}
