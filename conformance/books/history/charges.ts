import type { Fault } from "../../judge/fault.ts";
import { condition, expectedWords } from "../../judge/fact.ts";
import type { Act, Micro, Row } from "./act.ts";
import { contradiction, type Contradiction } from "./contradiction.ts";
import { knownAt, knownBy, type Order } from "./order.ts";
import {
  chargeFault,
  isBesideCalls,
  isEntryDue,
  leftBy,
  linkFault,
  missingEntry,
  type Moved,
  type Settled,
} from "../writes.ts";

/** Whether every event of a Call names its Call. */
export const namesCalls = ({ rows }: Order): boolean => rows.every((row) => !isOfCall(row) || isNamed(row));

/** Whether every charge names its Call, or an event links to it. */
export const namesCharges = ({ rows }: Order): boolean => rows.every((row) => !isCharge(row) || isNamed(row));

const isNamed = ({ cause, execution }: Row): boolean => cause !== null || execution !== null;

type Find = (contradiction: Contradiction) => void;

/** The writes of a history, by what their rows can name. */
export interface Writes {
  all: readonly Act[];
  byExecution: ReadonlyMap<string, Act>;
  /** Those whose session no other write has. */
  bySession: ReadonlyMap<string, Act>;
}

export function writesOf(acts: readonly Act[]): Writes {
  const all = acts.filter(({ write }) => write !== null);
  const byExecution = new Map<string, Act>();
  const sessions = new Map<string, Act[]>();
  for (const act of all) {
    const { execution, session } = act.write!;
    if (execution !== null) byExecution.set(execution, act);
    if (session !== null) (sessions.get(session) ?? sessions.set(session, []).get(session)!).push(act);
  }
  const bySession = new Map(
    [...sessions].flatMap(([session, some]) => (some.length === 1 ? [[session, some[0]!]] : [])),
  );
  return { all, byExecution, bySession };
}

/**
 * Finds the write that caused each row: by its execution, its session, or the event that links to it.
 * @param isExclusive no one else uses the accounts: "one stable `session_id` per user task" may be of other Calls too
 */
export function attribute(
  rows: Iterable<Row>,
  { byExecution, bySession }: Writes,
  isExclusive: boolean,
): void {
  const bySessionOf = (row: Row): Act | undefined => {
    const act = isExclusive ? bySession.get(row.session ?? "") : undefined;
    return act !== undefined && mayCause(act, row) ? act : undefined;
  };
  const causeOf = (row: Row): Act | null => byExecution.get(row.execution ?? "") ?? bySessionOf(row) ?? null;
  const byLink = new Map<string, Act>();
  const byEvent = new Map<string, Act | null>();
  const all = [...rows];
  for (const row of all) {
    if (row.stream !== "usage") continue;
    // An Inspect of the session of a Call is not the Call.
    row.cause = row.execution === null && row.type.startsWith("search") ? null : causeOf(row);
    if (row.execution !== null) byEvent.set(row.execution, row.cause ?? byEvent.get(row.execution) ?? null);
    if (row.cause !== null && row.entry !== null) byLink.set(`${row.account} ${row.entry}`, row.cause);
  }
  for (const row of all) {
    if (row.stream !== "ledger") continue;
    // A link may be wrong where the entry names an execution that has an event.
    const event = byEvent.get(row.execution ?? "");
    row.cause =
      causeOf(row) ?? (event === undefined ? (byLink.get(`${row.account} ${row.id}`) ?? null) : event);
  }
}

/** Whether a row in the session of a Call may be of it: not where either says otherwise, nor where it was shown before. */
const mayCause = ({ begin, write }: Act, { execution, shownBy, type }: Row): boolean =>
  type !== "model_call" && (execution === null || write!.execution === null) && shownBy.end >= begin;

