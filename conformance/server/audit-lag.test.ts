import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Answer } from "../judge/answer.ts";
import { Unverifiable } from "../judge/verdict.ts";
import { Account } from "./account.ts";
import { measuredLag } from "./audit-lag.ts";
import type { Outgoing } from "./client.ts";
import { defaultProfile } from "./profile.ts";
import { Secrets } from "./secrets.ts";
import { Session } from "./session.ts";
import { Waiting } from "./waiting.ts";

/** The event types of the requests that leave events, by path. */
const eventTypes = new Map([
  ["/search", "search"],
  ["/tools/by-ids", "search_by_ids"],
  ["/tools/execute", "tool_execute"],
]);

/** The seconds after which the audit shows a request, and that a Call has settled. */
interface Delays {
  inspect: number;
  discover?: number;
  settlement?: number;
  /** The seconds after which the ledger shows it; by default when the audit does. */
  entry?: number;
  /** The seconds after which a summary counts a request. */
  sums?: number;
  /** The seconds that one process of three is behind. */
  lateProcess?: number;
}

/** An account of a server with a late audit; it has a tool to call where a settlement is given. */
function accountOf({
  inspect,
  discover = inspect,
  settlement,
  entry = inspect,
  sums = 0,
  lateProcess = 0,
}: Delays): Account {
  let reads = 0;
  const made: { at: number; event: Record<string, unknown> }[] = [];
  const client = {
    waiting: new Waiting(),
    async send({ method, path, body = "{}" }: Outgoing): Promise<Answer> {
      const { pathname, searchParams } = new URL(path, "http://127.0.0.1");
      const type = eventTypes.get(pathname);
      const { session_id: session } = JSON.parse(body) as { session_id?: string };
      const ids = { search_id: `search ${made.length}`, execution_id: `exec ${made.length}` };
      const event = { event_type: type, session_id: session, ...ids };
      if (type !== undefined) made.push({ at: performance.now(), event });
      const asked = searchParams.get("execution_id");
      if (type === undefined) reads += 1;
      const behind = reads % 3 === 0 ? lateProcess : 0;
      const summed = made.filter(({ at }) => (performance.now() - at) / 1_000 >= sums).length;
      const items = made
        .map((row) => ({ ...row, seconds: (performance.now() - row.at) / 1_000 - behind }))
        .filter(({ event: one, seconds }) => {
          if (pathname.endsWith("/ledger")) return one["event_type"] === "tool_execute" && seconds >= entry;
          return seconds >= (one["event_type"] === "search" ? discover : inspect);
        })
        .filter(({ event: one }) => asked === null || one["execution_id"] === asked)
        .map(({ event: one, seconds }) => ({
          ...one,
          charge_outcome: seconds >= (settlement ?? 0) ? "included" : null,
        }));
      const data = { items, total: items.length, summary: { total_count: summed } };
      const text = JSON.stringify(type === undefined ? { data } : { ...ids, success: true });
      const exchange = {
        operation: type === undefined ? ("listUsage" as const) : null,
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
  if (settlement !== undefined) profile.tools = { charged: { id: "tool" } };
  return new Account(new Session(client as never, new Secrets()), profile, "key", "account");
}

const secondsOf = async (account: Account): Promise<number | undefined> =>
  (await atOnce(measuredLag(account)))?.seconds;

/** The value of some work that waits, without waiting. */
async function atOnce<T>(work: Promise<T>): Promise<T> {
  work.catch(() => undefined);
  await vi.advanceTimersByTimeAsync(200_000);
  return work;
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it("measures a late audit, and does not call an event missing where it shows none", async () => {
  expect(await secondsOf(accountOf({ inspect: 0 }))).toBe(5);
  expect(await secondsOf(accountOf({ inspect: 7 }))).toBeGreaterThan(13);
  const silent = accountOf({ inspect: Infinity });
  expect(await secondsOf(silent)).toBeUndefined();
  await expect(atOnce(silent.usageEventsOf("exec_1"))).rejects.toThrow(Unverifiable);
  silent.profile.audit_lag = 5;
  expect(await atOnce(silent.usageEventsOf("exec_1"))).toEqual([]);
});

it("takes an audit that shows nothing within a minute, although the ledger has the Call, for missing", async () => {
  const silent = accountOf({ inspect: Infinity, settlement: 0, entry: 0 });
  expect(await secondsOf(silent)).toBe(5);
  expect(await secondsOf(accountOf({ inspect: Infinity, settlement: 0 }))).toBeUndefined();
});

it("measures Discovers that appear late, and leaves those that never appear to their check", async () => {
  expect(await secondsOf(accountOf({ inspect: 0, discover: 20 }))).toBeGreaterThan(39);
  expect(await secondsOf(accountOf({ inspect: 0, discover: Infinity }))).toBe(5);
});

it("measures sums and rows apart, and a row as shown once every process shows it", async () => {
  const lag = await atOnce(measuredLag(accountOf({ inspect: 1, sums: 9, lateProcess: 3 })));
  expect(lag?.measured?.rows).toBeGreaterThan(3);
  expect(lag?.measured?.rows).toBeLessThan(5);
  expect(lag?.measured?.sums).toBeGreaterThan(7);
  expect(lag?.seconds).toBeGreaterThan(14);
});

it("waits once for a server that does not settle", async () => {
  const measured = performance.now();
  await atOnce(
    measuredLag(accountOf({ inspect: 0, settlement: Infinity })).then(() =>
      expect(performance.now() - measured).toBeLessThan(61_000),
    ),
  );
});

it("takes a settlement that does not come within a minute, although other rows do, for missing", async () => {
  expect(await secondsOf(accountOf({ inspect: 0, settlement: 7 }))).toBeGreaterThan(13);
  const slow = accountOf({ inspect: 0, settlement: 300 });
  const seconds = await secondsOf(slow);
  expect(seconds).toBe(5);
  slow.profile.audit_lag = seconds!;
  const call = await slow.call({ id: "tool", parameters: {} });
  expect((await atOnce(slow.usageOf(call))).at("charge_outcome").present).toBe(false);
  expect(slow.session.finality.remedyFor({})).toContain("audit_lag: SECONDS");
});
