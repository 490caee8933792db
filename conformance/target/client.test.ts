import { once } from "node:events";
import http from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { afterEach, beforeEach, expect, it } from "vitest";
import { Client } from "./client.ts";
import { Secrets } from "./secrets.ts";

let server: http.Server;
let client: Client;

beforeEach(async () => {
  server = http.createServer((request, response) => {
    if (request.url === "/slow") setTimeout(() => response.end("late"), 1_200);
    else response.end("here");
  });
  server.keepAliveTimeout = 0;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  client = new Client(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, new Secrets());
});

afterEach(() => {
  client.close();
  server.close();
});

const ask = async (path: string): Promise<string> => (await client.send({ method: "GET", path })).text;

it("closes a connection that is idle before the server may, and not one that waits for its answer", async () => {
  const connections: Socket[] = [];
  server.on("connection", (socket: Socket) => connections.push(socket));
  expect(await ask("/")).toBe("here");
  expect(await ask("/slow")).toBe("late");
  expect(connections).toHaveLength(1);
  await once(connections[0]!, "close");
  expect(await ask("/")).toBe("here");
  expect(connections).toHaveLength(2);
});
