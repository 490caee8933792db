import { describe, expect, it } from "vitest";
import { limitedOperations, type OperationId } from "../../generated/contract.ts";
import { seeded, type Seeded } from "../../base/seeded.ts";
import type { Exchange } from "../judge/exchange.ts";
import { condition, type Fact } from "../judge/fact.ts";
import type { Finding, Run } from "../judge/finding.ts";
import { causesOf } from "./causes.ts";
import { sampleCheck } from "./sample-report.fixture.ts";

/*
 * Composites: recordings of a server with one fault that many checks meet, generated from a seed. The fault is in one
 * operation, in one process of three, in one kind of row, or in one moment.
 */

const seeds = Array.from({ length: 200 }, (_, seed) => seed);
const start = Date.UTC(2026, 10, 28);
const reads = ["listUsage", "getUsageEvent", "listLedger", "getCredits", "exportUsage"] as const;

/** A recording under way. */
class Recording {
  readonly exchanges: Exchange[] = [];
  readonly findings: Finding[] = [];
  readonly broken = new Map<Exchange, string[]>();
  readonly seed: number;
  readonly #seeded: Seeded;
  atMs = start;

  constructor(seed: number) {
    this.seed = seed;
    this.#seeded = seeded(seed);
  }

  /** A number from 0 up to 1. */
  random(): number {
    return this.#seeded.below(1e6) / 1e6;
  }

  pick<Value>(list: readonly Value[]): Value {
    return this.#seeded.pick(list);
  }

  ask(
    operation: OperationId,
    body: unknown,
    { status = 200, sent = null as unknown, query = "", account = "account 1", afterMs = 200 } = {},
  ): Exchange {
    this.atMs += afterMs;
    const exchange: Exchange = {
      operation,
      account,
      started_at: this.atMs,
      duration_ms: 10,
      request: {
        method: sent === null ? "GET" : "POST",
        url: `http://server/api/v1/${operation}${query}`,
        headers: {},
        body: sent === null ? null : JSON.stringify(sent),
      },
      response: { status, headers: {}, body: JSON.stringify(body) },
      error: null,
    };
    this.exchanges.push(exchange);
    return exchange;
  }

  /** A check that fails at the last of its exchanges, or is blocked there. */
  check(exchanges: Exchange[], fact: Fact | null): void {
    const clause = `USAG-${10 + (this.findings.length % 50)}`;
    this.findings.push({
      ...sampleCheck(),
      id: `${clause}/check-${this.findings.length}`,
      clauses: [clause],
      verdict: fact === null ? "blocked" : "fail",
      reason: "the answer cannot be used",
      ...(fact !== null && { fact, expected: "something", received: "another" }),
      exchanges,
      culprit: exchanges.length - 1,
    });
  }

  causes() {
    return causesOf(this.findings, {
      ...(this as Pick<Run, "exchanges" | "broken">),
      audit_lag: { seconds: 2 },
    });
  }
}

const rows = (items: unknown[], more: object = {}): object => ({
  status: "success",
  message: "ok",
  data: { items, total: items.length, ...more },
});
const status = (wanted: number, received: number): Fact =>
  condition("", "", { kind: "status", expected: { statuses: [wanted] }, received: { status: received } });
const value = (subject: string, wanted: unknown, received: unknown): Fact => ({
  kind: "value",
  place: null,
  subject,
  names: [],
  expected: { value: wanted },
  received: { value: received },
});
const iso = (ms: number): string => new Date(ms).toISOString();
const empty = (): Fact => value("the event", 1, undefined);

/** One cause, with these words, that holds all findings. */
function expectOne(recording: Recording, what: RegExp): void {
  const causes = recording.causes();
  const seed = `seed ${recording.seed}`;
  expect(
    causes.map((cause) => cause.what),
    seed,
  ).toEqual([expect.stringMatching(what)]);
  expect(causes[0]!.checks.length + causes[0]!.blocks.length, seed).toBe(recording.findings.length);
}

const eachSeed = (name: string, judge: (seed: number) => void): void =>
  it(`${name}, for ${seeds.length} seeds`, () => {
    for (const seed of seeds) judge(seed);
  });

