import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import type { Exchange } from "../judge/exchange.ts";
import { operations, probeChecks, type OperationId } from "../../generated/contract.ts";
import { rules, speakingTo } from "./rules.ts";
import { seenOf } from "../judge/seen.ts";

const statuses = [200, 400, 401, 402, 403, 404, 422, 429, 500];
const everyOperation = Object.keys(operations) as OperationId[];

/** Every example answer in the spec, of any operation. */
async function exampleBodies(): Promise<unknown[]> {
  const text = await readFile(new URL("../../generated/openapi.json", import.meta.url), "utf8");
  const found: unknown[] = [];
  const walk = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return;
    for (const [name, value] of Object.entries(node)) {
      if (name === "example") found.push(value);
      else if (name === "examples" && !Array.isArray(value)) {
        for (const one of Object.values(value as object)) found.push((one as { value?: unknown }).value);
      } else walk(value);
    }
  };
  walk(JSON.parse(text));
  return found.filter((body) => typeof body === "object" && body !== null);
}

const exchangeOf = (operation: OperationId, status: number, body: string, sent: object): Exchange => ({
  operation,
  account: "account 1",
  started_at: Date.now(),
  duration_ms: 5,
  request: {
    method: operations[operation].method,
    url: "http://127.0.0.1/api/v1/any?page=1",
    headers: {},
    body: JSON.stringify(sent),
  },
  response: {
    status,
    headers: {
      "content-type": "application/json",
      "x-ratelimit-limit": "120",
      "x-ratelimit-remaining": "0",
      "x-ratelimit-reset": "1",
      "retry-after": "0",
    },
    body,
  },
  error: null,
});

test("rules that are left out of an operation's have nothing to say about its answers", async () => {
  const bodies = [...(await exampleBodies()), {}, { success: true, result: {} }].map((body) =>
    JSON.stringify(body),
  );
  expect(bodies.length).toBeGreaterThan(50);
  const sent = {
    checks: probeChecks,
    view: "routing",
    respond_with: "summary",
  };
  const spoke = new Set<string>();
  for (const operation of everyOperation) {
    for (const status of statuses) {
      const asked = new Set(speakingTo(operation, status));
      const others = rules.filter((rule) => !asked.has(rule));
      for (const body of bodies) {
        const seen = seenOf(exchangeOf(operation, status, body, sent))!;
        for (const rule of others)
          if (rule.judge(seen) !== null) spoke.add(`${rule.id} on ${operation} ${status}`);
      }
    }
  }
  expect([...spoke]).toEqual([]);
});

test("every rule belongs to some operation's", () => {
  const asked = new Set(
    everyOperation.flatMap((operation) => statuses.flatMap((status) => speakingTo(operation, status))),
  );
  expect(rules.filter((rule) => !asked.has(rule)).map(({ id }) => id)).toEqual([]);
});
