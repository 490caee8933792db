import { once } from "node:events";
import net, { type AddressInfo, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { Unfinished, type Answer, type Request, type Sent } from "./request.ts";
import { saturate, type Saturation } from "./saturate.ts";

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** A server of bytes that acts on each request, with its head and body as text and its number. */
async function serving(act: (socket: Socket, request: string, count: number) => void): Promise<string> {
  let count = 0;
  const sockets = new Set<Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.setNoDelay(true).on("error", () => undefined);
    socket.on("data", (bytes) => act(socket, bytes.toString(), (count += 1)));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  closing.push(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`;
}

const requests: Request[] = Array.from({ length: 7 }, (_, index) => ({
  step: "discover",
  method: "POST",
  path: `/search/${index}`,
  headers: { authorization: `Bearer key-of-${index}` },
  body: `{"query":"query ${index} ä"}`,
}));
const named = (text: string): string => /\/search\/(\d)/.exec(text)![1]!;
const ok = (body: string, head = ""): string =>
  `HTTP/1.1 200 OK\r\n${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

async function saturated(
  baseUrl: string,
  loop: Partial<Saturation<Request>> = {},
): Promise<{ all: Sent<Request>[]; seconds: number }> {
  const all: Sent<Request>[] = [];
  const usual = { baseUrl, requests, connections: 3, seconds: 30, maxAnswers: 40 };
  const seconds = await saturate({ ...usual, onSent: (sent) => void all.push(sent), ...loop });
  return { all, seconds };
}

/** What each request was answered: the number in its path, or the reason why there is no answer. */
const belongs = ({ request, answer }: Sent<Request>): boolean =>
  answer instanceof Error || answer.body === named(request.path);
const errorsOf = (all: readonly Sent<Request>[]): string[] =>
  all.flatMap(({ answer }) => (answer instanceof Error ? [answer.message] : []));

test.each<[string, (body: string) => string]>([
  ["with a length", (body) => ok(body)],
  [
    "in chunks with trailers",
    (body) => `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n${body}\r\n0\r\nA: 1\r\n\r\n`,
  ],
  ["after an interim answer", (body) => `HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n${ok(body)}`],
  ["with a head of 100 kB", (body) => ok(body, `A: ${"a".repeat(100_000)}\r\n`)],
  ["with a refusal's status", (body) => ok(body).replace("200 OK", "429 Too Many Requests")],
])("an answer %s, in pieces, belongs to its request", async (_, answer) => {
  const url = await serving((socket, request) => {
    const text = answer(named(request));
    socket.write(text.slice(0, 25), () => setImmediate(() => socket.write(text.slice(25))));
  });
  const { all } = await saturated(url);
  expect(all.length).toBeGreaterThanOrEqual(40);
  expect(errorsOf(all)).toEqual([]);
  expect(all.every(belongs)).toBe(true);
});

test.each([
  ["after a length", (body: string) => ok(body, "Connection: close\r\n")],
  ["instead of a length", (body: string) => `HTTP/1.0 200 OK\r\n\r\n${body}`],
])("a connection that closes %s is replaced, and no request is lost", async (_, answer) => {
  const url = await serving((socket, request) => void socket.end(answer(named(request))));
  const { all } = await saturated(url);
  expect(errorsOf(all)).toEqual([]);
  expect(all.every(belongs)).toBe(true);
});

test.each([
  ["resets the connection", "", "socket hang up"],
  ["cuts a body", "HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n{}", "ended within the answer"],
  ["speaks another protocol", "SSH-2.0-OpenSSH_9.2\r\n", "not HTTP"],
])("a server that %s now and then has left that request without an answer", async (_, text, why) => {
  const url = await serving((socket, request, count) => {
    if (count % 5 === 0) socket.end(text);
    else socket.write(ok(named(request)));
  });
  const { all } = await saturated(url);
  expect(errorsOf(all).length).toBeGreaterThan(3);
  for (const error of errorsOf(all)) expect(error).toContain(why);
  expect(all.every(belongs)).toBe(true);
});

test("characters that arrive in halves, and a header that comes twice, are read whole", async () => {
  const answer = Buffer.from('HTTP/1.1 200 OK\r\nA: 1\r\nContent-Length: 4\r\na: 2\r\n\r\n"é"');
  const url = await serving((socket) => {
    socket.write(answer.subarray(0, -2), () => setImmediate(() => socket.write(answer.subarray(-2))));
  });
  const { all } = await saturated(url, { maxAnswers: 1, connections: 1 });
  expect((all[0]!.answer as Answer).body).toBe('"é"');
  expect((all[0]!.answer as Answer).headers["a"]).toBe("1, 2");
});

test("a loop ends after its time, and awaits what is under way", async () => {
  const url = await serving((socket, request) => void setTimeout(() => socket.write(ok(named(request))), 60));
  const { all, seconds } = await saturated(url, { seconds: 0.1, maxAnswers: Infinity });
  expect(errorsOf(all)).toEqual([]);
  expect(all.length).toBeGreaterThanOrEqual(3);
  expect(seconds).toBeGreaterThanOrEqual(0.1);
});

test("a loop whose signal is aborted ends, and what is under way has no answer", async () => {
  const stop = new AbortController();
  const url = await serving((socket, request, count) => {
    if (count > 10) stop.abort();
    else socket.write(ok(named(request)));
  });
  const { all } = await saturated(url, { signal: stop.signal });
  expect(all.filter(({ answer }) => answer instanceof Unfinished)).toHaveLength(3);
});

test("an absent server is asked again after a pause, not at once", async () => {
  const { all } = await saturated("http://127.0.0.1:9/api/v1", { seconds: 0.2 });
  expect(all.length).toBeGreaterThanOrEqual(3);
  expect(all.length).toBeLessThan(25);
  expect(errorsOf(all).join()).toContain("ECONNREFUSED");
});

test("a loop whose time is over before its connections have begun ends, and not with autocannon's own deadline", async () => {
  const url = await serving((socket, request) => void socket.write(ok(named(request))));
  const { all, seconds } = await saturated(url, { seconds: 0 });
  expect(all).toEqual([]);
  expect(seconds).toBeLessThan(30);
});
