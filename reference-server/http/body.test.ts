import { once } from "node:events";
import net, { type AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import express, { type Request } from "express";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { startAttacked, type Attacked } from "../attacks/attacked.fixture.ts";
import { createAdmission } from "./admission.ts";
import { createBodies } from "./body.ts";

let server: Attacked;
let key: string;

beforeAll(async () => {
  server = await startAttacked();
  ({ key } = await server.trial());
});

afterAll(() => server.stop());

/** Sends the head of a Discover and some bytes, and resolves with the status line of the answer. */
async function answered(fields: string, bytes: string | Buffer): Promise<string> {
  const { hostname, port, pathname } = new URL(server.base);
  const socket = net.connect(Number(port), hostname);
  socket.on("error", () => undefined);
  socket.write(
    `POST ${pathname}/search HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n${fields}\r\n\r\n`,
  );
  socket.write(bytes);
  const [answer] = (await once(socket, "data")) as [Buffer];
  socket.destroy();
  return answer.toString("latin1").split("\r\n")[0]!;
}

it("refuses a body that is too large as soon as its length is known", async () => {
  expect(await answered("Content-Length: 2000000000", "{")).toContain("413");
  expect(await answered("Transfer-Encoding: chunked", `200000\r\n${"x".repeat(1_200_000)}`)).toContain("413");
});

it("assembles a body of one-byte chunks", async () => {
  const chunks = [...'{"query":"weather"}'].map((character) => `1\r\n${character}\r\n`).join("");
  expect(await answered("Transfer-Encoding: chunked", `${chunks}0\r\n\r\n`)).toContain("200");
  const crumbs = "1\r\nx\r\n".repeat(5_000);
  expect(await answered("Transfer-Encoding: chunked", crumbs)).toContain("400");
});

it("keeps no chunk of a refused body while its answer is not due", async () => {
  const admission = createAdmission({ places: 10, bytes: 1_048_576 });
  const asked = Promise.withResolvers<Request>();
  const app = express().post("/", admission.gate, createBodies(admission, 1_048_576).receive, asked.resolve);
  const listening = app.listen(0, "127.0.0.1");
  onTestFinished(() => {
    listening.closeAllConnections();
    listening.close();
  });
  await once(listening, "listening");
  const socket = net.connect((listening.address() as AddressInfo).port, "127.0.0.1");
  const sent = `POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${"1\r\nx\r\n".repeat(40_000)}`;
  socket.write(sent);
  const request = await asked.promise;
  await expect.poll(() => [request.socket.bytesRead, request.readableLength]).toEqual([sent.length, 0]);
});

it("unpacks no more than a body may hold", async () => {
  const packed = (text: string): [string, Buffer] => {
    const bytes = gzipSync(text);
    return [`Content-Encoding: gzip\r\nContent-Length: ${bytes.length}`, bytes];
  };
  expect(await answered(...packed('{"query":"weather"}'))).toContain("200");
  expect(await answered(...packed(`{"query":"${"x".repeat(2_000_000)}"}`))).toContain("413");
});
