import { afterAll, beforeAll, expect, it } from "vitest";
import { startAttacked, type Attacked } from "../attacks/attacked.fixture.ts";
import { sampleTools } from "../catalog/sample-roles.ts";
import type { Providers } from "../parts.ts";

const maxInFlight = 3;
const { charged } = sampleTools;

/** A provider that answers when the test lets it. */
function heldProvider(real: Providers) {
  let begun = 0;
  let waiting: (() => void)[] = [];
  let onBegin: () => void = () => undefined;
  const providers: Providers = {
    async execute(tool, parameters) {
      begun += 1;
      onBegin();
      await new Promise<void>((resolve) => waiting.push(resolve));
      return real.execute(tool, parameters);
    },
  };
  return {
    providers,
    begun: (count: number) =>
      new Promise<void>((resolve) => {
        onBegin = () => void (begun >= count && resolve());
        onBegin();
      }),
    let() {
      for (const go of waiting) go();
      waiting = [];
    },
  };
}

let server: Attacked;
let held: ReturnType<typeof heldProvider>;
/** Each account may take a quarter of the places, which is one. */
let keys: string[];

beforeAll(async () => {
  server = await startAttacked(
    (parts) => {
      held = heldProvider(parts.providers);
      return { ...parts, providers: held.providers };
    },
    { maxInFlight },
  );
  keys = [];
  while (keys.length < maxInFlight) keys.push((await server.trial()).key);
});

afterAll(() => server.stop());

const call = (key: string, signal?: AbortSignal) =>
  fetch(`${server.base}/tools/execute`, {
    method: "POST",
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
    body: JSON.stringify({ tool_id: charged.id, parameters: charged.parameters }),
    ...(signal && { signal }),
  });

it("leaves room for others when one account has its share under way", async () => {
  const [first, second] = keys as [string, string];
  const underWay = call(first);
  await held.begun(1);
  const refused = await server.ask("POST", "/search", { token: first, body: { query: "weather" } });
  expect(refused).toMatchObject({ status: 503, body: { status_code: 503 } });
  expect(refused.body["message"]).toContain("This account has 1 requests under way");
  expect((await server.ask("GET", "/auth/credits", { token: second })).status).toBe(200);
  held.let();
  expect((await underWay).status).toBe(200);
  expect((await server.ask("GET", "/auth/credits", { token: first })).status).toBe(200);
});

it("refuses requests beyond its capacity immediately, finishes those it has begun, and recovers", async () => {
  const leaving = new AbortController();
  const [key = ""] = keys;
  const left = call(key, leaving.signal).catch(() => "left");
  const staying = keys.slice(1).map((other) => call(other));
  await held.begun(1 + maxInFlight);

  for (const [method, path, body] of [
    ["POST", "/search", { query: "weather" }],
    ["POST", "/tools/execute", { tool_id: charged.id, parameters: charged.parameters }],
    ["GET", "/auth/credits", undefined],
    ["POST", "/agent/anonymous-register", {}],
  ] as const) {
    const refused = await server.ask(method, path, { token: key, body });
    expect(refused).toMatchObject({
      status: 503,
      body: { status: "failure", status_code: 503, data: null },
    });
    expect(refused.body["message"]).toContain(`${maxInFlight} requests are under way`);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    expect(refused.headers.get("x-ratelimit-remaining")).toBeNull();
  }
  expect((await fetch(`${new URL(server.base).origin}/healthz`)).status).toBe(200);
  expect((await fetch(`${new URL(server.base).origin}/readyz`)).status).toBe(200);

  // A client that leaves frees no place: its call continues.
  leaving.abort();
  expect(await left).toBe("left");
  expect((await server.ask("GET", "/auth/credits", { token: key })).status).toBe(503);

  held.let();
  for (const answer of await Promise.all(staying)) {
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ success: true });
  }
  await expect.poll(async () => (await server.ask("GET", "/auth/credits", { token: key })).status).toBe(200);
  await expect
    .poll(async () => (await server.ask("GET", "/auth/usage/history/v2", { token: key })).body["data"])
    .toMatchObject({ total: 2 });
});
