import { expect, test } from "vitest";
import type { OperationId } from "../../../generated/contract.ts";
import type { Act, Row } from "./act.ts";
import { notesOf } from "./findings.ts";
import { joinKeys } from "./keys.ts";
import { History, type HistoryOptions, type HistoryVerdict } from "./history.ts";
import { seeded } from "../../../base/seeded.ts";
import { decideUnanswered } from "./unanswered.ts";
import { epoch, simulate, type Simulation } from "./simulated.fixture.ts";

const seed = Number(process.env["HISTORY_SEED"] ?? Math.floor(Math.random() * 2 ** 31));
const { below } = seeded(seed);
const random = (): number => below(2 ** 32) / 2 ** 32;

/** The verdict on a simulated history. */
function judged(simulation: Partial<Simulation>, lagMs = simulation.lagMs ?? 0): HistoryVerdict {
  const { taken, restFrom } = simulate({ seed, operations: 600, ...simulation });
  const history = new History({ lagSeconds: lagMs / 1000, isComplete: true });
  // The order in which exchanges become known must not matter.
  for (const { exchange, when } of taken.sort(() => random() - 0.5)) history.take(exchange, when);
  return history.judge(() => restFrom);
}

/**
 * The credits name their total as they like, next to a category that looks like it; without entries for them, credits are
 * held from the first answers on.
 */
const renamingTotal =
  (held: number): NonNullable<Simulation["alter"]> =>
  (exchange, number) => {
    const { operation, response } = exchange;
    if (operation !== "getCredits") return;
    const { data } = JSON.parse(response!.body) as { data: { remaining_credits: number } };
    const total = data.remaining_credits - (number > 20 ? held : 0);
    response!.body = JSON.stringify({ data: { granted: { ever: 1e6 }, open_total: total } });
  };

/** First pages of usage events come from the feed, whose members and order are not shown. */
const readingFeed =
  (alter: (data: { items: object[] }) => object): NonNullable<Simulation["alter"]> =>
  (exchange) => {
    const { operation, request, response } = exchange;
    if (operation !== "listUsage" || !/page=1&page_size=\d{1,3}&/.test(request.url)) return;
    exchange.operation = "listUsageFeed";
    const { data } = JSON.parse(response!.body) as { data: { items: object[] } };
    response!.body = JSON.stringify({ data: alter(data) });
  };

type Fields = Record<string, unknown>;

/** Every page of the feed shows the first events that the run has had. */
const fromTheOldest = (): NonNullable<Simulation["alter"]> => {
  let oldest: object[] = [];
  return readingFeed(({ items }) => {
    if (oldest.length < 10) oldest = items.toReversed();
    return { items: oldest, next_cursor: "1" };
  });
};

const names = ({ contradictions }: HistoryVerdict): string[] => contradictions.map(({ name }) => name);

test.for<[string, Partial<Simulation>]>([
  ["a server that is always up to date", {}],
  ["rows that are late", { lagMs: 20 }],
  ["a total under a name of its own", { alter: renamingTotal(0) }],
  [
    "a feed with another page_size than its pages have",
    { alter: readingFeed((data) => ({ ...data, page_size: 4711 })) },
  ],
  [
    "a feed whose total is of the page",
    { alter: readingFeed((data) => ({ ...data, total: 3, summary: { total_count: 3 } })) },
  ],
  ["a feed that begins with the oldest events", { alter: fromTheOldest() }],
  [
    "a feed with an empty page before the others",
    { alter: readingFeed(() => ({ items: [], next_cursor: "1" })) },
  ],
  [
    "a feed of ids and times alone",
    {
      alter: readingFeed(({ items }) => ({
        items: (items as Fields[]).map(({ id, created_at }) => ({ id, created_at })),
        next_cursor: "1",
      })),
    },
  ],
  ["entries without balances", { hasBalances: false }],
  ["many answers lost", { lost: 0.5 }],
  ["rows that name no Call", { namesCalls: false }],
  ["no lists", { hasLists: false }],
  ["one client", { clients: 1 }],
])(`%s contradicts nothing (HISTORY_SEED=${seed})`, ([, simulation]) => {
  expect(names(judged(simulation))).toEqual([]);
});

test("a history that is cut short accuses no entry whose event, which names its session, may still come", () => {
  const { taken } = simulate({
    ...{ seed, operations: 300, lost: 0.5 },
    sees: (charges, { operation, begin }) =>
      operation === "listLedger" ? charges : charges.filter(({ at }) => at + 60 < begin),
  });
  const history = new History({ lagSeconds: 60, isComplete: true });
  for (const { exchange, when } of taken.slice(0, 200)) history.take(exchange, when);
  expect(names(history.judge(() => Infinity))).toEqual([]);
});

