import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import net from "node:net";
import type { AddressInfo } from "node:net";
import { afterEach, expect, it } from "vitest";
import { createSending, encodedText, sendingLimits, type Sending, type SendingLimits } from "./sending.ts";

const quick: SendingLimits = { patienceSeconds: 0.1, bytesPerSecond: 1e9, tickMs: 20 };
const large = encodedText("ü€😀x".repeat(2_000_000));
let server: Server | undefined;

afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

async function serve(
  limits: SendingLimits,
  send: (sending: Sending, response: ServerResponse) => Promise<void>,
) {
  const sending = createSending(limits);
  const ended: Promise<string>[] = [];
  server = createServer((_request: IncomingMessage, response) => {
    ended.push(
      send(sending, response).then(
        () => "sent",
        (error: NodeJS.ErrnoException) => String(error.code),
      ),
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { ended, port, url: `http://127.0.0.1:${port}/` };
}

/** A client that sends a request and never reads. */
async function unread(port: number): Promise<net.Socket> {
  const socket = net.connect(port, "127.0.0.1");
  await once(socket, "connect");
  socket.on("error", () => undefined);
  socket.pause();
  socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  return socket;
}

async function* endless() {
  for (;;) yield large;
}

it("sends texts and parts whole, whatever their characters", async () => {
  const { url, ended } = await serve(sendingLimits, (sending, response) => sending.text(response, large));
  const answer = await fetch(url);
  expect(await answer.text()).toBe(large.text);
  expect(answer.headers.get("content-length")).toBe(String(large.bytes));
  expect(await ended[0]).toBe("sent");
});

it.each([
  ["a text", (sending: Sending, response: ServerResponse) => sending.text(response, large)],
  ["endless parts", (sending: Sending, response: ServerResponse) => sending.parts(response, endless())],
])("cuts off a client that does not read %s", async (_what, send) => {
  const { port, ended } = await serve(quick, send);
  const socket = await unread(port);
  await expect.poll(() => ended.length).toBe(1);
  expect(await ended[0]).toBe("ERR_STREAM_PREMATURE_CLOSE");
  socket.destroy();
});
