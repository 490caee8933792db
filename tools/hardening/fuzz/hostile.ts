import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import type { Seeded } from "../../../base/seeded.ts";

const mebi = 1024 * 1024;

/** The answer that an honest server gives. */
interface Honest {
  status: number;
  headers: Record<string, string>;
  text: string;
}

/** Answers a request in place of the honest server. */
type Hostility = (response: ServerResponse, honest: Honest, request: IncomingMessage) => void;

export interface HostileServer {
  answer: Hostility;
  /** The answers that it gives honestly at first, so that its clients begin their work; 20 by default. */
  honestAnswers?: number;
  /** What it does is permitted, so that no verb may find a fault. */
  isLawful?: true;
}

const send = (response: ServerResponse, { status, headers }: Honest, body: string | Buffer): void =>
  void response.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body) }).end(body);

/** Sends an honest answer with other JSON. */
const changed =
  (change: (body: Record<string, unknown>, request: IncomingMessage) => unknown): Hostility =>
  (response, honest, request) => {
    const isObject = honest.text.startsWith("{");
    const body = isObject ? change(JSON.parse(honest.text) as Record<string, unknown>, request) : honest.text;
    send(response, honest, typeof body === "string" ? body : JSON.stringify(body));
  };

/** Replaces the values of a member at any depth. */
const everywhere = (value: unknown, member: string, by: unknown): unknown => {
  if (Array.isArray(value)) return value.map((element) => everywhere(element, member, by));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      name === member ? by : everywhere(inner, member, by),
    ]),
  );
};
const contentSchema = (schema: object): HostileServer => ({
  answer: changed((body) => everywhere(body, "content_schema", schema)),
});

/** Adds a text of this size, and of another at the nesting and in the number given, to an honest answer. */
const grown =
  (bytes: number, levels = 0, copies = 1): Hostility =>
  (response, honest) => {
    const value = "[".repeat(levels) + JSON.stringify("x".repeat(bytes / copies)) + "]".repeat(levels);
    const more = `{"more":[${Array(copies).fill(value).join()}],`;
    send(response, honest, honest.text.startsWith("{") ? honest.text.replace("{", more) : more);
  };

/** Sends chunks until the client leaves. */
const endless =
  (chunk: string, pauseMs = 0): Hostility =>
  (response, { status, headers }) => {
    response.writeHead(status, { "content-type": headers["content-type"] ?? "application/json" });
    const timer = setInterval(() => {
      if (response.destroyed) clearInterval(timer);
      else if (!response.writableNeedDrain) response.write(chunk);
    }, pauseMs);
  };

let bomb: Buffer | undefined;
/** A gigabyte of zeros, as the members of one gzip file. */
const gzipBomb = (): Buffer => (bomb ??= Buffer.concat(Array(64).fill(gzipSync(Buffer.alloc(16 * mebi)))));

/** Schemas that name each other: 30 levels of doubling, endless where `last` leads back. */
const doubling = (last: object): object => ({
  $ref: "#/$defs/s0",
  $defs: Object.fromEntries(
    Array.from({ length: 31 }, (_, n) => [
      `s${n}`,
      n === 30 ? last : { allOf: Array(2).fill({ $ref: `#/$defs/s${n + 1}` }) },
    ]),
  ),
});

/** Replaces the published document. */
const published = (document: (honest: Record<string, unknown>) => unknown): HostileServer => ({
  answer: changed((body, { url = "" }) => (/\/openapi[./]/.test(url) ? document(body) : body)),
  honestAnswers: 0,
});
const operation = {
  responses: { 200: { description: "", content: { "application/json": { schema: {} } } } },
};

const refused = (honest: Honest, seconds: number): Honest => ({
  ...honest,
  status: 429,
  headers: { ...honest.headers, "retry-after": String(seconds) },
});
const refusal = JSON.stringify({ status: "failure", message: "later", status_code: 429, data: null });

/** Half a character behind the ids of some members: text that JSON can hold, and no address. */
const halfCharacters = (...members: string[]): Hostility =>
  changed((body) =>
    members.reduce<unknown>((value, member) => mapped(value, member, (text) => `${text}\ud800`), body),
  );

/** Changes the texts of a member at any depth. */
const mapped = (value: unknown, member: string, change: (text: string) => string): unknown => {
  if (Array.isArray(value)) return value.map((element) => mapped(element, member, change));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      name === member && typeof inner === "string" ? change(inner) : mapped(inner, member, change),
    ]),
  );
};