test("an event that links to the entry of another Call is found before anything is at rest", () => {
  const { taken } = simulate({
    ...{ seed, operations: 600 },
    charges: ([one]) => [{ ...one!, event: { ...one!.event, credits_ledger_entry_id: "entry-3" } }],
  });
  const bodies = taken.map(({ exchange }) => exchange.response?.body ?? "");
  const [, owner] = /"id":"entry-3".*?"execution_id":"(.*?)"/.exec(bodies.join("\n"))!;
  // Also where the Call of that entry is another client's.
  for (const isMine of [true, false]) {
    const history = new History({ lagSeconds: 60, isComplete: isMine });
    for (const [at, { exchange, when }] of taken.entries())
      if (isMine || !bodies[at]!.startsWith(`{"execution_id":"${owner}"`)) history.take(exchange, when);
    expect(names(history.judge(() => Infinity))).toEqual(["linked-to-another"]);
  }
});

test.for([
  ["shorter than the history", 20, true],
  ["longer than the history", 60_000, false],
] as const)("where audit_lag is %s, the reads say whether anything was due", ([, lagMs, isDue]) => {
  const verdict = judged({ lagMs });
  expect(verdict.reads.due > 0).toBe(isDue);
  expect(
    notesOf(verdict).some((note) => note.startsWith("unverified: no Call was older than audit_lag")),
  ).toBe(!isDue);
});

test("many histories of lawful servers contradict nothing", () => {
  for (let round = 0; round < 60; round += 1) {
    const simulation: Simulation = {
      seed: seed + round,
      operations: 20 + Math.floor(random() * 180),
      clients: 1 + Math.floor(random() * 12),
      lagMs: random() < 0.5 ? 0 : random() * 30,
      lost: random() * 0.6,
      hasBalances: random() < 0.7,
    };
    expect(names(judged(simulation)), JSON.stringify(simulation)).toEqual([]);
  }
});

let index = 0;
const readers = new Map<string, number>();

/** A change of one entry or event of each second charge. */
const onEntry = (change: (entry: Record<string, unknown>) => object): Partial<Simulation> => ({
  charges: (charges) =>
    charges.map((charge) =>
      (index += 1) % 9 === 0 ? { ...charge, entry: { ...charge.entry, ...change(charge.entry) } } : charge,
    ),
});

test.for<[string, string, Partial<Simulation>]>([
  [
    "charges a Call twice",
    "call-with-two-charges",
    { charges: ([one]) => [one!, { ...one!, entry: { ...one!.entry, id: `${one!.entry["id"]}b` } }] },
  ],
  [
    "charges a lost Call twice",
    "unanswered-call-with-two-charges",
    {
      lost: 0.3,
      charges: ([one], { lost }) =>
        lost ? [one!, { ...one!, entry: { ...one!.entry, id: `${one!.entry["id"]}b` } }] : [one!],
    },
  ],
  [
    "loses an event",
    "event-without-entry",
    {
      sees: (charges, { operation }) =>
        operation === "listLedger" ? charges.filter(({ entry }) => entry["id"] !== "entry-5") : charges,
    },
  ],
  [
    "loses an entry",
    "entry-without-event",
    {
      lost: 0.9,
      sees: (charges, { operation }) =>
        operation === "listUsage"
          ? charges.filter(({ entry }) => !/[2-6]$/.test(String(entry["id"])))
          : charges,
    },
  ],
  [
    "lets a reader go back",
    "ledger-went-back",
    { operations: 900, sees: (charges) => ((index += 1) % 2 === 0 ? charges.slice(0, -3) : charges) },
  ],
  [
    "hides rows at first",
    "ledger-too-old",
    {
      sees: (charges, { begin }) =>
        charges.filter(({ at, entry }) => begin > at + 50 || !/[0-4]$/.test(String(entry["id"]))),
    },
  ],
  ["shows a row twice", "entry-shown-twice", { sees: (charges) => [...charges, ...charges.slice(-1)] }],
  [
    "changes an entry",
    "entry-changed",
    {
      sees: (charges) =>
        charges.map((charge) => ({
          ...charge,
          entry: {
            ...charge.entry,
            description: "",
            amount_credits: Number(charge.entry["amount_credits"]) - ((index += 1) % 50 === 0 ? 1 : 0),
          },
        })),
    },
  ],
  [
    "breaks the chain",
    "chain-gap",
    onEntry(({ balance_before: before }) => ({
      balance_before: {
        total_available_credits:
          (before as { total_available_credits: number }).total_available_credits + 0.125,
      },
    })),
  ],
  [
    "uses a position twice",
    "chain-forks",
    {
      charges: ([one]) => {
        const kept = readers.get("before") ?? 0;
        const { total_available_credits: before } = one!.entry["balance_before"] as {
          total_available_credits: number;
        };
        readers.set("before", before);
        return (index += 1) % 9 === 0 && kept > 0
          ? [{ ...one!, entry: { ...one!.entry, balance_before: { total_available_credits: kept } } }]
          : [one!];
      },
    },
  ],
  [
    "does not link an event in nine to its entry",
    "charge-without-link",
    {
      charges: ([one]) =>
        (index += 1) % 9 === 0
          ? [{ ...one!, event: { ...one!.event, credits_ledger_entry_id: null } }]
          : [one!],
    },
  ],
  ["leaves credits held, and names the total its own way", "held-at-rest", { alter: renamingTotal(2) }],
  ["goes below zero", "below-zero", onEntry(() => ({ balance_after: { total_available_credits: -1 } }))],
  [
    "shows no more than two events in a feed that has no further page",
    "usage-too-old",
    { alter: readingFeed(({ items }) => ({ items: items.slice(0, 2), next_cursor: null })) },
  ],
  [
    "orders against time",
    "ledger-against-time",
    {
      ...{ operations: 1_500, clients: 2, hasBalances: false },
      charges: ([one]) => [
        { ...one!, entry: { ...one!.entry, created_at: new Date(2 * epoch - one!.at).toISOString() } },
      ],
    },
  ],
])("a server that %s is found: %s", ([, name, simulation]) => {
  const { contradictions } = judged({ operations: 300, ...simulation });
  const reported = contradictions.map((contradiction) => contradiction.name);
  expect(reported, `HISTORY_SEED=${seed}`).toContain(name);
  const found = contradictions[reported.indexOf(name)];
  expect(found!.bars.length).toBeLessThanOrEqual(5);
  expect(found!.lawful).not.toBe("");
});

