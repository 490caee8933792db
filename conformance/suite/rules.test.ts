import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import type { Exchange } from "../judge/exchange.ts";
import { operations, probeChecks, type OperationId } from "../../generated/contract.ts";
import { mayBreak, rules, speakingTo } from "./rules.ts";
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
        for (const property of Object.values(value as object))
          found.push((property as { value?: unknown }).value);
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

/** A body with one member left out, null, or of another type, each in turn. */
function damaged(value: unknown): unknown[] {
  if (typeof value !== "object" || value === null) return [];
  const copy = (name: string, member: unknown): unknown =>
    Array.isArray(value) ? value.with(Number(name), member) : { ...value, [name]: member };
  return Object.entries(value).flatMap(([name, member]) =>
    [undefined, null, typeof member === "string" ? 7 : "seven", ...damaged(member)].map((damage) =>
      copy(name, damage),
    ),
  );
}

test("rules that are left out for an operation have nothing to say about its answers", async () => {
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

test("every rule applies to some operation", () => {
  const asked = new Set(
    everyOperation.flatMap((operation) => statuses.flatMap((status) => speakingTo(operation, status))),
  );
  expect(rules.filter((rule) => !asked.has(rule)).map(({ id }) => id)).toEqual([]);
});

test("a rule that an answer breaks is among those that it may break", async () => {
  const asked = [{ view: "full" }, { view: "routing" }, { checks: probeChecks, respond_with: "summary" }];
  let broken = 0;
  const missed: string[] = [];
  /** Whether an answer breaks nothing. */
  const keeps = (operation: OperationId, body: unknown, sent: object): boolean => {
    const seen = seenOf(exchangeOf(operation, 200, JSON.stringify(body) ?? "", sent))!;
    const breached = speakingTo(operation, 200).filter(
      (rule) => typeof (rule.judge(seen) ?? true) === "object",
    );
    const may = new Set(mayBreak(seen));
    missed.push(
      ...breached.filter((rule) => !may.has(rule)).map(({ id }) => `${id} on ${JSON.stringify(body)}`),
    );
    broken += breached.length;
    return breached.length === 0;
  };
  for (const example of [...(await exampleBodies()), undefined, null, 7, []])
    for (const sent of asked)
      for (const operation of everyOperation)
        if (keeps(operation, example, sent))
          for (const body of damaged(example)) keeps(operation, body, sent);
  expect(missed).toEqual([]);
  expect(broken).toBeGreaterThan(1000);
});

test("entries without an id are not duplicates; two with one id are", () => {
  const kept = (...ids: (string | undefined)[]) => {
    const body = { status: "success", data: { items: ids.map((id) => ({ id })) } };
    const seen = seenOf(exchangeOf("listLedger", 200, JSON.stringify(body), {}))!;
    return rules.find(({ id }) => id === "LEDG-01/always")!.judge(seen);
  };
  expect(kept(undefined, undefined, "a")).toBe(true);
  expect(kept(undefined, undefined, "a", "a")).toMatchObject({ expected: { condition: "each id once" } });
});
