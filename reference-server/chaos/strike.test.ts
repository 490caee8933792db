import { once } from "node:events";
import http, { type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { defaultConfig } from "../config.ts";
import { oddWaysOf } from "./odd.ts";
import { struck, type Strike } from "./strike.ts";

const rows = {
  status: "success",
  data: { total: 1, items: [{ id: "one" }], has_more: true, next_cursor: "next" },
};
const own: Record<string, { type: string; body: string }> = {
  "/list": { type: "application/json", body: JSON.stringify(rows) },
  "/one": { type: "application/json", body: JSON.stringify({ status: "success", data: { id: "one" } }) },
  "/export": { type: "text/csv", body: "id,amount\r\none,1\r\n" },
};

let strike: Strike;
let finished = 0;
const listener: RequestListener = (request, response) => {
  const { type, body } = own[request.url!]!;
  finished += 1;
  response.setHeader("content-type", type);
  // As Express does: the head is written by the first byte of the body.
  response.end(body);
};
const limits = { quotas: defaultConfig.quotas, clock: { now: () => 0 } };
const server = http.createServer((request, response) =>
  struck(listener, request, response, { strike, operation: "call", limits }),
);
let origin: string;
beforeAll(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());

/** The answer that a strict client of HTTP receives, and how often the work was done. */
async function received(
  given: Strike,
  path = "/list",
): Promise<{ status: number; text: string; done: number }> {
  strike = given;
  finished = 0;
  const response = await fetch(origin + path);
  return { status: response.status, text: await response.text(), done: finished };
}

it("answers with the status of a failure after the work was done, and before", async () => {
  expect(await received({ kind: "failed", status: 503 })).toMatchObject({ status: 503, done: 1 });
  expect(await received({ kind: "failed", status: 408 })).toMatchObject({ status: 408, done: 1 });
  expect(await received({ kind: "refused", status: 504 })).toMatchObject({ status: 504, done: 0 });
  expect(await received({ kind: "limited", retryAfterSeconds: 2 })).toMatchObject({ status: 429, done: 0 });
});

it("shows no rows of a list, of an export and of an id", async () => {
  const list = await received({ kind: "empty" });
  expect(JSON.parse(list.text)).toEqual({
    status: "success",
    data: { total: 0, items: [], has_more: false, next_cursor: null },
  });
  expect(await received({ kind: "empty" }, "/export")).toMatchObject({ status: 200, text: "id,amount\r\n" });
  expect(await received({ kind: "empty" }, "/one")).toMatchObject({ status: 404 });
});

it.each(oddWaysOf("call"))("answers with JSON in another form: %s", async (way) => {
  const { status, text } = await received({ kind: "odd", way });
  expect(status).toBe(200);
  expect(JSON.parse(text)).toMatchObject(rows);
});

it("loses the answer after the work was done, or half of it after a whole head", async () => {
  await expect(received({ kind: "lost" })).rejects.toThrow("fetch failed");
  expect(finished).toBe(1);
  strike = { kind: "cut" };
  const response = await fetch(`${origin}/list`);
  expect(response.status).toBe(200);
  expect(Number(response.headers.get("content-length"))).toBe(own["/list"]!.body.length);
  await expect(response.text()).rejects.toThrow("terminated");
});

it("delays an answer that is late", async () => {
  expect(await received({ kind: "late", ms: 20 })).toMatchObject({ status: 200, text: own["/list"]!.body });
});
