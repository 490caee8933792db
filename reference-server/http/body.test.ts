import { once } from "node:events";
import net from "node:net";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startAttacked, type Attacked } from "../attacks/attacked.fixture.ts";

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

it("puts a body of chunks of one byte together", async () => {
  const chunks = [...'{"query":"weather"}'].map((character) => `1\r\n${character}\r\n`).join("");
  expect(await answered("Transfer-Encoding: chunked", `${chunks}0\r\n\r\n`)).toContain("200");
  const crumbs = "1\r\nx\r\n".repeat(5_000);
  expect(await answered("Transfer-Encoding: chunked", crumbs)).toContain("400");
});

it("unpacks no more than a body may hold", async () => {
  const packed = (text: string): [string, Buffer] => {
    const bytes = gzipSync(text);
    return [`Content-Encoding: gzip\r\nContent-Length: ${bytes.length}`, bytes];
  };
  expect(await answered(...packed('{"query":"weather"}'))).toContain("200");
  expect(await answered(...packed(`{"query":"${"x".repeat(2_000_000)}"}`))).toContain("413");
});
