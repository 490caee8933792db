import { createServer, type RequestListener } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, expect, it } from "vitest";
import { freePort } from "../../../base/free-port.ts";
import { findNginx, startNginx } from "./nginx.ts";
import { contractVersion } from "../../../generated/contract.ts";

const isMissing = findNginx() === null;
const open: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

/** A server that counts its requests and gives a scripted answer. */
async function counting(answer: RequestListener = (_request, response) => response.end("{}")) {
  const got = { requests: 0, from: new Set<string>() };
  const server = createServer((request, response) => {
    got.requests += 1;
    got.from.add(String(request.headers["x-forwarded-for"]));
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  open.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, got };
}

const post = (origin: string) =>
  fetch(`${origin}/api/v1/tools/execute`, { method: "POST", body: '{"tool_id":"a"}' });

const balance = async (origins: string[]): Promise<string> => {
  const balancer = await startNginx(origins);
  open.push(balancer.close);
  return balancer.origin;
};

it.skipIf(isMissing)("gives each server its share, and names the client", async () => {
  const servers = [await counting(), await counting(), await counting()];
  const origin = await balance(servers.map((server) => server.origin));
  for (let n = 0; n < 12; n += 1) expect((await post(origin)).status).toBe(200);
  expect(servers.map(({ got }) => got.requests)).toEqual([4, 4, 4]);
  expect(servers.map(({ got }) => [...got.from])).toEqual(servers.map(() => ["127.0.0.1"]));
});

it.skipIf(isMissing)(
  "passes on a request of HTTP/1.0 without a Host, which such a request does not need",
  async () => {
    const refusing: RequestListener = ({ headers }, response) =>
      response.writeHead(headers.host ? 200 : 400).end();
    const { port, hostname } = new URL(await balance([(await counting(refusing)).origin]));
    const socket = connect(Number(port), hostname);
    socket.write("GET /openapi.json HTTP/1.0\r\n\r\n");
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 /);
  },
);

it.skipIf(isMissing)("skips a server that is down", async () => {
  const server = await counting();
  const origin = await balance([`http://127.0.0.1:${await freePort()}`, server.origin]);
  for (let n = 0; n < 6; n += 1) expect((await post(origin)).status).toBe(200);
  expect(server.got.requests).toBe(6);
});

it.skipIf(isMissing)("does not repeat a call that a server may have carried out", async () => {
  const dying: RequestListener = (request) => void request.socket.destroy();
  const servers = [await counting(dying), await counting(dying)];
  const origin = await balance(servers.map((server) => server.origin));
  const answer = await post(origin);
  expect(servers[0]!.got.requests + servers[1]!.got.requests).toBe(1);
  expect(answer.status).toBe(503);
  expect(answer.headers.get("x-service-api-version")).toBe(contractVersion);
  expect(answer.headers.get("retry-after")).not.toBeNull();
  expect(await answer.json()).toMatchObject({ status: "failure", status_code: 503, data: null });
});
