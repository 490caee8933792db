import { expect, it, vi } from "vitest";
import type { OperationId } from "../../generated/contract.ts";
import { Answer } from "../judge/answer.ts";
import type { Exchange } from "../judge/exchange.ts";
import type { Outgoing } from "./client.ts";
import { Secrets } from "./secrets.ts";
import { Session } from "./session.ts";
import { Waiting } from "./waiting.ts";

/** The outcome of a request to a server that gives these answers, the last of them repeatedly. */
async function sent(
  operation: OperationId,
  ...answers: readonly (readonly [status: number, retryAfter?: string])[]
): Promise<{ count: number; outcome: unknown }> {
  let count = 0;
  const letIn = new Set<OperationId | null>();
  const client = {
    waiting: new Waiting(),
    letIn,
    async send({ method, path }: Outgoing): Promise<Answer> {
      const [status, retryAfter] = answers[Math.min(count, answers.length - 1)]!;
      count += 1;
      if (status !== 429) letIn.add(operation);
      const headers: Record<string, string> = retryAfter === undefined ? {} : { "retry-after": retryAfter };
      const exchange: Exchange = {
        operation,
        account: null,
        started_at: Date.now(),
        duration_ms: 1,
        request: { method, url: path, headers: {}, body: null },
        response: { status, headers, body: "{}" },
        error: null,
      };
      return new Answer(status, headers, "{}", exchange);
    },
  };
  const session = new Session(client as never, new Secrets());
  vi.useFakeTimers();
  try {
    const outcome = session.sendPatiently({ method: "POST", path: "/x" }).then(
      ({ status }) => status,
      (error: unknown) => (error as Error).message,
    );
    await vi.runAllTimersAsync();
    return { count, outcome: await outcome };
  } finally {
    vi.useRealTimers();
  }
}

it("waits as Retry-After says, and gives up if that never ends or takes too long", async () => {
  expect(await sent("discover", [429, "2"], [200])).toEqual({ count: 2, outcome: 200 });
  const endless = await sent("startClaim", [429, "1"]);
  expect(endless).toEqual({ count: 13, outcome: expect.stringContaining("refused with 429 after every") });
  expect(endless.outcome).toMatch(/, and nobody was ever let in$/);
  const long = await sent("startClaim", [429, "3600"]);
  expect(long).toEqual({ count: 1, outcome: expect.stringContaining("budget of waiting") });
});

it("ends a check that does not wait when a quota is used up, and names the account and operation", async () => {
  const answer: Exchange = {
    operation: "discover",
    account: null,
    started_at: 0,
    duration_ms: 1,
    request: { method: "POST", url: "/search", headers: {}, body: null },
    response: null,
    error: null,
  };
  const client = {
    waiting: new Waiting(),
    send: async () => new Answer(429, { "retry-after": "3600" }, "{}", answer),
  };
  const session = new Session(client as never, new Secrets(), { leaves: true });
  const sent = session.sendPatiently({ method: "POST", path: "/search", account: "account 1" });
  await expect(sent).rejects.toThrow("left out by --fast");
  expect(session.usedUp).toMatchObject({ account: "account 1", operation: "discover" });
});

it("returns a 429 that never says when to come back", async () => {
  expect(await sent("getCredits", [429])).toEqual({ count: 13, outcome: 429 });
});

it("waits for a server that is too busy, but repeats no Call, since it may have been executed", async () => {
  expect(await sent("listUsage", [503, "2"], [200])).toEqual({ count: 2, outcome: 200 });
  expect(await sent("listUsage", [503, "2"])).toEqual({ count: 4, outcome: 503 });
  expect(await sent("listUsage", [503])).toEqual({ count: 1, outcome: 503 });
  expect(await sent("call", [503, "2"], [200])).toEqual({ count: 1, outcome: 503 });
});

it("ends when all its requests are answered, and sends no more", async () => {
  const { promise, resolve } = Promise.withResolvers<Answer>();
  let count = 0;
  const client = {
    send: () => {
      count += 1;
      return promise;
    },
  };
  const session = new Session(client as never, new Secrets());
  const sent = session.send({ method: "POST", path: "/x" });
  let isOver = false;
  const end = session.end().then(() => (isOver = true));
  await expect(session.send({ method: "POST", path: "/x" })).rejects.toThrow("the check is over");
  expect([count, isOver]).toEqual([1, false]);
  resolve(new Answer(200, {}, "{}", { request: { method: "POST" } } as Exchange));
  await Promise.all([sent, end]);
  expect([session.exchanges.length, isOver]).toEqual([1, true]);
});