test("what a feed lacks is cited by the clause of the feed", () => {
  const alter = readingFeed(() => ({ items: [], next_cursor: null }));
  expect(judged({ alter }).contradictions.map(({ clauses }) => clauses)).toContainEqual(["UFED-02"]);
});

/** What a replica that is late by some milliseconds shows. */
const lateBy =
  (ms: number): NonNullable<Simulation["sees"]> =>
  (charges, { begin }) =>
    charges.filter(({ at }) => at <= begin - ms);

test.for<[HistoryVerdict["strength"], string, Partial<Simulation>]>([
  ["newest", "shows all", {}],
  ["shared", "is late for all alike", { lagMs: 20 }],
  [
    "own",
    "has a replica for each client",
    { sees: (charges, read) => lateBy(read.client % 2 === 0 ? 0 : 25)(charges, read) },
  ],
  [
    "lag",
    "answers by turns from two replicas",
    { sees: (charges, read) => lateBy((index += 1) % 2 === 0 ? 0 : 25)(charges, read) },
  ],
  [
    "rest",
    "is later than audit_lag by turns",
    { sees: (charges, read) => lateBy((index += 1) % 2 === 0 ? 0 : 90)(charges, read) },
  ],
  [
    "none",
    "loses rows for ever",
    { sees: (charges) => charges.filter((_, place) => place % 9 !== (index += 1) % 2) },
  ],
])("the strength %s is reported for a server that %s", ([strength, , simulation]) => {
  expect(judged({ operations: 900, lost: 0, ...simulation }, 50).strength, `HISTORY_SEED=${seed}`).toBe(
    strength,
  );
});

test.for([
  [30, 0],
  [700, 0],
])("%i operations judged only by the balance raise no false alarm", ([operations]) => {
  let unansweredCalls = 0;
  for (let round = 0; round < 10; round += 1) {
    const { contradictions, unanswered } = judged({
      seed: seed + round,
      operations: operations!,
      lost: 0.7,
      hasLists: false,
    });
    expect(contradictions).toEqual([]);
    unansweredCalls += unanswered.charged + unanswered.uncharged + unanswered.undecided;
  }
  expect(unansweredCalls, `HISTORY_SEED=${seed}`).toBeGreaterThan(20);
});

const call = (tool: string, outcome: "executed" | "unknown", cost: number | null) =>
  ({
    write: { outcome, tool, cost, succeeded: outcome === "executed", execution: null, session: null },
  }) as unknown as Act;

test("eight Calls without an answer are decided by the balance", () => {
  const prices = [1, 2, 4, 8, 16, 32, 64, 128].map((price) => price * 1e6);
  const writes = prices.flatMap((price, tool) => [
    call(`t${tool}`, "executed", price),
    call(`t${tool}`, "unknown", null),
  ]);
  const answered = prices.reduce((sum, price) => sum + price, 0);
  expect(decideUnanswered(writes, answered + 13e6)).toEqual({ kind: "decided", charged: 3 });
  // A settlement may differ from the price that was answered.
  expect(decideUnanswered(writes, answered + 0.5e6).kind).toBe("undecided");
});

