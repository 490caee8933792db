import type { Agent, Dispatcher } from "undici";
import type { Tool } from "../catalog/tool.ts";
import { bytesOfValue, extentOf } from "../nesting.ts";
import type { Clock, Providers } from "../parts.ts";
import { outcomeOf } from "./outcome.ts";
import type { Answer } from "./outcome.ts";

const mebibyte = 1024 * 1024;

/** The outgoing request of one execution. */
interface Outgoing {
  method: "GET" | "POST";
  url: URL;
  headers: Record<string, string>;
  body: string | null;
}

const asText = (value: unknown): string =>
  typeof value === "object" ? JSON.stringify(value) : String(value);

/**
 * Builds the request of one execution. Parameters named by the url are encoded into its path, so they cannot change
 * path or host. The others go into the query of a GET or the JSON body of a POST.
 * @throws RangeError if a value cannot be part of a path
 */
export function outgoing(tool: Tool, parameters: Record<string, unknown>): Outgoing {
  const rest = new Map(Object.entries(parameters));
  const address = tool.upstream.url.replaceAll(/\{([^{}]*)\}/g, (_, name: string) => {
    const text = asText(rest.get(name));
    rest.delete(name);
    if (/^\.{0,2}$/.test(text)) throw new RangeError(`"${name}" cannot be part of a path`);
    return encodeURIComponent(text);
  });
  const url = new URL(address);
  const headers = { accept: "application/json", "accept-encoding": "identity", ...tool.upstream.headers };
  if (tool.upstream.method === "GET") {
    for (const [name, value] of rest) {
      for (const member of Array.isArray(value) ? value : [value])
        url.searchParams.append(name, asText(member));
    }
    return { method: "GET", url, headers, body: null };
  }
  const body = JSON.stringify(Object.fromEntries(rest));
  return { method: "POST", url, headers: { ...headers, "content-type": "application/json" }, body };
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

/**
 * The most nested levels of arrays and objects in an answer: more than real answers have, fewer than would exhaust the
 * stack.
 */
const maxLevels = 200;

/**
 * The whole body as text, unless it is compressed (which we did not accept), too deep, or not UTF-8.
 * @throws what `hold` throws where there is no room for it
 */
function readable(coding: unknown, body: Buffer, { hold }: Room): string | undefined {
  if (coding !== undefined && coding !== "identity") return undefined;
  const { levels, values } = extentOf(body);
  if (levels > maxLevels) return undefined;
  hold(values * bytesOfValue);
  try {
    return utf8.decode(body);
  } catch {
    return undefined;
  }
}

const closings = new Set(["ECONNRESET", "ECONNABORTED", "EPIPE", "UND_ERR_SOCKET"]);

function failure(error: NodeJS.ErrnoException): Answer {
  if (error.code === "ETIMEDOUT") return { kind: "timeout" };
  return { kind: closings.has(error.code ?? "") ? "closed" : "failed" };
}

/** How the client connects to third parties. */
interface ProviderOptions {
  clock: Clock;
  /** The longest answer that is read, in bytes; 8 MiB by default. */
  maxAnswerBytes?: number;
}

/** undici is loaded with the first execution, since loading it is a fifth of a start. */
const newAgent = async (): Promise<Agent> => {
  const undici = await import("undici");
  // An idle connection is closed before a server's usual 5 s, so that no call is sent on one that the server is
  // closing. Each tool has a timeout of its own.
  return new undici.Agent({
    keepAliveTimeout: 4_000,
    keepAliveMaxTimeout: 4_000,
    headersTimeout: 0,
    bodyTimeout: 0,
  });
};

/**
 * Calls third parties over HTTP. Connections are reused. Redirects are not followed: a provider must not send the
 * server elsewhere. Nothing is sent twice, since a provider may have acted on a request that it did not answer.
 */
export function createProviders(options: ProviderOptions): Providers & { close(): void } {
  const { clock, maxAnswerBytes = 8 * mebibyte } = options;
  // A start fails without undici, rather than the first execution.
  import.meta.resolve("undici");
  let agent: Promise<Agent> | undefined;

  async function ask(request: Outgoing, timeoutMs: number, hold: (bytes: number) => void): Promise<Answer> {
    const dispatcher = await (agent ??= newAgent());
    return new Promise((resolve) => {
      const reader = new AnswerReader({ maxBytes: maxAnswerBytes, hold }, (answer) => {
        clearTimeout(timer);
        resolve(answer);
      });
      const timer = setTimeout(() => reader.abandon({ kind: "timeout" }), timeoutMs);
      const { method, url, headers, body } = request;
      dispatcher.dispatch(
        { origin: url.origin, path: url.pathname + url.search, method, headers, body },
        reader,
      );
    });
  }

  return {
    async execute(tool, parameters, hold = () => undefined) {
      const started = clock.now();
      const answer = await Promise.resolve()
        .then(() => ask(outgoing(tool, parameters), tool.upstream.timeout_ms, hold))
        .catch((): Answer => ({ kind: "failed" }));
      return outcomeOf(tool, answer, clock.now() - started);
    },
    close() {
      void agent?.then((opened) => opened.destroy());
    },
  };
}

/** An answer is in memory as bytes, as text, as values, and as the text of the server's own answer. */
const copies = 4;

interface Room {
  maxBytes: number;
  hold(bytes: number): void;
}

/** Reads one answer, and reports its end once: whole, cut off, too long, or abandoned. */
class AnswerReader implements Dispatcher.DispatchHandler {
  readonly #room: Room;
  readonly #end: (answer: Answer) => void;
  readonly #chunks: Buffer[] = [];
  #controller: Dispatcher.DispatchController | undefined;
  #abandoned = false;
  #size = 0;
  #status: number | undefined;
  #coding: unknown;

  constructor(room: Room, end: (answer: Answer) => void) {
    this.#room = room;
    this.#end = end;
  }

  /** Ends with an answer of our own and closes the connection. */
  abandon(answer: Answer): void {
    this.#abandoned = true;
    this.#end(answer);
    this.#controller?.abort(new Error("abandoned"));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#abandoned) controller.abort(new Error("abandoned"));
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, unknown>>,
  ): void {
    // Interim answers precede the final one.
    if (status < 200) return;
    this.#status = status;
    this.#coding = headers["content-encoding"];
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#size += chunk.length;
    if (this.#abandoned) return;
    if (this.#size > this.#room.maxBytes) return this.abandon(this.#answered(undefined));
    try {
      this.#room.hold(copies * chunk.length);
      this.#chunks.push(chunk);
    } catch {
      this.abandon({ kind: "crowded" });
    }
  }

  onResponseEnd(): void {
    const body = this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks);
    try {
      this.#end(this.#answered(readable(this.#coding, body, this.#room)));
    } catch {
      this.#end({ kind: "crowded" });
    }
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#abandoned) return;
    // A 204 is whole without a body, even if it wrongly states the length of one.
    if (this.#status !== undefined) this.#end(this.#answered(this.#status === 204 ? "" : undefined));
    else this.#end(failure(error));
  }

  #answered(text: string | undefined): Answer {
    return { kind: "answered", status: this.#status ?? 0, text };
  }
}