describe("names one cause of a fault", () => {
  eachSeed("in one operation that answers 500", (seed) => {
    const recording = new Recording(seed);
    const broken = recording.pick([...reads, ...limitedOperations]);
    for (let at = 0; at < 12; at++) {
      const before = recording.ask(
        recording.pick(limitedOperations.filter((operation) => operation !== broken)),
        {
          query: "x",
        },
      );
      const isHit = at < 3 || recording.random() < 0.5;
      const last = isHit
        ? recording.ask(broken, { error: "oops" }, { status: 500 })
        : recording.ask(broken, { query: "x" });
      if (isHit) recording.check([before, last], recording.pick([status(200, 500), status(422, 500), null]));
    }
    expectOne(recording, / answers 500(?:: \d+ of 12 responses| to everything)/);
  });

  eachSeed("in one process of three, whatever is asked", (seed) => {
    const recording = new Recording(seed);
    for (let at = 0; at < 180; at++) {
      const operation = [...reads, ...limitedOperations][at % 9]!;
      const isHit = Math.floor(recording.random() * 3) === 0;
      const last = recording.ask(operation, isHit ? {} : { query: "x" }, { status: isHit ? 500 : 200 });
      if (isHit && recording.random() < 0.5)
        recording.check([last], recording.pick([status(200, 500), status(401, 500), null]));
    }
    expectOne(recording, /^the server \(9 operations\) answers 500: \d+ of 180 responses/);
  });

  eachSeed("in one process of three whose reads are behind", (seed) => {
    const recording = new Recording(seed);
    const items: { id: string; created_at: string; execution_id: string }[] = [];
    for (let at = 0; at < 60; at++) {
      const call = recording.ask(
        "call",
        { execution_id: `e${at}`, success: true },
        { sent: {}, afterMs: 900 },
      );
      items.unshift({ id: `u${at}`, created_at: iso(recording.atMs), execution_id: `e${at}` });
      const isBehind = at % 3 === 0;
      const lateMs = isBehind ? 8_000 + recording.random() * 4_000 : 500;
      const shown = items.filter(
        ({ created_at: created }) => Date.parse(created) < recording.atMs + 900 - lateMs,
      );
      const read = recording.ask("listUsage", rows(shown), { afterMs: 900 });
      if (isBehind && at > 6)
        recording.check(
          [call, read],
          recording.pick([empty(), value("data.total", items.length, shown.length), null]),
        );
    }
    expectOne(recording, /missing from the usage history in \d+ of \d+ reads, as of one process of several$/);
  });

  eachSeed("in one kind of row: of failed Calls", (seed) => {
    const recording = new Recording(seed);
    const items: object[] = [];
    for (let at = 0; at < 24; at++) {
      const success = at % 3 !== 0;
      const call = recording.ask("call", { execution_id: `e${at}`, success }, { sent: {} });
      if (success) items.unshift({ id: `u${at}`, created_at: iso(recording.atMs), execution_id: `e${at}` });
      const read = recording.ask(recording.pick(["listUsage", "listUsage", "getCredits"]), rows(items), {
        afterMs: 3_000,
      });
      if (!success)
        recording.check([call, read], recording.pick([empty(), value("data.total", at, 0), null]));
    }
    recording.ask("listUsage", rows(items), { afterMs: 3_000 });
    expectOne(
      recording,
      /^usage events are written for successful Calls alone: 0 of 8 failed Calls have one, 16 of 16/,
    );
  });

  eachSeed("in one kind of row: charged twice", (seed) => {
    const recording = new Recording(seed);
    const items: object[] = [];
    for (let at = 0; at < 12; at++) {
      const session = `s${at}`;
      const call = recording.ask(
        "call",
        { execution_id: `e${at}`, success: true },
        { sent: { session_id: session } },
      );
      for (const part of ["a", "b"])
        items.unshift({
          id: `u${at}${part}`,
          created_at: iso(recording.atMs),
          execution_id: part === "a" ? `e${at}` : null,
          session_id: session,
          charge_outcome: "charged",
        });
      const read = recording.ask("listUsage", rows(items), { afterMs: 3_000 });
      recording.check(
        [call, read],
        recording.pick([value("the balance", 9, 8), value("new events", 1, 2), null]),
      );
    }
    expectOne(recording, /^each Call is charged twice: 12 of 12 sessions/);
  });

  eachSeed("in one kind of sum: nothing young is in it", (seed) => {
    const recording = new Recording(seed);
    const lateMs = 6_000 + Math.floor(recording.random() * 5_000);
    const items: { id: string; created_at: string }[] = [];
    for (let at = 0; at < 30; at++) {
      const call = recording.ask(
        "call",
        { execution_id: `e${at}`, success: true },
        { sent: {}, afterMs: 1_500 },
      );
      items.unshift({ id: `u${at}`, created_at: iso(recording.atMs) });
      recording.ask("listUsage", rows(items), { query: "?page_size=200" });
      const counted = items.filter(
        ({ created_at: created }) => Date.parse(created) < recording.atMs + 200 - lateMs,
      );
      const read = recording.ask("listUsage", rows([], { summary: { total_count: counted.length } }), {
        query: "?summary=true",
      });
      if (at > 8) recording.check([call, read], value("total_count of the window", at + 1, counted.length));
    }
    expectOne(recording, /^nothing younger than \d+ s is ever in the sums/);
  });

  eachSeed("in one moment", (seed) => {
    const recording = new Recording(seed);
    const from = 40 + Math.floor(recording.random() * 100);
    for (let at = 0; at < 240; at++) {
      const isHit = at >= from && at < from + 15;
      const last = recording.ask([...reads, ...limitedOperations][at % 9]!, isHit ? {} : { query: "x" }, {
        status: isHit ? 503 : 200,
      });
      if (isHit) recording.check([last], recording.pick([status(200, 503), status(400, 503), null]));
    }
    expectOne(recording, /^the server \(9 operations\) answers 503: 15 of 240 responses, all within 2\.8 s$/);
  });
});