/** The books of one account, as all answers together show them. */
export interface Books {
  account: string;
  entries: Order;
  events: Order;
  /** Whether a read at rest showed all entries, and all events, and each names its Call. */
  hasAllEntries: boolean;
  hasAllEvents: boolean;
  showsLinks: boolean;
  /** No one else uses the account. */
  isExclusive: boolean;
  /** An operator may have refunded a payment meanwhile. */
  isRecorded: boolean;
  lagMs: number;
}

const credits = (amount: Micro): string => String(amount / 1e6);
const movedBy = ({ id, amount, execution }: Row): Moved => ({ id, credits: amount / 1e6, execution });
/** Whether an entry takes credits for a Call. */
export const isCharge = ({ type, amount }: Row): boolean => amount < 0 && !isBesideCalls(type);
/** The use of a model within an execution may have its own event. */
const isOfCall = ({ type }: Row): boolean =>
  type === "tool_execute" || type === "capabilities_query" || type === "";

/**
 * Checks the rows of an account against the answers: charged once, refused never, unanswered once or not at all.
 * @param writes those of the account
 */
export function judgeCharges(books: Books, writes: readonly Act[], find: Find): void {
  const entries = Map.groupBy(books.entries.rows.filter(isCharge), ({ cause }) => cause);
  const events = Map.groupBy(books.events.rows.filter(isOfCall), ({ cause }) => cause);
  for (const act of writes) {
    const mine = { entries: entries.get(act) ?? [], events: events.get(act) ?? [] };
    judgeCount(act, mine, find);
    judgeRest(act, mine, books, find);
  }
  judgeForeign(books, entries, events, find);
  judgeLinks(books, find);
  for (const order of [books.entries, books.events]) judgeTime(order, books.lagMs, find);
}

interface Mine {
  entries: readonly Row[];
  events: readonly Row[];
}

const say = (row: Row): readonly [Act, string] => [
  row.shownBy,
  row.stream === "ledger"
    ? `shows entry ${row.id} of ${credits(row.amount)}`
    : `shows event ${row.id} that settled ${credits(row.amount)}`,
];

/** What a write says of itself, in words. */
const claim = ({ write, exchange }: Act): string =>
  write!.outcome === "executed"
    ? `answers execution ${write!.execution}`
    : write!.outcome === "refused"
      ? `is refused with ${exchange.response?.status}`
      : "has no answer";

/** No write is charged or recorded twice, and none that was refused is charged. */
function judgeCount(act: Act, mine: Mine, find: Find): void {
  const { outcome } = act.write!;
  const lost = outcome === "unknown" ? "unanswered " : "";
  for (const [kind, rows, clause] of [
    ["charge", mine.entries, "BILL-12"],
    ["event", mine.events.filter(isCountedOf(act, mine)), "BILL-11"],
  ] as const) {
    if (rows.length < 2) continue;
    find(
      contradiction(
        {
          name: `${lost === "" ? "call" : "unanswered-call"}-with-two-${kind}s`,
          clauses: [clause],
          title: `one ${lost}Call has several ${kind}s`,
          fact: condition(
            lost === "" ? `one ${kind} at most` : `one ${kind}, or none at all`,
            `${rows.length}: ${rows.map(({ id }) => id).join(", ")}`,
            { kind: "row" },
          ),
          lawful: `the Call, then one ${kind}`,
        },
        [[act, claim(act)], ...rows.slice(0, 3).map(say)],
      ),
    );
  }
  const charge = [...mine.entries, ...mine.events].find(({ amount }) => amount !== 0);
  if (leftBy[outcome].charge === "none" && charge !== undefined)
    find(
      contradiction(
        {
          name: "refused-call-charged",
          clauses: ["BILL-12"],
          title: "a Call that was refused is charged",
          fact: condition("no charge", credits(charge.amount), { kind: "amount" }),
          lawful: "the refusal, and no row; or an answer with its execution, and this charge",
        },
        [[act, claim(act)], say(charge)],
      ),
    );
}