test("two hundred Calls without an answer may stay undecided, and are never called wrong", () => {
  const prices = Array.from({ length: 200 }, () => 1 + Math.floor(random() * 1e6));
  const writes = prices.flatMap((price, tool) => [
    call(`t${tool}`, "executed", price),
    call(`t${tool}`, "unknown", null),
  ]);
  const answered = prices.reduce((sum, price) => sum + price, 0);
  const charged = prices.reduce((sum, price) => sum + (random() < 0.5 ? price : 0), 0);
  expect(decideUnanswered(writes, answered + charged).kind).toBe("undecided");
});

type Take = (
  operation: OperationId,
  begin: number,
  status: number,
  body: object | string,
  sent?: object,
  query?: string,
) => void;

/** Gives a history exchanges of one account, each of 5 ms. */
const taker =
  (history: History, account = "account 1"): Take =>
  (operation, begin, status, body, sent, query = "?page=1") => {
    const url = `http://s/api/v1/${operation}${query}`;
    const request = { method: "GET", url, headers: {}, body: sent ? JSON.stringify(sent) : null };
    const [type, text] =
      typeof body === "string" ? ["text/csv", body] : ["application/json", JSON.stringify(body)];
    const response = { status, headers: { "content-type": type }, body: text };
    const of = { operation, account, started_at: epoch + begin, duration_ms: 5, error: null };
    history.take({ ...of, request, response }, { begin: epoch + begin, end: epoch + begin + 5 });
  };

const uuid = "01a21e39-c214-7c2a-a035-02a16a7a306c";

const eventOf = (
  session_id: string,
  at: number,
  settled_amount_credits: number,
  id = `event of ${session_id}`,
) => ({
  id,
  event_type: "tool_execute",
  execution_id: `execution of ${session_id}`,
  session_id,
  settled_amount_credits,
  created_at: new Date(epoch + at).toISOString(),
});

const listOf = (items: object[]): object => ({
  status: "success",
  message: "",
  data: { items, total: items.length, page: 1, page_size: 50, summary: null },
});

/** Gives a history one exchange of an account, at a second of the simulated day. */
type Tell = (
  operation: OperationId,
  second: number,
  body: object | string,
  more?: { query?: string; status?: number; sent?: object; account?: string },
) => void;

/** The names of what a history contradicts. */
function namesIn(
  options: Partial<HistoryOptions>,
  restSeconds: number | undefined,
  fill: (tell: Tell) => void,
): string[] {
  const history = new History({ lagSeconds: 5, isComplete: true, ...options });
  fill((operation, second, body, { query, status = 200, sent, account } = {}) =>
    taker(history, account)(operation, 1_000 * second, status, body, sent, query),
  );
  return names(history.judge(restSeconds === undefined ? undefined : () => epoch + 1_000 * restSeconds));
}

/** An event and an entry of one charged Call, at a second of the simulated day. */
const charged = (name: number | string, second: number, more: Fields = {}): Fields => ({
  ...eventOf("task", 1_000 * second, 1, `event ${name}`),
  execution_id: `execution ${name}`,
  credits_ledger_entry_id: `entry ${name}`,
  ...more,
});
const taken = (name: number | string, second: number, before: number, more: Fields = {}): Fields => ({
  id: `entry ${name}`,
  entry_type: "consume_tool_execute",
  amount_credits: -1,
  execution_id: `execution ${name}`,
  balance_before: { total_available_credits: before },
  balance_after: { total_available_credits: before - 1 },
  created_at: new Date(epoch + 1_000 * second).toISOString(),
  ...more,
});
const sent = { tool_id: "tool", session_id: "task" };
const answerOf = (name: number | string, more: Fields = {}): Fields => ({
  execution_id: `execution ${name}`,
  success: true,
  cost: 1,
  ...more,
});
const byModel = { event_type: "model_call", execution_id: null, credits_ledger_entry_id: null };
const ofModel = { entry_type: "consume_model_call", execution_id: null };
const day = 86_400;

test.for<
  [what: string, options: Partial<HistoryOptions>, rest: number | undefined, fill: (tell: Tell) => void]
