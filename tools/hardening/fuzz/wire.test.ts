import http from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, it } from "vitest";
import { Line, NoAnswer, type RawRequest } from "./wire.ts";

const request: RawRequest = {
  method: "GET",
  target: "/",
  fields: [],
  body: null,
  delivery: "whole",
  ends: false,
};
const deadlineMs = 150;
let server: http.Server;
let line: Line;

beforeEach(async () => {
  server = http.createServer((asked, answer) => {
    if (asked.url === "/") answer.end("here");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  line = new Line(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, deadlineMs);
});

afterEach(() => {
  line.close();
  server.closeAllConnections();
  server.close();
});

it("does not mistake a machine that stood still for a silent server", async () => {
  await line.send(request);
  const asked = line.send(request);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2 * deadlineMs);
  expect((await asked).body).toBe("here");
});

it("gives up on a server that is silent", async () => {
  await expect(line.send({ ...request, target: "/silent" })).rejects.toThrow(NoAnswer);
});
