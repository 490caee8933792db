import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { http } from "../node-http.ts";
import { answers } from "./sample-answers.ts";
import type { Asked, Behaviour } from "./sample-answers.ts";

/** A running sample provider. */
export interface SampleProvider {
  /** Its origin, without a trailing slash. */
  url: string;
  /** The number of executions of each path, by pattern; also available as `GET /_executions`. */
  executions(): Readonly<Record<string, number>>;
  stop(): Promise<void>;
}

/** The longest request body that is read, in bytes. */
const longestRequest = 1024 * 1024;

/** A parsed path pattern; `:name` segments are parameters. */
const routes = Object.entries(answers).map(([pattern, behaviour]) => ({
  pattern,
  behaviour,
  steps: pattern.split("/"),
}));

interface Route {
  pattern: string;
  behaviour: Behaviour;
}

function route(path: string): (Route & { inPath: Record<string, string> }) | undefined {
  const segments = path.split("/");
  for (const { pattern, behaviour, steps } of routes) {
    if (steps.length !== segments.length) continue;
    if (
      !steps.every(
        (step, position) =>
          step === segments[position] || (step.startsWith(":") && segments[position] !== ""),
      )
    ) {
      continue;
    }
    const named = steps.flatMap((step, position) =>
      step.startsWith(":") ? [[step.slice(1), decodeURIComponent(segments[position] ?? "")]] : [],
    );
    return { pattern, behaviour, inPath: Object.fromEntries(named) };
  }
  return undefined;
}

async function bodyOf(request: IncomingMessage): Promise<Asked> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > longestRequest) throw new RangeError("the request is too long");
    chunks.push(chunk);
  }
  if (size === 0) return {};
  const parsed: unknown = JSON.parse(Buffer.concat(chunks).toString("utf8"));
  return typeof parsed === "object" && parsed !== null ? { ...parsed } : {};
}

function send(response: ServerResponse, status: number, type: string, text: string, headers = {}): void {
  response.writeHead(status, { "content-type": type, "content-length": Buffer.byteLength(text), ...headers });
  response.end(text);
}

const sendJson = (response: ServerResponse, status: number, body: unknown, headers = {}): void =>
  send(response, status, "application/json", JSON.stringify(body), headers);

/** The status requested by the path `/faults/status/:status`. */
function faultStatus({ status }: Asked): number {
  const wanted = Number(status);
  return Number.isInteger(wanted) && wanted >= 200 && wanted <= 599 ? wanted : 200;
}

/** Characters of an answer that occupies the event loop, which the sample shares with the server, for milliseconds. */
const longText = 65_536;
/** The newest of them: the same input has the same answer. */
let newestLong = { input: "", text: "" };

function textOf(behaviour: Behaviour & { kind: "json" }, input: string, asked: Asked): string {
  if (input === newestLong.input) return newestLong.text;
  const text = JSON.stringify(behaviour.body(asked));
  if (text.length > longText) newestLong = { input, text };
  return text;
}

function behave({ pattern, behaviour }: Route, asked: Asked, response: ServerResponse): void {
  switch (behaviour.kind) {
    case "json": {
      const status = behaviour.status ?? faultStatus(asked);
      const answer = () => {
        const text = textOf(behaviour, `${pattern} ${JSON.stringify(asked)}`, asked);
        send(response, status, "application/json", text, behaviour.headers);
      };
      if (behaviour.delayMs === undefined) answer();
      else setTimeout(answer, behaviour.delayMs).unref();
      return;
    }
    case "text":
      return send(response, behaviour.status ?? 200, "text/html", behaviour.text);
    case "silence":
      return;
    case "hangUp":
      response.socket?.end();
      return;
    case "reset":
      response.socket?.resetAndDestroy();
      return;
    case "cutOff":
      response.writeHead(200, { "content-type": "application/json", "content-length": 1_000 });
      response.write('{"rows": [', () => response.socket?.destroy());
  }
}

/**
 * A third party to call. It answers each request by its path (sample-answers.ts), correctly or with a fault, and always
 * the same way. It counts executions, so that tests can show that there was none.
 */
export async function startSampleProvider(
  where: { port?: number; host?: string } = {},
): Promise<SampleProvider> {
  const { port = 0, host = "127.0.0.1" } = where;
  const counts = new Map<string, number>();
  const executions = () => Object.fromEntries(counts);

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", "http://sample");
    if (url.pathname === "/_executions") return sendJson(response, 200, executions());
    const handler = route(url.pathname);
    if (handler === undefined) return sendJson(response, 404, { message: `nothing is at ${url.pathname}` });
    const asked = { ...Object.fromEntries(url.searchParams), ...(await bodyOf(request)), ...handler.inPath };
    counts.set(handler.pattern, (counts.get(handler.pattern) ?? 0) + 1);
    behave(handler, asked, response);
  }

  const server = http.createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else
        sendJson(response, 400, {
          message: error instanceof Error ? error.message : "the request cannot be read",
        });
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  const { port: bound } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${bound}`,
    executions,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