>([
  [
    "has rows of other Calls in the session of one",
    { isComplete: false, isRecorded: true },
    undefined,
    (tell) => {
      tell("call", 0, {}, { sent, status: 429 });
      tell("call", 1, answerOf(2), { sent: { ...sent, session_id: "another" } });
      tell("listUsage", 20, listOf([charged(2, 1, { session_id: "another" }), charged(1, -60)]));
      tell("listLedger", 21, listOf([taken(2, 1, 9), taken(1, -60, 10)]));
    },
  ],
  [
    "uses the session of an earlier load again",
    {},
    19,
    (tell) => {
      tell("listUsage", -10, listOf([charged(1, -600)]));
      tell("listLedger", -9, listOf([taken(1, -600, 10)]));
      tell("call", 0, answerOf(2), { sent });
      tell("listUsage", 20, listOf([charged(2, 0), charged(1, -600)]));
      tell("listLedger", 21, listOf([taken(2, 0, 9), taken(1, -600, 10)]));
    },
  ],
  [
    "uses a model in the session of a Call",
    {},
    19,
    (tell) => {
      tell("call", 0, answerOf(2), { sent });
      tell("listUsage", 20, listOf([charged(3, 3, byModel), charged(2, 0)]));
      tell("listLedger", 21, listOf([taken(3, 3, 9, ofModel), taken(2, 0, 10)]));
    },
  ],
  [
    "settles a query that it answered with 404",
    { isComplete: false, isRecorded: true },
    undefined,
    (tell) => {
      const body = { message: "Account unavailable during credit settlement", execution_id: "execution 2" };
      tell("queryCapability", 0, body, { sent: { capability_id: "capability" }, status: 404 });
      tell("listUsage", 20, listOf([charged(2, 0, { event_type: "capabilities_query" })]));
      tell("listLedger", 21, listOf([taken(2, 1, 9)]));
    },
  ],
  [
    "records the tool of a capability query beside it",
    {},
    19,
    (tell) => {
      tell("queryCapability", 0, answerOf(2), { sent: { capability_id: "capability" } });
      const ofTool = charged(2, 0, { id: "event of the tool", settled_amount_credits: 0 });
      tell("listUsage", 20, listOf([charged(2, 0, { event_type: "capabilities_query" }), ofTool]));
    },
  ],
  [
    "leaves no event of a free Call",
    {},
    19,
    (tell) => {
      tell("listUsage", -10, listOf([charged(1, -600)]));
      tell("call", 0, answerOf(2, { cost: 0 }), { sent });
      tell("listUsage", 20, listOf([charged(1, -600)]));
    },
  ],
  [
    "lets a payment refund take more than there is",
    {},
    undefined,
    (tell) => {
      const refund = { entry_type: "consume_payment_refund", execution_id: null, amount_credits: -100 };
      const after = { total_available_credits: -60 };
      tell("listLedger", 20, listOf([taken(1, 0, 40, { ...refund, balance_after: after })]));
      tell("getCredits", 30, { data: { remaining_credits: -60 } });
    },
  ],
  [
    "dates two processes 40 ms apart",
    { lagSeconds: 0 },
    19,
    (tell) => {
      tell("call", 0, answerOf(1), { sent: { ...sent, session_id: "1" } });
      tell("call", 0.01, answerOf(2), { sent: { ...sent, session_id: "2" } });
      tell("listUsage", 20, listOf([charged(1, 0.04), charged(2, 0.011)]));
    },
  ],
  [
    "reads a day in its own zone",
    {},
    undefined,
    (tell) => {
      tell("listUsage", 18_100, listOf([charged(2, 18_000), charged(1, 0)]));
      const query = "?start_date=2026-09-21&end_date=2026-09-21";
      tell("listUsage", 18_200, listOf([charged(1, 0)]), { query });
    },
  ],
  [
    "lists the window of its summary",
    {},
    undefined,
    (tell) => {
      tell("listLedger", 20, listOf([taken(2, 0, 9), taken(1, -2 * day, 10)]));
      tell("listLedger", 30, listOf([taken(2, 0, 9)]), { query: "?summary=true" });
    },
  ],
  [
    "shows the last day in the summary feed",
    {},
    undefined,
    (tell) => {
      tell("listUsage", 20, listOf([charged(2, 0), charged(1, -2 * day)]));
      tell("listUsageFeed", 30, { data: { items: [charged(2, 0)], next_cursor: null } });
    },
  ],
  [
    "ends a window elsewhere whose end is not given",
    {},
    undefined,
    (tell) => {
      tell("listUsage", 20, listOf([charged(2, 0), charged(1, -2 * day)]));
      tell("listUsage", 30, listOf([charged(1, -2 * day)]), { query: "?start_date=2020-01-01" });
    },
  ],
  [
    "sizes the pages of the ledger by `limit`",
    {},
    undefined,
    (tell) => {
      tell("listLedger", 20, listOf([taken(2, 0, 9), taken(1, -60, 10)]));
      tell("listLedger", 30, listOf([taken(2, 0, 9)]), { query: "?limit=1" });
    },
  ],
  [
    "lists no bonus unless its type is asked for",
    {},
    19,
    (tell) => {
      const bonus = { entry_type: "grant_welcome_bonus", amount_credits: 10, execution_id: null };
      const added = {
        balance_before: { total_available_credits: 0 },
        balance_after: { total_available_credits: 10 },
      };
      const query = "?entry_type=grant_welcome_bonus";
      tell("listLedger", 10, listOf([taken(0, -60, 0, { ...bonus, ...added })]), { query });
      tell("listLedger", 20, listOf([taken(1, 0, 10)]));
    },
  ],
  [
    "names the Calls of events alone, without links",
    {},
    19,
    (tell) => {
      tell("call", 0, answerOf(2), { sent });
      tell("listUsage", 20, listOf([charged(2, 0, { credits_ledger_entry_id: null })]));
      tell("listLedger", 21, listOf([taken(2, 0, 9, { execution_id: null })]));
    },
  ],
  [
    "shows no amounts in a list",
    {},
    19,
    (tell) => {
      const query = "?start_date=2000-01-01&end_date=2099-12-31&summary=true";
      const summary = { total_count: 1, settled_credits: 1 };
      const items = [charged(1, 0, { settled_amount_credits: undefined })];
      tell("listUsage", 20, { data: { items, total: 1, page: 1, page_size: 50, summary } }, { query });
    },
  ],
  [
    "numbers the entries of each account, which were made in one second",
    { isRecorded: true },
    undefined,
    (tell) => {
      for (const [account, second, left] of [
        ["key 1", 0, 49],
        ["key 2", 1, 47],
      ] as const) {
        const amount_credits = left - 50;
        const after = { total_available_credits: left };
        tell("call", second, answerOf(account), { sent: { ...sent, session_id: account }, account });
        const entry = taken(account, second, 50, { id: 2, amount_credits, balance_after: after });
        const bonus = { id: 1, entry_type: "grant_welcome_bonus", amount_credits: 50, execution_id: null };
        const first = taken(account, -60, 0, { ...bonus, balance_after: { total_available_credits: 50 } });
        tell("listLedger", second + 20, listOf([entry, first]), { account });
        tell("getCredits", second + 22, { data: { remaining_credits: left } }, { account });
      }
    },
  ],
])("a server that %s contradicts nothing", ([, options, rest, fill]) => {
  expect(namesIn(options, rest, fill)).toEqual([]);
});

