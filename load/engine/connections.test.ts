import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import https from "node:https";
import net, { type AddressInfo, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { serverCertificate } from "../../reference-server/results/certificates.ts";
import { openConnections, type Connections } from "./connections.ts";
import { Unfinished, type Answer, type Request, type Sent } from "./request.ts";
import { someRequest } from "./sent.fixture.ts";

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** A server that answers each chunk it receives with `answer`. */
async function serving(answer: (socket: Socket, count: number) => void): Promise<string> {
  let count = 0;
  const sockets = new Set<Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("data", () => answer(socket, (count += 1)));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  closing.push(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`;
}

const asking = (connections: Connections, request: Request = someRequest): Promise<Sent<Request>> =>
  new Promise((resolve) => connections.send(request, resolve));

function opened(url: string, clock?: { now: () => number; pause: () => Promise<void> }): Connections {
  const connections = openConnections(url, clock && { clock });
  closing.push(() => connections.close());
  return connections;
}

const ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}";

test.each([
  ["with a length", ok],
  ["in chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n1\r\n}\r\n0\r\n\r\n"],
  ["after an interim answer", `HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n${ok}`],
  ["without a length, up to the end of the connection", "HTTP/1.0 200 OK\r\n\r\n{}"],
  ["with trailers", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nA: 1\r\n\r\n"],
  ["with a head of 100 kB", `HTTP/1.1 200 OK\r\nA: ${"a".repeat(100_000)}\r\nContent-Length: 2\r\n\r\n{}`],
])("reads an answer %s, in pieces", async (_, text) => {
  const url = await serving((socket) => {
    socket.setNoDelay(true);
    socket.write(text.slice(0, 25), () => setImmediate(() => socket.end(text.slice(25))));
  });
  const { answer } = await asking(opened(url));
  expect(answer).toMatchObject({ status: 200, body: "{}" });
});

test("reads a body whose characters arrive in halves, and a header that comes twice", async () => {
  const answer = Buffer.from('HTTP/1.1 429 No\r\nA: 1\r\nContent-Length: 4\r\na: 2\r\n\r\n"é"');
  const url = await serving((socket) => {
    socket.setNoDelay(true);
    socket.write(answer.subarray(0, -2), () => setImmediate(() => socket.write(answer.subarray(-2))));
  });
  expect((await asking(opened(url))).answer).toMatchObject({
    status: 429,
    headers: { a: "1, 2" },
    body: '"é"',
  });
});

test("trusts a certificate that it is given, and no other", async () => {
  const folder = await mkdtemp(join(tmpdir(), "load-certificate-"));
  closing.push(() => void rm(folder, { recursive: true, force: true }));
  const random = { bytes: randomBytes };
  const { key, cert, caFile } = await serverCertificate(folder, ["127.0.0.1"], { now: Date.now(), random });
  const server = https.createServer({ key, cert }, (_, response) => response.end("{}"));
  await once(server.listen(0, "127.0.0.1"), "listening");
  closing.push(() => server.close());
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`;
  const trusting = openConnections(url, { ca: await readFile(caFile, "utf8") });
  closing.push(() => trusting.close());
  expect((await asking(trusting)).answer).toMatchObject({ status: 200, body: "{}" });
  expect((await asking(opened(url))).answer).toMatchObject({
    code: expect.stringContaining("CERT") as string,
  });
});

test.each([
  ["closes the connection", "", "socket hang up"],
  ["ends within its answer", "HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n{}", "ended within the answer"],
  ["speaks another protocol", "SSH-2.0-OpenSSH_9.2\r\n", "not HTTP"],
])("a server that %s gives no answer, and the reason is named", async (_, text, why) => {
  const { answer } = await asking(opened(await serving((socket) => socket.end(text))));
  expect((answer as Error).message).toContain(why);
});

test("a connection that the server closes while it is idle is replaced, once", async () => {
  let now = 1_000_000;
  const clock = { now: () => now, pause: () => Promise.resolve() };
  // The second request arrives over a connection that the server is just closing.
  const url = await serving((socket, count) => (count === 2 ? socket.resetAndDestroy() : socket.write(ok)));
  const connections = opened(url, clock);
  await asking(connections);
  now += 1_000;
  expect((await asking(connections)).answer).toMatchObject({ status: 200 });
});

test("a request that was lost among others is not repeated: it may have been executed", async () => {
  const clock = { now: () => 1_000_000, pause: () => Promise.resolve() };
  const url = await serving((socket, count) => (count === 2 ? socket.resetAndDestroy() : socket.write(ok)));
  const connections = opened(url, clock);
  await asking(connections);
  expect((await asking(connections)).answer).toBeInstanceOf(Error);
});

test("a request that is cut has no answer, for the reason given; a later one has", async () => {
  let silent = true;
  const url = await serving((socket) => void (silent || socket.write(ok)));
  const connections = opened(url);
  const waiting = asking(connections);
  connections.cut(new Unfinished());
  expect((await waiting).answer).toBeInstanceOf(Unfinished);
  silent = false;
  expect((await asking(connections)).answer).toMatchObject({ status: 200 });
});

test("beyond the maximum of connections, requests wait for a free one", async () => {
  const url = await serving((socket) => setImmediate(() => socket.write(ok)));
  const connections = openConnections(url, { maxConnections: 2 });
  closing.push(() => connections.close());
  const answers = await Promise.all(Array.from({ length: 9 }, () => asking(connections)));
  expect(answers.map(({ answer }) => (answer as Answer).status)).toEqual(Array(9).fill(200));
});
