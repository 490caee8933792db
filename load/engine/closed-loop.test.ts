import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { closedLoop, type ClosedLoop } from "./closed-loop.ts";
import { openConnections } from "./connections.ts";
import type { Answer, Request, Sent } from "./request.ts";

/** Echoes requests after varying delays, with 429 for every third. */
let asked = 0;
const server = createServer((incoming, response) => {
  const chunks: Buffer[] = [];
  incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
  incoming.on("end", () => {
    const number = (asked += 1);
    setTimeout(() => {
      response.setHeader("X-Twice", ["a", "b"]);
      response.setHeader("X-Key", incoming.headers.authorization ?? "");
      response.writeHead(number % 3 === 0 ? 429 : 200);
      response.end(Buffer.concat(chunks));
    }, number % 5);
  });
});
let baseUrl: string;

beforeAll(async () => {
  await once(server.listen(0, "127.0.0.1"), "listening");
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`;
});
afterAll(() => void server.close());

const requests: Request[] = Array.from({ length: 7 }, (_, index) => ({
  step: "discover",
  method: "POST",
  path: "/search",
  headers: { authorization: `Bearer key-of-${index}` },
  body: `{"query":"query ${index} \u00e4"}`,
}));

async function looped(
  loop: Omit<ClosedLoop<Request>, "connections" | "requests" | "onSent">,
): Promise<{ all: Sent<Request>[]; seconds: number }> {
  const connections = openConnections(baseUrl);
  const all: Sent<Request>[] = [];
  try {
    return {
      seconds: await closedLoop({ ...loop, connections, requests, onSent: (request) => all.push(request) }),
      all,
    };
  } finally {
    connections.close();
  }
}

test("every answer belongs to the request that it answers, whatever its status", async () => {
  const { all } = await looped({ concurrentRequests: 5, amount: 103 });
  expect(all).toHaveLength(103);
  expect(all.filter(({ answer }) => (answer as Answer).status === 429).length).toBeGreaterThan(30);
  for (const { request, answer, sentAt, answeredAt } of all) {
    const { body, headers } = answer as Answer;
    expect(body).toBe(request.body);
    expect(headers["x-key"]).toBe(request.headers["authorization"]);
    expect(headers["x-twice"]).toBe("a, b");
    expect(answeredAt).toBeGreaterThanOrEqual(sentAt);
  }
});

test("requests that are to be sent once are, each", async () => {
  const { all } = await looped({ once: true, concurrentRequests: 3 });
  expect(all.map(({ request }) => request.body).sort()).toEqual(requests.map(({ body }) => body).sort());
});

test("a loop whose signal is aborted awaits the requests under way, and sends no more", async () => {
  const stop = new AbortController();
  const connections = openConnections(baseUrl);
  const all: Sent<Request>[] = [];
  await closedLoop({
    connections,
    requests,
    concurrentRequests: 4,
    amount: 1_000,
    signal: stop.signal,
    onSent: (request) => {
      all.push(request);
      if (all.length === 10) stop.abort();
    },
  });
  connections.close();
  // Those of the other three senders that were under way.
  expect(all.length).toBeLessThanOrEqual(14);
});