test("a Call with an event of a Call and one of a query is found", () => {
  const found = namesIn({}, 19, (tell) => {
    tell("call", 0, answerOf(2), { sent });
    const another = charged(2, 0, { id: "another event", event_type: "capabilities_query" });
    tell("listUsage", 20, listOf([charged(2, 0), another]));
  });
  expect(found).toContain("call-with-two-events");
});

test("what no answer lets compare is said", () => {
  const history = new History({ lagSeconds: 0, isComplete: true });
  const take = taker(history);
  take("listUsage", 20, 200, listOf([eventOf("a", 2, 1)]));
  take("listUsageFeed", 30, 200, { data: { items: [] } });
  take("exportUsage", 40, 200, "event,credits\r\n1,1");
  expect(history.judge(() => epoch + 10).unverified).toEqual(
    expect.arrayContaining([
      "no usage feed shows that it is whole: what it lacks is not judged",
      "no usage export names the events: what it lacks is not judged",
    ]),
  );
});

test("a Call that a proxy answered with 503 may end later than another that began after it", () => {
  const history = new History({ lagSeconds: 0, isComplete: true });
  const take = taker(history);
  take(
    "call",
    0,
    503,
    { status: "failure", message: "No server answered" },
    { tool_id: "t", session_id: "a" },
  );
  take("call", 10, 200, { execution_id: "execution of b", success: true, cost: 1 }, { session_id: "b" });
  take("listUsage", 20, 200, listOf([eventOf("b", 12, 1)]));
  take("listUsage", 16_000, 200, listOf([eventOf("a", 15_000, 0), eventOf("b", 12, 1)]));
  expect(names(history.judge(() => epoch + 16_000))).toEqual([]);
});

