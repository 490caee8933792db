import net from "node:net";
import tls from "node:tls";
import type { Headers } from "../../../conformance/judge/exchange.ts";
import type { Fields } from "./corpora.ts";

/**
 * How the bytes of a body are sent. `short`: fewer than Content-Length states; `crumbs`: in chunks of one byte; `held`:
 * all but the last byte, which never follows; `unread`: whole, but the answer is not read.
 */
export type Delivery = "whole" | "chunked" | "crumbs" | "dripped" | "short" | "held" | "unread";

/** Deliveries that never get an answer. */
export const isEndless = (delivery: Delivery): boolean => delivery === "held" || delivery === "unread";

/** One request, byte for byte. */
export interface RawRequest {
  method: string;
  /** Closes the sending side after the request, for framing that would make the server wait for more. */
  ends: boolean;
  /** Path and query of the request line; characters are sent as Latin-1. */
  target: string;
  fields: Fields;
  body: Buffer | null;
  delivery: Delivery;
}

export interface RawAnswer {
  status: number;
  headers: Headers;
  body: string;
}

/** The server closed the connection or went silent before its answer was complete. */
export class NoAnswer extends Error {}

const dripMs = 3;
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * A client's connection for requests that no HTTP library would send. It stays open while the server keeps it open, so
 * anything that one request leaves behind shows in the next.
 */
export class Line {
  readonly #url: URL;
  readonly #deadlineMs: number;
  #socket: net.Socket | null = null;
  /** The last answer on the connection: it may explain why the next request gets none. */
  #before = "nothing";

  constructor(baseUrl: string, deadlineMs: number) {
    this.#url = new URL(baseUrl);
    this.#deadlineMs = deadlineMs;
  }

  /**
   * Sends a request and reads its answer.
   * @throws NoAnswer; or the connection's own error if the server cannot be reached
   */
  async send(request: RawRequest): Promise<RawAnswer> {
    const kept = this.#socket !== null && !this.#socket.destroyed;
    const socket = kept ? this.#socket! : await this.#connect();
    this.#socket = null;
    const reading = this.#read(socket, request.method === "HEAD");
    const written = this.#write(socket, request).then(() => {
      if (request.ends) socket.end();
    });
    try {
      const { answer, reusable } = await reading;
      await written;
      const { method, target, delivery, body } = request;
      const sent = `${delivery}, ${body?.length ?? 0} bytes of body`;
      this.#before = `${method} ${target.slice(0, 80)} (${sent}, answered ${answer.status})`;
      if (reusable && !request.ends) this.#socket = socket;
      else socket.destroy();
      return answer;
    } catch (error) {
      socket.destroy();
      // The server may have closed an idle connection just as the request was sent.
      if (kept && error instanceof NoAnswer && error.message === closedAtOnce) return this.send(request);
      if (!(error instanceof NoAnswer)) throw error;
      throw new NoAnswer(
        `${error.message}, on ${kept ? `the connection of ${this.#before}` : "a new connection"}`,
      );
    }
  }

  /** Sends a request on a connection of its own, which only the server or `close` ends. */
  async begin(request: RawRequest): Promise<net.Socket> {
    const socket = await this.#connect();
    socket.removeAllListeners("error").on("error", () => undefined);
    if (request.delivery === "unread") socket.pause();
    else socket.resume();
    await this.#write(socket, request);
    return socket;
  }

  close(): void {
    this.#socket?.destroy();
  }

  #connect(): Promise<net.Socket> {
    const { protocol, hostname, port } = this.#url;
    const host = hostname.replace(/^\[|\]$/g, "");
    const secure = protocol === "https:";
    const where = { host, port: Number(port || (secure ? 443 : 80)) };
    return new Promise((resolve, reject) => {
      const socket = secure
        ? tls.connect({ ...where, servername: host }, () => resolve(socket))
        : net.connect(where, () => resolve(socket));
      socket.setNoDelay(true);
      socket.once("error", reject);
    });
  }

  async #write(socket: net.Socket, { method, target, fields, body, delivery }: RawRequest): Promise<void> {
    const sent = body ?? Buffer.alloc(0);
    const named = new Set(fields.map(([name]) => name.toLowerCase()));
    const length = delivery === "short" ? sent.length + 100 : sent.length;
    const framing: Fields =
      delivery === "chunked" || delivery === "crumbs"
        ? [["Transfer-Encoding", "chunked"]]
        : body === null
          ? []
          : [["Content-Length", String(length)]];
    const host: Fields = named.has("host") ? [] : [["Host", this.#url.host]];
    const lines = [...host, ...fields, ...framing].map(([name, value]) => `${name}: ${value}\r\n`);
    const head = Buffer.from(`${method} ${target} HTTP/1.1\r\n${lines.join("")}\r\n`, "latin1");
    const part = Math.max(1, Math.ceil(sent.length / 4));
    const write = (bytes: Buffer | string): void => void (socket.writable && socket.write(bytes));
    switch (delivery) {
      case "whole":
      case "short":
      case "unread":
        return write(Buffer.concat([head, sent]));
      case "held":
        return write(Buffer.concat([head.subarray(0, body === null ? -1 : undefined), sent.subarray(0, -1)]));
      case "crumbs": {
        const crumb = Buffer.from("1\r\n?\r\n");
        const crumbs = Buffer.alloc(crumb.length * sent.length, crumb);
        for (const [at, byte] of sent.entries()) crumbs[at * crumb.length + 3] = byte;
        return write(Buffer.concat([head, crumbs, Buffer.from("0\r\n\r\n")]));
      }
      case "chunked": {
        write(head);
        for (let at = 0; at < sent.length; at += part) {
          const chunk = sent.subarray(at, at + part);
          write(Buffer.concat([Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from("\r\n")]));
        }
        return write("0\r\n\r\n");
      }
      case "dripped":
        for (const half of [head.subarray(0, head.length >> 1), head.subarray(head.length >> 1)]) {
          write(half);
          await pause(dripMs);
        }
        for (let at = 0; at < sent.length; at += part) {
          write(sent.subarray(at, at + part));
          await pause(dripMs);
        }
    }
  }

  #read(socket: net.Socket, headOnly: boolean): Promise<{ answer: RawAnswer; reusable: boolean }> {
    return new Promise((resolve, reject) => {
      let received: Buffer = Buffer.alloc(0);
      const stopWaiting = whenAwakeFor(this.#deadlineMs, () =>
        finish(new NoAnswer(`nothing more within ${this.#deadlineMs} ms`)),
      );
      const finish = (outcome: Error | { answer: RawAnswer; reusable: boolean }): void => {
        stopWaiting();
        socket.off("data", onData).off("close", onEnd).off("end", onEnd);
        if (outcome instanceof Error) reject(outcome);
        else resolve(outcome);
      };
      const onData = (bytes: Buffer): void => {
        received = received.length === 0 ? bytes : Buffer.concat([received, bytes]);
        tryToRead(false);
      };
      const onEnd = (): void => {
        if (received.length === 0) finish(new NoAnswer(closedAtOnce));
        else if (!tryToRead(true)) finish(new NoAnswer("the connection was closed within the answer"));
      };
      function tryToRead(ended: boolean): boolean {
        try {
          const read = readAnswer(received, { headOnly, ended });
          if (read === "continue") {
            received = received.subarray(received.indexOf("\r\n\r\n") + 4);
            return received.length > 0 && tryToRead(ended);
          }
          if (read === "incomplete") return false;
          finish(read);
        } catch (error) {
          finish(new NoAnswer(`the answer is not HTTP: ${String(error)}`));
        }
        return true;
      }
      socket.removeAllListeners("error").on("error", () => undefined);
      socket.on("data", onData).on("close", onEnd).on("end", onEnd);
    });
  }
}

