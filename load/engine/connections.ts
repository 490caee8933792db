import { machineClock, type Clock } from "./clock.ts";
import { Connection, sweepSeconds, type ConnectionEvents, type Destination, type Job } from "./connection.ts";
import { encoder } from "./encoder.ts";
import type { Request, Sent } from "./request.ts";

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
/** Idle connections are replaced before common servers close theirs (Node: 5 s). */
const maxIdleMs = 4_000;

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
  return new Pool({ url: new URL(baseUrl), ca }, clock, maxConnections);
}

class Pool implements Connections {
  readonly #to: Destination;
  readonly #clock: Clock;
  readonly #maxConnections: number;
  readonly #encode: (request: Request) => Buffer;
  readonly #busy = new Set<Connection>();
  /** The last used one is last. */
  readonly #idle: Connection[] = [];
  readonly #queue: Job[] = [];
  readonly #sweep: NodeJS.Timeout;
  #totalBytes = 0;

  constructor(to: Destination, clock: Clock, maxConnections: number) {
    this.#to = to;
    this.#clock = clock;
    this.#maxConnections = maxConnections;
    this.#encode = encoder(to.url);
    this.#sweep = setInterval(() => {
      for (const connection of this.#busy) connection.sweep();
    }, 1000 * sweepSeconds).unref();
  }

  send<R extends Request>(request: R, done: (sent: Sent<R>) => void, localAddress?: string): void {
    const sentAt = this.#clock.now();
    const job: Job = {
      request,
      done: done as Job["done"],
      sentAt,
      size: 0,
      sweeps: 0,
      silentSweeps: 0,
      repeated: false,
    };
    if (localAddress !== undefined) return this.#begin(job, this.#open(localAddress));
    const connection = this.#reusable(sentAt);
    if (connection !== undefined) this.#begin(job, connection);
    else if (this.#busy.size < this.#maxConnections) this.#begin(job, this.#open());
    else this.#queue.push(job);
  }

  cut(reason: Error): void {
    const waiting = this.#queue.splice(0);
    for (const connection of [...this.#busy]) connection.fail(reason);
    for (const job of waiting) this.#finish(job, reason);
  }

  close(): void {
    clearInterval(this.#sweep);
    for (const connection of this.#idle.splice(0)) connection.close();
    for (const connection of this.#busy) connection.close();
  }

  #begin(job: Job, connection: Connection): void {
    this.#busy.add(connection);
    connection.perform(job, this.#encode(job.request));
  }

  #finish(
    { size, request, done, sentAt }: Job,
    answer: Sent<Request>["answer"],
    answeredAt = this.#clock.now(),
  ): void {
    this.#totalBytes -= size;
    done({ request, sentAt, answeredAt, answer });
  }

  /** A new connection; one from an address of its own is used once. */
  #open(localAddress?: string): Connection {
    return new Connection(
      { ...this.#to, localAddress },
      localAddress === undefined ? this.#kept : this.#once,
    );
  }

  /** A connection that has not been idle for too long; the last used one first. */
  #reusable(now: number): Connection | undefined {
    const connection = this.#idle.pop();
    if (connection === undefined) return undefined;
    connection.idleMs = now - connection.idleSince;
    if (connection.idleMs <= maxIdleMs) return connection;
    // Those below have been idle for longer.
    for (const old of [connection, ...this.#idle.splice(0)]) old.close();
    return undefined;
  }

  readonly #kept: ConnectionEvents = {
    received: (job, bytes) => {
      job.size += bytes;
      this.#totalBytes += bytes;
      if (job.size > maxBytes)
        return `the answer is larger than ${maxBytes / mebi} MiB, the most that is read`;
      return this.#totalBytes > maxTotalBytes
        ? "the answer is too large together with the others under way"
        : null;
    },
    answered: (connection, job, answer, reusable) => {
      this.#busy.delete(connection);
      const now = (connection.idleSince = this.#clock.now());
      if (!reusable) connection.close();
      const next = this.#queue.shift();
      if (next !== undefined) this.#begin(next, connection.isOpen ? connection : this.#open());
      else if (connection.isOpen) this.#idle.push(connection);
      this.#finish(job, answer, now);
    },
    lost: (connection, job, error, raced) => {
      this.#busy.delete(connection);
      const at = this.#idle.indexOf(connection);
      if (at >= 0) this.#idle.splice(at, 1);
      if (job === null) return;
      if (raced && !job.repeated) return this.#begin({ ...job, repeated: true }, this.#open());
      const next = this.#queue.shift();
      if (next !== undefined) this.#begin(next, this.#open());
      this.#finish(job, error);
    },
  };

  readonly #once: ConnectionEvents = {
    ...this.#kept,
    answered: (connection, job, answer) => this.#kept.answered(connection, job, answer, false),
  };
}