test.for<[what: string, ids: string[], rest: string, found: string[], listed?: string[]]>([
  ["numbers its rows and adds them up", ["2", "1"], "TOTAL,,,2", []],
  ["numbers its rows as the list numbers others", ["1", "2"], "", [], ["2", "3"]],
  ["ends in a sum of two cells", [uuid, "event of a"], "Total,2", []],
  ["ends in a sum of all columns", [uuid, "event of a"], "Total,,,2", []],
  ["writes a UUID in the other case", [uuid.toUpperCase(), "event of a"], "", []],
  ["lacks a row that a list has shown", [uuid], "", ["usage-went-back"]],
])("an export that %s", ([, ids, rest, found, [one, other] = [uuid, undefined]]) => {
  const history = new History({ lagSeconds: 0, isComplete: true });
  const take = taker(history);
  const events = [eventOf("b", 12, 1, one), eventOf("a", 2, 1, other)];
  for (const [session, at] of [
    ["a", 0],
    ["b", 10],
  ] as const)
    take(
      "call",
      at,
      200,
      { execution_id: `execution of ${session}`, success: true },
      { session_id: session },
    );
  take("listUsage", 20, 200, listOf(events));
  const lines = ids.map((id, index) =>
    [id, events[index]!.execution_id, events[index]!.created_at, 1].join(),
  );
  take(
    "exportUsage",
    30,
    200,
    ["id,execution_id,created_at,settled_amount_credits", ...lines, rest].join("\r\n"),
  );
  take("listUsage", 40, 200, listOf(events));
  expect(names(history.judge(() => epoch + 20))).toEqual(found);
});

test("in a recording two keys are of one account where one is shown what the other has done", () => {
  const judgedAs = (isRecorded: boolean): string[] => {
    const history = new History({ lagSeconds: 0, isComplete: true, isRecorded });
    const [one, other] = ["key 1", "key 2"].map((account) => taker(history, account));
    const call = { execution_id: "execution of a", success: true };
    one!("call", 0, 200, call, { session_id: "a" });
    other!("listUsage", 20, 200, listOf([eventOf("a", 2, 0)]));
    return names(history.judge(() => epoch + 20));
  };
  expect(judgedAs(true)).toEqual([]);
  expect(judgedAs(false)).toEqual(["usage-of-another-account"]);
});

test.each([
  ["of a UUID", "01a21d11-52fa-49a8-8d5d-32c79eb8983d", 2, ["key 1"]],
  ["of a number and a moment", "1", 1, ["key 1"]],
  ["not of a bare number, which each account may have", "1", 2, ["key 1", "key 2"]],
])("keys that were shown a row are of one account: %s", (_, id, createdAt, accounts) => {
  const row = { stream: "ledger", id, amount: 50, isListed: true, shownBy: { end: 0 } };
  const rows = [
    { ...row, account: "key 1", createdAt: 1 },
    { ...row, account: "key 2", createdAt },
  ] as unknown as Row[];
  expect(joinKeys({ acts: [], rows }).rows.map(({ account }) => account)).toEqual(accounts);
});

test("a list may show less of an entry than a read of it by its id", () => {
  const judgedAs = (moved: number): string[] => {
    const history = new History({ lagSeconds: 0, isComplete: false });
    const take = taker(history);
    const entry = {
      id: "entry 1",
      entry_type: "consume_tool_execute",
      amount_credits: -1,
      created_at: new Date(epoch + 2).toISOString(),
    };
    const whole = { ...entry, amount_credits: moved, balance_after: { total_available_credits: 9 } };
    take("listLedger", 20, 200, listOf([entry]));
    take("getLedgerEntry", 30, 200, { status: "success", message: "", data: whole });
    take("listLedger", 40, 200, listOf([entry]));
    return names(history.judge(() => epoch + 20));
  };
  expect(judgedAs(-1)).toEqual([]);
  expect(judgedAs(-2)).toEqual(["entry-changed"]);
});

test("in a recording that is not complete others may move a balance", () => {
  const judgedAs = (isComplete: boolean): string[] => {
    const history = new History({ lagSeconds: 0, isComplete, isRecorded: true });
    const take = taker(history);
    const entry = {
      id: "entry 1",
      entry_type: "consume_tool_execute",
      amount_credits: -1,
      balance_before: { total_available_credits: 10 },
      balance_after: { total_available_credits: 9 },
      created_at: new Date(epoch + 2).toISOString(),
    };
    const call = { execution_id: "execution of a", success: true, remaining_credits: 9 };
    take("call", 0, 200, call, { session_id: "a" });
    take("listLedger", 20, 200, listOf([entry]));
    take("getCredits", 30, 200, { status: "success", message: "", data: { remaining_credits: 5 } });
    return names(history.judge(() => epoch + 20));
  };
  expect(judgedAs(false)).toEqual([]);
  expect(judgedAs(true)).toEqual(["held-at-rest"]);
});

