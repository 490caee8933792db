import type { Express } from "express";
import type { Server as HttpServer, ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Config } from "./config.ts";
import { createApp, versionHeader, type Beside } from "./http/app.ts";
import { failure, type Operation, type OperationId, type Operations } from "./http/operation.ts";
import { http } from "./node-http.ts";
import { operations as allOperations } from "./operations/index.ts";
import { createPages } from "./pages/pages.ts";
import type { Parts } from "./parts.ts";
import { clockAddress, isTestClock } from "./test-clock.ts";

/** An assembled server; it listens once it is started. */
export interface Server {
  app: Express;
  listener: HttpServer;
  /** Starts listening and returns the port: the given one, or a free one for 0. Rejects if the port is taken. */
  start(port?: number): Promise<number>;
  /**
   * Accepts no more requests, lets those in flight end, even if their client has left, and closes idle connections;
   * hanging requests are cut off in the end.
   */
  stop(): Promise<void>;
}

/**
 * Changes to the reference that replace no part: additional routes, wrapped operations, another validator of requests
 * and answers.
 */
export interface ServerOptions {
  /**
   * How long a request may take to arrive, in ms; 30,000 by default. After that it is answered 408 and gives up its
   * place.
   */
  arrivalMs?: number;
  beside?: Beside[];
  operations?: Operations;
}

/** Connections that may be open for each place of a request; most are idle, and each can hold a head of 16 KiB. */
export const connectionsForEachPlace = 4;
/** How long `stop` waits for requests in flight. */
const stopDeadlineMs = 10_000;
const idleCheckMs = 50;
/** How long the rest of a malformed request is read and discarded. */
const lingerMs = 1_000;

/**
 * A server of the contract, from its configuration and its parts. Errors that Node would answer by itself (malformed
 * HTTP, oversized headers, an expectation, a missing Host) also carry the version header and the error object.
 */
export function createServer(config: Config, parts: Parts, options: ServerOptions = {}): Server {
  const beside = [...outsideTheApi(config, parts), ...(options.beside ?? [])];
  const { arrivalMs = 30_000, operations = allOperations } = options;
  const { followed, inFlight } = follow(operations);
  const app = createApp(config, parts, followed, beside);
  const listener = http.createServer(
    {
      requireHostHeader: false,
      keepAliveTimeout: 30_000,
      headersTimeout: arrivalMs,
      requestTimeout: arrivalMs,
      connectionsCheckingInterval: arrivalMs / 10,
    },
    (request, response) => {
      // No other protocol is supported. Node stops reporting malformed data on a connection that asked for an upgrade,
      // so it is closed.
      if (request.headers.upgrade !== undefined) response.shouldKeepAlive = false;
      app(request, response);
    },
  );

  listener.maxConnections = connectionsForEachPlace * config.maxInFlight;
  // Closing one makes room for the next.
  listener.on("drop", () => listener.closeIdleConnections());
  answerMalformed(listener);

  return {
    app,
    listener,
    start: (port = config.port) =>
      new Promise((resolve, reject) => {
        listener.once("error", reject);
        listener.listen(port, config.host, () => {
          listener.off("error", reject);
          resolve((listener.address() as AddressInfo).port);
        });
      }),
    async stop() {
      const deadline = Promise.withResolvers<undefined>();
      const timer = setTimeout(() => {
        listener.closeAllConnections();
        deadline.resolve(undefined);
      }, stopDeadlineMs);
      // A persistent connection becomes idle only when its request has ended.
      const idle = setInterval(() => listener.closeIdleConnections(), idleCheckMs);
      await new Promise((resolve) => {
        listener.close(resolve);
        listener.closeIdleConnections();
      });
      clearInterval(idle);
      await Promise.race([Promise.allSettled(inFlight), deadline.promise]);
      clearTimeout(timer);
    },
  };
}

/** The server's own routes outside the API: the pages, and the address of a test clock. */
function outsideTheApi(config: Config, parts: Parts): Beside[] {
  const pages: Beside = (to) => void to.use(createPages({ ...parts, config }));
  const { clock } = parts;
  return isTestClock(clock) ? [(to) => void to.use(clockAddress(clock, parts)), pages] : [pages];
}

/** Answers input that never becomes a request of the application. */
function answerMalformed(listener: HttpServer): void {
  listener.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    if (error.code === "ECONNRESET" || !socket.writable) {
      socket.destroy();
      return;
    }
    answerRaw(
      socket,
      malformed[error.code ?? ""] ?? { status: 400, message: "This is not a valid HTTP request." },
    );
  });
  listener.on("connect", (_request, socket: Duplex) => {
    answerRaw(socket, { status: 405, message: "CONNECT is not allowed." }, "Allow: GET, HEAD, POST\r\n");
  });
  listener.on("checkExpectation", (_request, response: ServerResponse) => {
    const body = JSON.stringify(failure(417, "The only expectation that can be met is 100-continue."));
    response
      .writeHead(417, { ...versionHeader, "Content-Type": "application/json; charset=utf-8" })
      .end(body);
  });
}

/** The operations, with a count of those in progress. A call whose client has left is settled like any other. */
function follow(operations: Operations): { followed: Operations; inFlight: ReadonlySet<Promise<unknown>> } {
  const inFlight = new Set<Promise<unknown>>();
  const following =
    <Request, Context>(operation: (request: Request, context: Context) => Promise<unknown>) =>
    (request: Request, context: Context): Promise<unknown> => {
      const answer = operation(request, context);
      inFlight.add(answer);
      const ended = (): void => void inFlight.delete(answer);
      answer.then(ended, ended);
      return answer;
    };
  const followed = Object.entries(operations).map(([id, operation]) => [
    id,
    following(operation as Operation<OperationId>),
  ]);
  return { followed: Object.fromEntries(followed) as Operations, inFlight };
}

interface RawAnswer {
  status: number;
  message: string;
}

const malformed: Readonly<Record<string, RawAnswer>> = {
  HPE_HEADER_OVERFLOW: { status: 431, message: "The header fields are larger than 16 KiB." },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, message: "The request did not arrive in time." },
};

/** Sends an answer to input that never became a request. */
function answerRaw(socket: Duplex | Socket, { status, message }: RawAnswer, more = ""): void {
  const body = JSON.stringify(failure(status, message));
  const [[name, version]] = Object.entries(versionHeader) as [[string, string]];
  socket.end(
    `HTTP/1.1 ${status} ${http.STATUS_CODES[status]}\r\n${name}: ${version}\r\n${more}` +
      `Content-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
      `Connection: close\r\n\r\n${body}`,
  );
  // Closing while bytes are unread would reset the connection and lose the answer.
  socket.resume();
  setTimeout(() => socket.destroy(), lingerMs).unref();
}