/** Drops the last items of every list of an answer. */
const shortened = (value: unknown, by: number): unknown => {
  if (Array.isArray(value))
    return value.slice(0, Math.max(0, value.length - by)).map((element) => shortened(element, by));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shortened(inner, by)]));
};

/** Every third read is answered with what an earlier one of the same path was. */
const goingBack = (): Hostility => {
  const before = new Map<string, Honest>();
  let reads = 0;
  return (response, honest, { method, url = "" }) => {
    const path = `${method} ${url.replace(/\?.*/, "")}`;
    const old = before.get(path);
    if (old !== undefined) reads += 1;
    if (old === undefined || reads % 3 !== 0) before.set(path, honest);
    const shown = method === "GET" && reads % 3 === 0 ? (old ?? honest) : honest;
    send(response, shown, shown.text);
  };
};

/** Lists lose a row with each answer, until they are empty. */
const shrinking = (): Hostility => {
  let answered = 0;
  return changed((body, { method }) => {
    if (method !== "GET") return body;
    answered += 1;
    return shortened(body, answered % 8);
  });
};

/** Lists are empty from the start, whatever was done. */
const emptied = changed((body, { method }) => (method === "GET" ? shortened(body, Infinity) : body));

/** The server's clock stands still. */
const stillDate: Hostility = (response, honest) =>
  send(
    response,
    { ...honest, headers: { ...honest.headers, date: "Thu, 01 Jan 2026 00:00:00 GMT" } },
    honest.text,
  );

/** Closes a connection without a word after some answers. */
const closing = (every: number): Hostility => {
  let answered = 0;
  return (response, honest) => {
    send(response, honest, honest.text);
    answered += 1;
    if (answered % every === 0) response.once("finish", () => response.socket?.end());
  };
};

/** Text that a terminal, a CI system or a page might take for a command. */
const commands =
  "\n::error title=pwned::pwned\n##[error]pwned\n\u001b]0;pwned\u0007\u001b[2J\u202e<script>pwned()</script>";

/** Servers that want their client to hang, to fill its memory or to obey them. */
export const hostileServers: Readonly<Record<string, HostileServer>> = {
  "a pattern that backtracks": contentSchema({
    anyOf: [{ type: "null" }, { not: { pattern: "^(a|a)+$" } }],
    propertyNames: { pattern: "^((_?[a-z]+)+)+[A-Z]$" },
    examples: ["a".repeat(60)],
  }),
  "schemas that double": contentSchema(doubling({ type: "boolean" })),
  "schemas that lead back": contentSchema(doubling({ $ref: "#/$defs/s0" })),
  "answers of 15 MB": { answer: grown(15 * mebi) },
  "answers of 20 MB": { answer: grown(20 * mebi) },
  "two million members": { answer: grown(8 * mebi, 1, 2_000_000) },
  "deep JSON": { answer: grown(1, 100_000) },
  "an endless body": { answer: endless("x".repeat(65_536)) },
  "a trickling body": { answer: endless(" ", 500) },
  "a gzip bomb": {
    answer: (response, honest) =>
      send(response, { ...honest, headers: { ...honest.headers, "content-encoding": "gzip" } }, gzipBomb()),
  },
  "429 from the start": {
    answer: (response, honest) => send(response, refused(honest, 90), refusal),
    honestAnswers: 0,
  },
  "429 from then on": { answer: (response, honest) => send(response, refused(honest, 90), refusal) },
  "commands in its texts": {
    answer: changed((body) => everywhere(everywhere(body, "message", commands), "name", commands)),
    honestAnswers: 0,
  },
  "tools with half a character": {
    answer: halfCharacters("tool_id", "capability_id"),
    honestAnswers: 0,
  },
  "rows with half a character": {
    answer: halfCharacters("id", "execution_id", "cursor"),
    honestAnswers: 200,
  },
  "reads that go back": { answer: goingBack(), honestAnswers: 0 },
  "answers that shrink": { answer: shrinking() },
  "lists that stay empty": { answer: emptied, honestAnswers: 0 },
  "a Date that stands still": { answer: stillDate, honestAnswers: 0, isLawful: true },
  "connections that close": { answer: closing(3), honestAnswers: 0, isLawful: true },
  "no answer": { answer: () => undefined },
  "endless early hints": {
    answer: (response) => {
      const timer = setInterval(
        () =>
          response.destroyed ? clearInterval(timer) : response.writeEarlyHints({ link: "</a>; rel=preload" }),
        10,
      );
    },
  },
  "half an answer": {
    answer: (response, { status, headers, text }) => {
      response.writeHead(status, { ...headers, "content-length": text.length + 1 });
      response.write(text);
      response.socket?.end();
    },
  },
  "reset connections": { answer: (response) => response.socket?.resetAndDestroy() },
  "redirects in a circle": {
    answer: (response, _, { url = "/" }) => void response.writeHead(307, { location: url }).end(),
  },
  "pages without end": {
    answer: changed((body) => everywhere(everywhere(body, "has_more", true), "next_cursor", "b".repeat(9))),
  },
  "500 to everything": {
    answer: (response) => void response.writeHead(500, { "content-type": "text/html" }).end("<h1>oops</h1>"),
  },
  "a document in circles": published((honest) => ({
    ...honest,
    components: {
      schemas: Object.fromEntries(
        Array.from({ length: 40 }, (_, n) => [
          `S${n}`,
          {
            properties: {
              a: { $ref: `#/components/schemas/S${(n + 1) % 40}` },
              b: { $ref: `#/components/schemas/S${(n * 7) % 40}` },
            },
            allOf: [
              { $ref: `#/components/schemas/S${(n + 3) % 40}` },
              { $ref: `#/components/schemas/S${n}` },
            ],
          },
        ]),
      ),
    },
  })),
  "a document of 150,000 paths": published((honest) => ({
    ...honest,
    paths: Object.fromEntries(Array.from({ length: 150_000 }, (_, n) => [`/p${n}/{id}`, { get: operation }])),
  })),
};