/** A recording: what its entries move and leave, a Call that is charged 1, and what the account says at rest. */
function judgedAtRest({
  left,
  called: first = 8,
  beside = {},
  older = [
    [6, -1],
    [10, -1],
  ],
  isGranted = false,
}: {
  left: number;
  /** What the answer to the Call says. */
  called?: number;
  /** Categories that the credits show. */
  beside?: Record<string, number>;
  /**
   * The balances at which older entries begin, and what they move. By default credits of a day came between the two: 5 are
   * left by the first, and 10 are there before the second.
   */
  older?: readonly (readonly [before: number, amount: number])[];
  isGranted?: boolean;
}): string[] {
  const history = new History({ lagSeconds: 0, isComplete: true, isRecorded: true });
  const take = taker(history);
  const entry = (at: number, before: number, amount_credits: number) => ({
    id: `entry of ${at}`,
    entry_type: amount_credits < 0 ? "consume_tool_execute" : "grant_invitation_reward",
    amount_credits,
    execution_id: at === 2 ? "execution of a" : null,
    balance_before: { total_available_credits: before },
    balance_after: { total_available_credits: before + amount_credits },
    created_at: new Date(epoch + at).toISOString(),
  });
  const before = older.map(([left, amount], index) => entry(-90_000_000 + 1e7 * index, left, amount));
  const called = [...before, entry(2, 9, -1)];
  const listed = (rows: readonly object[]): object => listOf(rows.toReversed());
  take("listLedger", -10, 200, listed(before));
  take("call", 0, 200, { execution_id: "execution of a", success: true, remaining_credits: first }, {});
  take("listLedger", 20, 200, listed(called));
  take("getCredits", 30, 200, {
    status: "success",
    message: "",
    data: { remaining_credits: left, ...beside },
  });
  if (isGranted) take("listLedger", 60, 200, listed([...called, entry(25, 8, 5)]));
  return names(history.judge(() => epoch + 20)).filter((name) => name !== "chain-gap");
}

test("credits that came without an entry before the first Call are not too many", () => {
  expect(judgedAtRest({ left: 8 })).toEqual([]);
  expect(judgedAtRest({ left: 7 })).toEqual(["held-at-rest"]);
});

test("older entries may be dated in another order than they were booked in", () => {
  const older = [
    [10, -1],
    [11, -1],
  ] as const;
  expect(judgedAtRest({ left: 8, older })).toEqual([]);
  expect(judgedAtRest({ left: 7, older })).toEqual(["held-at-rest"]);
});

test("a refusal of Discover says nothing of what is left", () => {
  const history = new History({ lagSeconds: 0, isComplete: true, isRecorded: true });
  const take = taker(history);
  const entry = { id: "entry", entry_type: "grant_welcome_bonus", amount_credits: 1 };
  const balances = {
    balance_before: { total_available_credits: 0 },
    balance_after: { total_available_credits: 1 },
  };
  take("listLedger", 0, 200, listOf([{ ...entry, ...balances, created_at: new Date(epoch).toISOString() }]));
  const refusal = { search_id: "srch_failed", total: 0, results: [], error_message: "Too few credits." };
  take("discover", 20, 200, { ...refusal, remaining_credits: 0 });
  expect(names(history.judge(() => epoch + 10))).toEqual([]);
});

test("a total that is named for what remains is judged although it never moves", () => {
  let first: unknown;
  const alter: Simulation["alter"] = ({ operation, response }) => {
    if (operation !== "getCredits") return;
    const { data } = JSON.parse(response!.body) as { data: { remaining_credits: number } };
    first ??= data.remaining_credits;
    response!.body = JSON.stringify({ data: { remaining_total: first, purchased: data.remaining_credits } });
  };
  expect(names(judged({ alter }))).toContain("more-left-than-there-is");
});

test("a lone total that may be of all time is not taken for what remains", () => {
  const alter: Simulation["alter"] = ({ operation, response }) => {
    if (operation !== "getCredits") return;
    const { data } = JSON.parse(response!.body) as { data: { remaining_credits: number } };
    response!.body = JSON.stringify({ data: { total: 3e6, open: { credits: data.remaining_credits } } });
  };
  expect(names(judged({ alter }))).toEqual([]);
});

test("answers that always count a category which the ledger leaves out are not compared with it", () => {
  const judged = (beside: Record<string, number>): string[] => judgedAtRest({ called: 13, left: 13, beside });
  expect([judged({ gift: 5 }), judged({ daily: 4 }), judged({ plan: 2, daily: 3 })]).toEqual([[], [], []]);
  const more = ["more-left-than-there-is"];
  expect([judged({}), judged({ gift: 4 }), judged({ purchased: 5 })]).toEqual([more, more, more]);
});

test("a grant at rest is in the balance from a moment on, and in the entries that are read after it", () => {
  const isGranted = true;
  for (const left of [8, 13]) expect(judgedAtRest({ isGranted, left })).toEqual([]);
  expect(judgedAtRest({ isGranted, left: 12 })).toEqual(["held-at-rest"]);
  expect(judgedAtRest({ isGranted, left: 14 })).toEqual(["more-left-at-rest"]);
  // No read was late enough to show what came between.
  expect(judgedAtRest({ left: 13 })).toEqual([]);
});
