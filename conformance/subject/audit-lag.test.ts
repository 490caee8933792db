import { expect, it, vi } from "vitest";
import { Answer } from "../judge/answer.ts";
import { Unverifiable } from "../judge/verdict.ts";
import { Account } from "./account.ts";
import { measuredLag } from "./audit-lag.ts";
import type { Outgoing } from "./client.ts";
import { defaultProfile } from "./profile.ts";
import { Secrets } from "./secrets.ts";
import { Session } from "./session.ts";
import { Waiting } from "./waiting.ts";

/** An account of a server whose audit shows an Inspect only after some seconds. */
function accountOf(auditSeconds: number): Account {
  const inspected: { event_type: string; search_id: string; session_id: string; at: number }[] = [];
  const client = {
    waiting: new Waiting(),
    async send({ method, path, body = "{}" }: Outgoing): Promise<Answer> {
      const isInspect = path === "/tools/by-ids";
      if (isInspect) {
        const { session_id: session } = JSON.parse(body) as { session_id: string };
        const place = inspected.length;
        inspected.push({
          event_type: "search_by_ids",
          search_id: `search ${place}`,
          session_id: session,
          at: performance.now(),
        });
      }
      const items = inspected.filter(({ at }) => performance.now() - at >= 1_000 * auditSeconds);
      const text = JSON.stringify(
        isInspect ? { search_id: inspected.at(-1)!.search_id } : { data: { items } },
      );
      const exchange = {
        operation: isInspect ? ("inspect" as const) : ("listUsage" as const),
        account: null,
        started_at: Date.now(),
        duration_ms: 1,
        request: { method, url: path, headers: {}, body },
        response: { status: 200, headers: {}, body: text },
        error: null,
      };
      return new Answer(200, {}, text, exchange);
    },
  };
  const profile = defaultProfile("http://127.0.0.1:9/api/v1");
  return new Account(new Session(client as never, new Secrets()), profile, "key", "account");
}

/** The value of some work that waits, without waiting. */
async function atOnce<T>(work: Promise<T>): Promise<T> {
  work.catch(() => undefined);
  await vi.advanceTimersByTimeAsync(200_000);
  return work;
}

it("measures a late audit, and calls no event missing where it shows none", async () => {
  vi.useFakeTimers();
  try {
    expect(await atOnce(measuredLag(accountOf(0)))).toBe(5);
    expect(await atOnce(measuredLag(accountOf(7)))).toBeGreaterThan(13);
    const silent = accountOf(Infinity);
    expect(await atOnce(measuredLag(silent))).toBeUndefined();
    await expect(atOnce(silent.usageEventsOf("exec_1"))).rejects.toThrow(Unverifiable);
    silent.profile.audit_lag = 5;
    expect(await atOnce(silent.usageEventsOf("exec_1"))).toEqual([]);
  } finally {
    vi.useRealTimers();
  }
});