/**
 * Calls back after this process itself has run for the given time in ms; returns a function that cancels. A machine
 * that stood still does not count as a silent server: data that arrived meanwhile is read before the next of many short
 * waits ends.
 */
function whenAwakeFor(ms: number, done: () => void): () => void {
  let waits = 30;
  const timer = setInterval(() => {
    waits -= 1;
    if (waits > 0) return;
    clearInterval(timer);
    done();
  }, ms / waits);
  return () => clearInterval(timer);
}

const closedAtOnce = "the connection was closed without an answer";

/** Parses an answer from the bytes received so far; `continue` for an interim one. */
function readAnswer(
  received: Buffer,
  { headOnly, ended }: { headOnly: boolean; ended: boolean },
): "incomplete" | "continue" | { answer: RawAnswer; reusable: boolean } {
  const end = received.indexOf("\r\n\r\n");
  if (end < 0) return "incomplete";
  const [first = "", ...lines] = received.subarray(0, end).toString("latin1").split("\r\n");
  const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(first)?.[1]);
  if (Number.isNaN(status)) throw new Error(JSON.stringify(first.slice(0, 80)));
  if (status < 200) return "continue";
  const headers: Headers = {};
  for (const line of lines) {
    const colon = line.indexOf(":");
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
  }
  const rest = received.subarray(end + 4);
  const reusable = headers["connection"]?.toLowerCase() !== "close" && !ended;
  const complete = (body: Buffer): { answer: RawAnswer; reusable: boolean } => ({
    answer: { status, headers, body: body.toString("utf8") },
    reusable,
  });
  if (headOnly || status === 204 || status === 304) return complete(Buffer.alloc(0));
  if (headers["transfer-encoding"] === "chunked") {
    const body = dechunked(rest);
    return body === null ? "incomplete" : complete(body);
  }
  const length = headers["content-length"];
  if (length === undefined) return ended ? complete(rest) : "incomplete";
  return rest.length < Number(length) ? "incomplete" : complete(rest.subarray(0, Number(length)));
}

/** The content of a chunked body; null until its end has arrived. */
function dechunked(bytes: Buffer): Buffer | null {
  const chunks: Buffer[] = [];
  let at = 0;
  for (;;) {
    const lineEnd = bytes.indexOf("\r\n", at);
    if (lineEnd < 0) return null;
    const size = parseInt(bytes.subarray(at, lineEnd).toString("latin1"), 16);
    if (Number.isNaN(size)) throw new Error("a chunk without a size");
    const start = lineEnd + 2;
    if (bytes.length < start + size + 2) return null;
    if (size === 0) return Buffer.concat(chunks);
    chunks.push(bytes.subarray(start, start + size));
    at = start + size + 2;
  }
}
