import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { WrongUse } from "../../base/exit.ts";
import { grouped } from "../drift/compare.ts";
import { compareContracts } from "../drift/contract/compare-contracts.ts";
import type { JsonObject } from "../../base/data.ts";
import { readSource } from "../drift/source.ts";

const folder = mkdtempSync(join(tmpdir(), "affected-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const write = (name: string, content: unknown): string => {
  const file = join(folder, name);
  writeFileSync(file, JSON.stringify(content));
  return file;
};

const json = (schema: JsonObject): JsonObject => ({ content: { "application/json": { schema } } });
const documentOf = (
  fields: JsonObject,
  answer: JsonObject,
  parameters: JsonObject[],
  more: JsonObject = {},
): JsonObject => ({
  openapi: "3.1.0",
  info: { title: "Shop", version: "1" },
  servers: [{ url: "https://shop.example/v1" }],
  paths: {
    "/orders/{id}": {
      post: {
        parameters: [{ name: "id", in: "path", required: true, schema: { type: "string" } }, ...parameters],
        requestBody: json({ type: "object", properties: fields }),
        responses: { "200": json({ type: "object", properties: answer, required: Object.keys(answer) }) },
      },
    },
    ...more,
  },
});

const old = documentOf(
  { size: { type: "integer", maximum: 9 }, lines: { type: "array", items: { enum: ["a", "b"] } } },
  { total: { type: "number" }, note: { type: "string" } },
  [{ name: "page", in: "query", schema: { type: "integer", maximum: 50 } }],
  { "/orders": { get: { responses: { "200": { description: "All." } } } } },
);
const now = documentOf(
  { size: { type: "integer", maximum: 5 }, lines: { type: "array", items: { enum: ["a"] } } },
  { total: { type: "number" } },
  [{ name: "page", in: "query", schema: { type: "integer", maximum: 20 } }],
);

const entry = (
  method: string,
  url: string,
  sent: unknown,
  status: number,
  received: unknown,
): JsonObject => ({
  startedDateTime: "2026-11-20T00:00:00Z",
  time: 1,
  request: {
    method,
    url,
    headers: [],
    ...(sent !== null && { postData: { mimeType: "application/json", text: JSON.stringify(sent) } }),
  },
  response: {
    status,
    headers: [{ name: "Content-Type", value: "application/json" }],
    content: { text: JSON.stringify(received) },
  },
});
const order = (number: number, sent: unknown, status = 200, received: unknown = {}, query = ""): JsonObject =>
  entry("POST", `https://staging.example/v1/orders/${number}${query}`, sent, status, received);

test("each change names the recorded exchanges that it would have broken, and no other", async () => {
  const traffic = write("shop.har", {
    log: {
      entries: [
        order(1, { size: 4, lines: ["a"] }),
        order(2, { size: 7, lines: ["b", "b"] }),
        order(3, { size: 8 }, 422),
        order(4, {}, 200, { total: 1, note: "x" }, "?page=30"),
        order(5, {}, 200, { total: 1 }, "?page=10"),
        entry("GET", "https://staging.example/other", null, 200, {}),
      ],
    },
  });
  const { changes } = await compareContracts(
    await readSource(write("old.json", old)),
    await readSource(write("new.json", now)),
    { settings: { today: "2026-11-20" }, traffic },
  );
  const affected = grouped(changes).flatMap(({ kind, where, traffic: list }) =>
    list === null ? [] : [[kind, where, list.map((title) => /orders\/\d/.exec(title)?.[0])]],
  );
  expect(affected).toEqual([
    ["operation_removed", "GET /orders", []],
    ["request_bound_narrowed", "query parameter page (maximum)", ["orders/4"]],
    ["request_bound_narrowed", "request body: size (maximum)", ["orders/2"]],
    ["request_enum_value_removed", "request body: lines.*", ["orders/2"]],
    ["answer_field_removed", "answer 200: note", ["orders/4"]],
  ]);
  expect(changes.find(({ kind }) => kind === "answer_field_removed")?.traffic).toEqual([
    "shop.har entry 4: POST /v1/orders/4, 200",
  ]);
});

test("a recording without a request of the contract is refused", async () => {
  const source = await readSource(write("same.json", old));
  const traffic = write("other.har", {
    log: { entries: [entry("GET", "https://a.example/", null, 200, {})] },
  });
  const compared = compareContracts(source, source, { settings: { today: "2026-11-20" }, traffic });
  await expect(compared).rejects.toThrow(WrongUse);
});
