import type { IncomingMessage } from "node:http";
import * as https from "node:https";
import type { Tool } from "../catalog/tool.ts";
import { http } from "../node-http.ts";
import type { Clock, Providers } from "../parts.ts";
import { outcomeOf } from "./outcome.ts";
import type { Answer } from "./outcome.ts";

const mebibyte = 1024 * 1024;

/** The outgoing request of one execution. */
interface Outgoing {
  method: "GET" | "POST";
  url: URL;
  headers: Record<string, string | number>;
  body: string | undefined;
}

const asText = (value: unknown): string =>
  typeof value === "object" ? JSON.stringify(value) : String(value);

/**
 * Builds the request of one execution. Parameters named by the url are encoded into its path, so that they cannot
 * change path or host; the others go into the query of a GET or the JSON body of a POST.
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
      for (const one of Array.isArray(value) ? value : [value]) url.searchParams.append(name, asText(one));
    }
    return { method: "GET", url, headers, body: undefined };
  }
  const body = JSON.stringify(Object.fromEntries(rest));
  const length = Buffer.byteLength(body);
  return {
    method: "POST",
    url,
    headers: { ...headers, "content-type": "application/json", "content-length": length },
    body,
  };
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** The whole body as text, unless it is cut off, too long, compressed although we did not accept that, or not UTF-8. */
function readable(response: IncomingMessage, chunks: readonly Buffer[]): string | undefined {
  const encoding = response.headers["content-encoding"] ?? "identity";
  if (!response.complete || encoding !== "identity") return undefined;
  try {
    return utf8.decode(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks));
  } catch {
    return undefined;
  }
}

const closings = new Set(["ECONNRESET", "ECONNABORTED", "EPIPE"]);

function failure(error: NodeJS.ErrnoException): Answer {
  if (error.code === "ETIMEDOUT") return { kind: "timeout" };
  return { kind: closings.has(error.code ?? "") ? "closed" : "failed" };
}

/** How the client connects to third parties. */
interface ProviderOptions {
  clock: Clock;
  /** For the agents of both schemes: certificates, the most sockets, a lookup function. Connections are kept alive. */
  agent?: https.AgentOptions;
  /** The longest answer that is read, in bytes; 32 MiB by default. */
  maxAnswerBytes?: number;
}

/**
 * Calls third parties over HTTP. Connections are reused. Redirects are not followed, so that a provider cannot send the
 * server elsewhere; nothing is sent twice, since a provider may have acted on a request that it did not answer.
 */
export function createProviders(options: ProviderOptions): Providers & { close(): void } {
  const { clock, maxAnswerBytes = 32 * mebibyte } = options;
  // An idle connection is closed before a server's usual 5 s, so that no call is sent on one that the server is
  // closing.
  const agentOptions = { keepAlive: true, timeout: 4_000, ...options.agent };
  const plain = new http.Agent(agentOptions);
  const secure = new https.Agent(agentOptions);

  function ask({ method, url, headers, body }: Outgoing, timeoutMs: number): Promise<Answer> {
    return new Promise((resolve) => {
      const request =
        url.protocol === "https:"
          ? https.request(url, { method, headers, agent: secure })
          : http.request(url, { method, headers, agent: plain });
      let status: number | undefined;
      const timer = setTimeout(() => end({ kind: "timeout" }), timeoutMs);
      function end(answer: Answer): void {
        clearTimeout(timer);
        resolve(answer);
        if (answer.kind !== "answered" || answer.text === undefined) request.destroy();
      }
      request.on("error", (error: NodeJS.ErrnoException) =>
        end(status === undefined ? failure(error) : { kind: "answered", status, text: undefined }),
      );
      request.on("response", (response) => {
        const answered = (status = response.statusCode ?? 0);
        const chunks: Buffer[] = [];
        let size = 0;
        response.on("data", (chunk: Buffer) => {
          size += chunk.length;
          if (size > maxAnswerBytes) end({ kind: "answered", status: answered, text: undefined });
          else chunks.push(chunk);
        });
        response.on("error", () => end({ kind: "answered", status: answered, text: undefined }));
        response.on("end", () =>
          end({ kind: "answered", status: answered, text: readable(response, chunks) }),
        );
      });
      request.end(body);
    });
  }

  return {
    async execute(tool, parameters) {
      const started = clock.now();
      const answer = await Promise.resolve()
        .then(() => ask(outgoing(tool, parameters), tool.upstream.timeout_ms))
        .catch((): Answer => ({ kind: "failed" }));
      return outcomeOf(tool, answer, clock.now() - started);
    },
    close() {
      plain.destroy();
      secure.destroy();
    },
  };
}