it("takes nothing for late, lost or charged twice on a server that keeps its books", () => {
  const recording = new Recording(7);
  const items: object[] = [];
  const entries: object[] = [];
  for (let at = 0; at < 30; at++) {
    const success = at % 3 !== 0;
    const call = recording.ask(
      "call",
      { execution_id: `e${at}`, success },
      { sent: { session_id: `s${at}` } },
    );
    items.unshift({
      id: `u${at}`,
      created_at: iso(recording.atMs),
      execution_id: `e${at}`,
      session_id: `s${at}`,
      charge_outcome: success ? "charged" : "failed_not_charged",
    });
    if (success) entries.unshift({ id: `l${at}`, execution_id: `e${at}`, amount_credits: -1 });
    // The same account, by another of its credentials.
    for (const account of ["account 1", "made up"]) {
      recording.ask("listLedger", rows(entries), { account });
      recording.ask("listUsage", rows(items), { account });
    }
    const read = recording.ask("listUsage", rows(items));
    // A row whose id cannot be read is one that a list shows.
    const unread = { id: { unexpected: true } };
    recording.ask("getUsageEvent", { status: "success", data: { ...items[0], ...unread } });
    recording.ask("getLedgerEntry", { status: "success", data: { ...entries[0], ...unread } });
    recording.check([call, read], value("data.items.0.reason_code", "result.valid", `other ${at}`));
  }
  for (const { what } of recording.causes()) expect(what).not.toMatch(/younger|alone|twice|missing from/);
});

it("takes no Calls for left out where the list shows no rows at all, of any kind", () => {
  const recording = new Recording(8);
  for (let at = 0; at < 6; at++) {
    const call = recording.ask("call", { execution_id: `e${at}`, success: true }, { sent: {} });
    const read = recording.ask("listUsage", { status: "success", data: { total: at + 1 } });
    recording.check([call, read], value("data.items", "array", undefined));
  }
  for (const { what } of recording.causes()) expect(what).not.toMatch(/alone/);
});