/** A server that does one of the stranger things at times, drawn for each one. */
export const strangeServer = ({ below, pick }: Seeded): HostileServer => {
  const ids = ["id", "tool_id", "execution_id", "search_id", "session_id", "capability_id", "cursor"];
  const strange = [
    halfCharacters(pick(ids)),
    halfCharacters(pick(ids)),
    goingBack(),
    shrinking(),
    stillDate,
    closing(2),
    closing(1 + below(9)),
  ];
  const some = strange.filter(() => below(2) === 0);
  const often = 1 + below(4);
  return {
    answer: (response, honest, request) =>
      below(often) === 0 && some.length > 0
        ? pick(some)(response, honest, request)
        : send(response, honest, honest.text),
    honestAnswers: pick([0, 20, 200]),
  };
};

/** A server whose answers are honest except for size, nesting, repetition and slowness, drawn for each one. */
export const generatedServer = ({ below, pick }: Seeded): HostileServer => ({
  answer(response, honest, request) {
    const copies = 10 ** below(6);
    if (below(4) === 0)
      return endless("x".repeat(10 ** below(6)), pick([1, 100, 3_000]))(response, honest, request);
    setTimeout(
      () =>
        grown(Math.max(copies, 10 ** below(8)), pick([0, 1, 50, 199, 5_000]) / copies, copies)(
          response,
          honest,
          request,
        ),
      pick([0, 0, 100, 2_000]),
    );
  },
});

/** Starts a hostile server, which takes its honest answers from another one. */
export async function startHostile(
  honestUrl: string,
  { answer, honestAnswers = 20 }: HostileServer,
): Promise<{ baseUrl: string; close: () => Promise<void> }> {
  const { origin, pathname } = new URL(honestUrl);
  let answered = 0;
  const server = createServer((request, response) => {
    response.on("error", () => undefined);
    void honestAnswer(origin, request).then(
      (honest) =>
        answered++ < honestAnswers ? send(response, honest, honest.text) : answer(response, honest, request),
      () => response.destroy(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}${pathname}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const ofConnection = new Set([
  "host",
  "connection",
  "keep-alive",
  "content-length",
  "content-encoding",
  "transfer-encoding",
]);
const kept = (headers: Iterable<[string, unknown]>): Record<string, string> =>
  Object.fromEntries(
    [...headers].filter(([name]) => !ofConnection.has(name)).map(([name, value]) => [name, String(value)]),
  );

async function honestAnswer(origin: string, request: IncomingMessage): Promise<Honest> {
  const body = Buffer.concat(await request.toArray());
  const answer = await fetch(`${origin}${request.url}`, {
    method: request.method!,
    headers: kept(Object.entries(request.headers)),
    ...(body.length > 0 && { body }),
  });
  return { status: answer.status, headers: kept(answer.headers), text: await answer.text() };
}
