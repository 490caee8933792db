import { describe, expect, it, vi } from "vitest";
import { Allowance } from "./allowance.ts";

const post = (path: string, body: unknown) => ({ method: "POST", path, body: JSON.stringify(body) });
const callOf = (id: string) => post("/tools/execute", { tool_id: id, parameters: {} });
const listing = (...tools: [id: string, price?: number][]) => ({
  results: tools.map(([tool_id, amount_credits]) => ({
    tool_id,
    ...(amount_credits !== undefined && { billing_rule: { amount_credits } }),
  })),
});
const search = post("/search", { query: "data" });

describe("a budget", () => {
  it("admits Calls while the sum of their prices fits", async () => {
    const allowance = new Allowance({ budget: 1 });
    allowance.learn(search, listing(["a", 0.4]));
    await allowance.admit(callOf("a"));
    await allowance.admit(callOf("a"));
    await expect(allowance.admit(callOf("a"))).rejects.toThrow(
      "--budget 1 does not allow for 0.4 more credits",
    );
    expect(allowance.used).toEqual({ requests: 2, credits: 0.8 });
  });

  it("does not admit a Call with an unknown price or a capability query without a cap", async () => {
    const allowance = new Allowance({ budget: 100 }, ["given"]);
    allowance.learn(search, listing(["listed"]));
    for (const request of [callOf("given"), callOf("listed")])
      await expect(allowance.admit(request)).rejects.toThrow("no price of /tools/execute is known");
    const query = { capability_id: "weather", parameters: {} };
    await expect(allowance.admit(post("/capabilities/query", query))).rejects.toThrow("no price");
    await allowance.admit(post("/capabilities/query", { ...query, max_credits: 3 }));
    expect(allowance.used.credits).toBe(3);
  });

  it("takes the highest price that an answer names, and counts any amount billed beyond it", async () => {
    const allowance = new Allowance({ budget: 10 });
    allowance.learn(search, listing(["a", 1]));
    allowance.learn(post("/tools/probe?tool_id=a", {}), { quote: { estimate_credits: 2 } });
    await allowance.admit(callOf("a"));
    expect(allowance.used.credits).toBe(2);
    allowance.learn(callOf("a"), { execution_id: "e", billing: { list_amount_credits: 5 } });
    expect(allowance.used.credits).toBe(5);
    await allowance.admit(callOf("a"));
    await expect(allowance.admit(callOf("a"))).rejects.toThrow("--budget 10");
  });

  it("uses the amount that a Call was billed, whatever prices are named", () => {
    const allowance = new Allowance();
    allowance.learn(search, listing(["a", 150]));
    expect(allowance.costOf("a")).toBe(150);
    allowance.learn(callOf("a"), { execution_id: "e", billing: { list_amount_credits: 1.5 } });
    expect(allowance.costOf("a")).toBe(1.5);
  });

  it("takes a tool that the server does not list to be free", async () => {
    await new Allowance({ budget: 1 }).admit(callOf("no.such.tool"));
  });
});

describe("read-only", () => {
  const allowance = new Allowance({ readOnly: true });

  it.each([
    ["/search", {}],
    ["/tools/by-ids", {}],
    ["/tools/probe?tool_id=a", {}],
  ])("admits POST %s", async (path, body) => {
    await allowance.admit(post(path, body));
  });

  it("admits every GET", async () => {
    await allowance.admit({ method: "GET", path: "/auth/credits" });
    await allowance.admit({ method: "GET", path: "/nowhere" });
  });

  it.each(["/tools/execute", "/capabilities/query", "/agent/anonymous-register", "/agent/claim", "/nowhere"])(
    "leaves out POST %s",
    async (path) => {
      await expect(allowance.admit(post(path, {}))).rejects.toThrow(`--read-only leaves out POST ${path}`);
    },
  );
});

it("sends no more requests than allowed", async () => {
  const allowance = new Allowance({ maxRequests: 1 });
  await allowance.admit(search);
  await expect(allowance.admit(search)).rejects.toThrow("--max-requests 1 allows no further request");
});

it("registers no account where only given ones may be used", async () => {
  const allowance = new Allowance({ givenAccounts: true });
  expect(allowance.mayRegister).toBe(false);
  await expect(allowance.admit(post("/agent/anonymous-register", {}))).rejects.toThrow("--accounts given");
});

it("spaces requests by the rate", async () => {
  vi.useFakeTimers();
  try {
    const allowance = new Allowance({ rate: 50 });
    const admitted: number[] = [];
    for (const number of [1, 2, 3]) void allowance.admit(search).then(() => admitted.push(number));
    await vi.advanceTimersByTimeAsync(39);
    expect(admitted).toEqual([1, 2]);
    await vi.advanceTimersByTimeAsync(1);
    expect(admitted).toEqual([1, 2, 3]);
  } finally {
    vi.useRealTimers();
  }
});