/** Whether an event counts: a capability query may have that of the tool which it calls beside its own. */
const isCountedOf =
  ({ operation }: Act, { events: [first] }: Mine) =>
  ({ type }: Row): boolean =>
    operation !== "queryCapability" || type === first?.type;

/** What must be there at rest: an event for each execution, and what its charge leaves. */
function judgeRest(act: Act, { entries, events }: Mine, books: Books, find: Find): void {
  const report = (fault: Fault, rows: readonly Row[], last: Order): void => {
    const read = lastRead(last);
    find(
      contradiction({ ...fault, lawful: `the Call, then ${expectedWords(fault.fact)}` }, [
        [act, claim(act)],
        ...rows.map(say),
        ...(read === null ? [] : [[read, "is the state at rest"] as const]),
      ]),
    );
  };
  const { outcome, succeeded, cost } = act.write!;
  // A Call that failed need not leave an event, nor one that is free: it is due "for each charged Call".
  if (
    books.hasAllEvents &&
    events.length === 0 &&
    leftBy[outcome].event === "required where it succeeds" &&
    succeeded &&
    cost !== 0
  )
    report(eventMissing, [], books.events);
  const event = events.find(({ amount }) => amount > 0) ?? events[0];
  if (event === undefined) return;
  // A list may show no links at all.
  const link = books.showsLinks ? event.entry : (entries[0]?.id ?? null);
  const settled: Settled = { ...event.settled!, id: event.id, link };
  const moved = entries.map(movedBy);
  if (isEntryDue(settled, moved)) {
    if (books.hasAllEntries)
      report({ ...missingEntry(settled), name: "event-without-entry" }, [event], books.entries);
    return;
  }
  const fault = books.hasAllEvents ? chargeFault(settled, moved) : null;
  // Several charges of one Call are recognised by their count.
  if (fault !== null && fault.name !== "charged-twice") report(fault, [event, ...entries], books.events);
}

const eventMissing: Fault = {
  name: "call-without-event",
  clauses: ["BILL-12"],
  title: "an executed Call has no usage event",
  fact: condition("one usage event", "none at rest", { kind: "row" }),
};

const lastRead = ({ rows }: Order): Act | null => rows.at(-1)?.shownBy ?? null;

/** No row belongs to another account's write; if no one else uses the account, each charge belongs to a write. */
function judgeForeign(
  books: Books,
  entries: ReadonlyMap<Act | null, readonly Row[]>,
  events: ReadonlyMap<Act | null, readonly Row[]>,
  find: Find,
): void {
  for (const groups of [entries, events])
    for (const [cause, [row]] of groups) {
      if (row === undefined || cause === null || cause.account === books.account) continue;
      find(
        contradiction(
          {
            name: `${row.stream}-of-another-account`,
            clauses: [row.stream === "ledger" ? "LEDG-26" : "USAG-35"],
            title: "an account reads what another account has done",
            fact: condition(`only rows of ${books.account}`, `a row of ${cause.account}: ${row.id}`, {
              kind: "row",
            }),
            lawful: "the row in the books of the account that made the Call",
          },
          [[cause, claim(cause)], say(row)],
        ),
      );
    }
  if (!books.isExclusive) return;
  // Only its event names the session of an unanswered Call, and may come later than the entry.
  const known = new Set(books.events.rows.flatMap(({ execution, entry }) => [execution, entry]));
  const namesSession = ({ id, execution }: Row): boolean =>
    books.hasAllEvents || known.has(execution) || known.has(id);
  const orphan = [...(entries.get(null) ?? []).filter(namesSession), ...(events.get(null) ?? [])].find(
    (row) => row.amount !== 0 && row.execution !== null && !isOld(row, books),
  );
  const unasked = (name: string, title: string, expected: string, row: Row): void =>
    find(
      contradiction(
        {
          name,
          clauses: ["BILL-12"],
          title,
          fact: condition(expected, `${credits(row.amount)} in ${row.id}`, { kind: "amount" }),
          lawful: "no such row",
        },
        [say(row)],
      ),
    );
  if (orphan !== undefined)
    unasked(
      "charge-without-call",
      "a charge belongs to no Call that was made",
      "a Call for every charge",
      orphan,
    );
  if (books.isRecorded) return;
  const taken = books.entries.rows.find(
    (row) =>
      row.type === "consume_payment_refund" && row.amount < 0 && row.cause === null && !isOld(row, books),
  );
  if (taken !== undefined)
    unasked(
      "balance-does-not-add-up",
      "the balance falls by what no Call settled",
      "only what the Calls settled",
      taken,
    );
}

