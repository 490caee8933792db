import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Came } from "./came.ts";
import { closedLoop } from "./closed-loop.ts";
import { plan, type Planned } from "./planned.ts";

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

const requests: Planned[] = Array.from({ length: 7 }, (_, index) =>
  plan(
    "discover",
    { account: `account ${index}`, key: `key-of-${index}`, keyName: "key 1" },
    { body: { query: `query ${index}` } },
  ),
);

test("every answer belongs to the request that it answers, whatever its status", async () => {
  const came: Came[] = [];
  const { errors } = await closedLoop({
    baseUrl,
    requests,
    connections: 5,
    amount: 103,
    onCame: (one) => came.push(one),
  });
  expect(errors).toBe(0);
  expect(came).toHaveLength(103);
  expect(came.filter(({ exchange }) => exchange.response!.status === 429).length).toBeGreaterThan(30);
  for (const { planned, exchange, asked: read, sentAt, answeredAt } of came) {
    expect(exchange.response!.body).toBe(planned.body);
    expect(exchange.response!.headers["x-key"]).toBe(`Bearer ${planned.sender.key}`);
    expect(exchange.response!.headers["x-twice"]).toBe("a, b");
    expect(exchange.request.headers["authorization"]).toBe("Bearer «key 1»");
    expect(read.sent).toEqual(JSON.parse(planned.body!));
    expect(answeredAt).toBeGreaterThanOrEqual(sentAt);
  }
});

test("requests that are to be sent once are, each", async () => {
  const came: Came[] = [];
  await closedLoop({ baseUrl, requests, once: true, connections: 3, onCame: (one) => came.push(one) });
  expect(came.map(({ planned }) => planned.sender.account).sort()).toEqual(
    requests.map(({ sender }) => sender.account),
  );
});

test("a loop of some seconds ends earlier after as many answers as are wanted", async () => {
  let answers = 0;
  const { seconds } = await closedLoop({
    baseUrl,
    requests,
    connections: 4,
    seconds: 30,
    most: 20,
    onCame: () => (answers += 1),
  });
  expect(answers).toBeGreaterThanOrEqual(20);
  expect(seconds).toBeLessThan(30);
});