/**
 * The link of a Call's event leads to an entry of its execution. At rest every charge has the event of its execution, or
 * one that links to it.
 */
function judgeLinks(books: Books, find: Find): void {
  const byId = new Map(books.entries.rows.map((entry) => [entry.id, entry]));
  for (const event of books.events.rows) {
    const entry = byId.get(event.entry ?? "");
    if (entry === undefined || event.settled === null) continue;
    const fault = linkFault(event.settled, movedBy(entry));
    if (fault !== null)
      find(contradiction({ ...fault, lawful: expectedWords(fault.fact) }, [say(event), say(entry)]));
  }
  if (!books.hasAllEvents) return;
  const linked = new Set(books.events.rows.flatMap(({ execution, entry }) => [execution, entry]));
  for (const entry of books.entries.rows) {
    if (!isCharge(entry) || linked.has(entry.execution) || linked.has(entry.id) || isOld(entry, books))
      continue;
    const read = lastRead(books.events);
    find(
      contradiction(
        {
          name: "entry-without-event",
          clauses: ["BILL-12"],
          title: "a charge has no usage event",
          fact: condition(`an event of entry ${entry.id}`, "none at rest", { kind: "row" }),
          lawful: "the event and the entry, together",
        },
        [
          ...(entry.cause === null ? [] : [[entry.cause, claim(entry.cause)] as const]),
          say(entry),
          ...(read === null ? [] : [[read, "is the state at rest"] as const]),
        ],
      ),
    );
  }
}

/** Whether a row may be older than the history: the first read of its stream showed it. */
function isOld(row: Row, { entries, events }: Books): boolean {
  const { rows } = row.stream === "ledger" ? entries : events;
  return knownAt(row) <= rows[0]!.shownBy.end;
}

/** How far the clocks of a server's processes, which date its rows, may be apart in milliseconds where they are kept right. */
const clocksApartMs = 500;

/** The order of the rows agrees with real time: what was over well before another began comes first. */
function judgeTime({ rows, stream }: Order, auditLagMs: number, find: Find): void {
  const lagMs = Math.max(auditLagMs, clocksApartMs);
  let latest: Row | null = null;
  for (const row of rows) {
    if (row.cause === null) continue;
    if (latest?.cause != null && latest.moment !== row.moment && row.cause.end + lagMs < latest.cause.begin)
      return find(
        contradiction(
          {
            name: `${stream}-against-time`,
            clauses: [stream === "ledger" ? "LEDG-22" : "USAG-31"],
            title: "the order of the rows is against real time",
            fact: condition(
              `${row.id} before ${latest.id}: its Call had ended when the other began`,
              `${latest.id} before ${row.id}`,
              { kind: "value" },
            ),
            lawful: `${row.id}, then ${latest.id}`,
          },
          [
            [row.cause, `causes ${row.id}`],
            [latest.cause, `causes ${latest.id}`],
            [knownBy(row) === row.cause ? row.shownBy : knownBy(row), `places ${row.id} after ${latest.id}`],
          ],
        ),
      );
    if (latest?.cause == null || row.cause.begin > latest.cause.begin) latest = row;
  }
}
