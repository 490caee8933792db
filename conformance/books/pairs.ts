import type { ClauseId } from "../../generated/clauses.ts";
import { sameCredits, sumOf } from "../judge/credits.ts";
import { isZoneless, momentOf } from "../judge/instant.ts";
import { amountOf, balanceOf, costOf, settledOf, type Row } from "../judge/rows.ts";

/*
 * The audit of an account's books: what its usage events and its ledger entries say of each other. It takes them in
 * parts, in order of time, and keeps only rows that still miss their counterpart.
 */

/** A contradiction in an account's books, with the rows that it is about. */
export interface Anomaly {
  /** Its kind, such as `charge-without-entry`. */
  name: string;
  clause: ClauseId;
  title: string;
  expected: string;
  received: string;
  event?: Row | undefined;
  entry?: Row | undefined;
}

export type Find = (anomaly: Anomaly) => void;

/** Rows of the two lists. */
export interface Books {
  events: readonly Row[];
  entries: readonly Row[];
}

/** No review of a Call's charge ends within this time, in milliseconds. */
export const unreviewedMs = 3_600_000;

/** Whether an event is of a Call, whose charge the ledger must show. */
export const isOfCall = ({ event_type: type }: Row): boolean =>
  type === "tool_execute" || type === "capabilities_query";

/** Whether an entry is a Call's. */
export const isEntryOfCall = ({ entry_type: type }: Row): boolean => type === "consume_tool_execute";

/** Whether an entry moves what an event settled for. */
export const movesSettled = (settled: number, moved: number): boolean => sameCredits(settled, -moved);

const idOf = (row: Row): string => String(row["id"]);
const executionOf = ({ execution_id: id }: Row): string | null =>
  typeof id === "string" && id !== "" ? id : null;
const linkOf = ({ credits_ledger_entry_id: id }: Row): string | null =>
  id === undefined || id === null ? null : String(id);
const moves = (entry: Row): boolean => !sameCredits(amountOf(entry) ?? 0, 0);

/**
 * Whether a review may have found that an event's Call should not have been charged: the entry of the charge never
 * changes. Where a timestamp names no zone its age is unknown, so it may have been.
 */
function mayBeReviewed(event: Row, readAtMs: number): boolean {
  const { charge_outcome: outcome, created_at: at } = event;
  const moment = momentOf(at);
  return (
    outcome === "failed_not_charged" &&
    (moment === undefined || isZoneless(at) || readAtMs - moment / 1000 >= unreviewedMs)
  );
}

/** Rows that miss their counterpart. */
export interface Strays {
  events: Row[];
  entries: Row[];
}

/** The same while their counterpart may still appear, each with the time of its part. */
interface Open {
  events: (readonly [Row, number])[];
  entries: (readonly [Row, number])[];
}

/** How far apart the rows of one charge may be, in milliseconds of the parts' time. */
const apartMs = 600_000;

/**
 * Pairs the charges of events with ledger entries: each charged Call has one event and one entry, the event links to it,
 * and both name one amount (BILL-05, BILL-11, BILL-12, BILL-23).
 */
export class Pairs {
  readonly #find: Find;
  readonly #readAtMs: number;
  #open: Open;

  /** @param open the rows that an interrupted audit had left open */
  constructor(find: Find, readAtMs: number, open: Open = { events: [], entries: [] }) {
    this.#find = find;
    this.#readAtMs = readAtMs;
    this.#open = open;
  }

  get open(): Open {
    return this.#open;
  }

  /**
   * Audits a part.
   * @param at the time of the part's end in epoch milliseconds
   * @returns what has missed its counterpart for long
   */
  take(part: Books, at = 0): Strays {
    const since = new Map([...this.#open.events, ...this.#open.entries]);
    const events = [...this.#open.events.map(([event]) => event), ...part.events];
    const entries = [...this.#open.entries.map(([entry]) => entry), ...part.entries];
    const byId = new Map(entries.map((entry) => [idOf(entry), entry]));
    const byExecution = Map.groupBy(entries.filter(isEntryOfCall), executionOf);
    const owners = new Map<string, Row>();
    const lonely: Row[] = [];
    this.#requireOneEvent(events, since);
    for (const event of events) {
      const mine = this.#entriesOf(event, byId, byExecution);
      for (const entry of mine) this.#own(event, entry, owners);
      if (isOfCall(event) && !this.#agrees(event, mine)) lonely.push(event);
    }
    const unowned = entries.filter((entry) => moves(entry) && !owners.has(idOf(entry)));
    const divided = (rows: readonly Row[]): { old: Row[]; open: (readonly [Row, number])[] } => {
      const dated = rows.map((row) => [row, since.get(row) ?? at] as const);
      const isOld = ([, from]: readonly [Row, number]): boolean => at - from >= apartMs;
      return { old: dated.filter(isOld).map(([row]) => row), open: dated.filter((one) => !isOld(one)) };
    };
    const [left, stray] = [divided(lonely), divided(unowned)];
    this.#open = { events: left.open, entries: stray.open };
    return { events: left.old, entries: stray.old.filter(isEntryOfCall) };
  }

  /** The rows that still miss their counterpart at the end. */
  end(): Strays {
    const strays = {
      events: this.#open.events.map(([event]) => event),
      entries: this.#open.entries.map(([entry]) => entry).filter(isEntryOfCall),
    };
    this.#open = { events: [], entries: [] };
    return strays;
  }

  /** Reports strays without a counterpart. */
  missing(strays: Strays): void {
    this.#requireOneEntry(strays.entries);
    for (const event of strays.events) {
      this.#find({
        name: "charge-without-entry",
        clause: "BILL-11",
        title: "a charge has no ledger entry",
        expected: `an entry of ${-costOf(event)} credits`,
        received: "none",
        event,
      });
    }
    for (const entry of strays.entries) {
      this.#find({
        name: "entry-without-event",
        clause: "BILL-12",
        title: "a consuming ledger entry belongs to no usage event",
        expected: "an event for every charge",
        received: "none",
        entry,
      });
    }
  }

  #entriesOf(
    event: Row,
    byId: ReadonlyMap<string, Row>,
    byExecution: ReadonlyMap<string | null, readonly Row[]>,
  ): Row[] {
    const [link, execution] = [linkOf(event), executionOf(event)];
    const linked = link === null ? undefined : byId.get(link);
    const own = execution === null || !isOfCall(event) ? [] : (byExecution.get(execution) ?? []);
    return [...new Set(linked === undefined ? own : [linked, ...own])].filter(moves);
  }

  #own(event: Row, entry: Row, owners: Map<string, Row>): void {
    const other = owners.get(idOf(entry));
    owners.set(idOf(entry), event);
    if (other === undefined || idOf(other) === idOf(event)) return;
    this.#find({
      name: "entry-of-two-events",
      clause: "BILL-12",
      title: "one ledger entry covers the charges of several events",
      expected: `an entry of its own for event ${idOf(event)}`,
      received: `entry ${idOf(entry)}, which is also that of event ${idOf(other)}`,
      event,
      entry,
    });
  }

  /** Audits an event with its entries; false where it settled for something that no entry moves yet. */
  #agrees(event: Row, mine: readonly Row[]): boolean {
    const settled = settledOf(event);
    if (settled === undefined) return true;
    const [entry] = mine;
    const link = linkOf(event);
    const found = (name: string, clause: ClauseId, title: string, expected: string, received: string): void =>
      this.#find({ name, clause, title, expected, received, event, entry });
    if (settled > 0 && executionOf(event) === null) {
      const title = "the event of a charge names no execution";
      found("charge-without-execution", "USAG-07", title, "the execution_id that a Call returned", "none");
    }
    if (settled > 0 && entry === undefined) return false;
    if (entry === undefined) return true;
    const moved = sumOf(mine.map((one) => amountOf(one) ?? 0));
    const execution = executionOf(entry);
    if (execution !== null && executionOf(event) !== null && execution !== executionOf(event)) {
      const title = "an event links to the ledger entry of another execution";
      found(
        "linked-to-another",
        "LEDG-10",
        title,
        `an entry of ${executionOf(event)}`,
        `one of ${execution}`,
      );
    } else if (settled === 0) {
      if (moved < 0 && !mayBeReviewed(event, this.#readAtMs)) {
        const title = "a Call that is not charged has a consuming ledger entry";
        found("uncharged-with-entry", "BILL-23", title, "no entry", `an entry of ${moved} credits`);
      }
    } else if (mine.length > 1) {
      const title = "a Call has several ledger entries";
      found("charged-twice", "BILL-12", title, "one ledger entry", mine.map(idOf).join(" and "));
    } else if (!movesSettled(settled, moved)) {
      const title = "usage event and ledger entry name different amounts";
      found(
        "amounts-differ",
        "BILL-05",
        title,
        `an entry of ${-settled} credits`,
        `an entry of ${moved} credits`,
      );
    } else if (link === null) {
      const title = "the event of a charge links to no ledger entry";
      found("charge-without-link", "BILL-11", title, `a link to entry ${idOf(entry)}`, "none");
    } else if (link !== idOf(entry)) {
      const title = "the event of a charge links to another ledger entry than its own";
      found("linked-to-another", "BILL-11", title, `a link to entry ${idOf(entry)}`, `one to ${link}`);
    }
    return true;
  }

  /** No execution has two events of Calls. */
  #requireOneEvent(events: readonly Row[], since: ReadonlyMap<Row, unknown>): void {
    const known = new Map<string, Row>();
    for (const event of events) {
      const execution = isOfCall(event) ? executionOf(event) : null;
      if (execution === null) continue;
      const other = known.get(execution);
      known.set(execution, event);
      if (other === undefined || idOf(other) === idOf(event) || since.has(event)) continue;
      this.#find({
        name: "call-with-two-events",
        clause: "BILL-11",
        title: "a Call has several usage events",
        expected: `one usage event of ${execution}`,
        received: `${idOf(other)} and ${idOf(event)}`,
        event,
      });
    }
  }

  /** No execution without an event has several entries. */
  #requireOneEntry(unowned: readonly Row[]): void {
    for (const [execution, some] of Map.groupBy(unowned.filter(isEntryOfCall), executionOf)) {
      if (execution === null || some.length < 2) continue;
      this.#find({
        name: "charged-twice",
        clause: "BILL-12",
        title: "a Call has several ledger entries",
        expected: `one ledger entry of ${execution}`,
        received: some.map(idOf).join(" and "),
        entry: some[0],
      });
    }
  }
}

/** A balance at which the chain is open, in micro-credits, with the entry that begins or ends there. */
interface End {
  balance: number;
  entry: Row;
  /** Parts since it opened. */
  age: number;
}

/**
 * Follows the balances from entry to entry (LEDG-15), whatever the order of the entries of one moment: each entry begins
 * at the balance that another one left.
 */
export class Chain {
  readonly #find: Find;
  /** Balances that entries left and no other has begun at, and the other way round. */
  #left: End[];
  #begun: End[];
  #isFirst: boolean;

  /** @param state where an interrupted audit had stopped */
  constructor(find: Find, state: Chain["state"] = { left: [], begun: [], isFirst: true }) {
    this.#find = find;
    this.#left = [...state.left];
    this.#begun = [...state.begun];
    this.#isFirst = state.isFirst;
  }

  get state(): { left: readonly End[]; begun: readonly End[]; isFirst: boolean } {
    return { left: this.#left, begun: this.#begun, isFirst: this.#isFirst };
  }

  /** Audits a part. */
  take(entries: readonly Row[]): void {
    this.#requireNotNegative(entries);
    if (entries.length === 0) return;
    const sides = entries.map(
      (entry) => [balanceOf(entry, "before"), balanceOf(entry, "after"), entry] as const,
    );
    if (sides.some(([before, after]) => before === undefined || after === undefined)) {
      // "when available": nothing chains across an entry without balances.
      this.#left = [];
      this.#begun = [];
      this.#isFirst = true;
      return;
    }
    const open = new Map<number, { left: End[]; begun: End[] }>();
    const at = (balance: number): { left: End[]; begun: End[] } => {
      const known = open.get(balance) ?? { left: [], begun: [] };
      open.set(balance, known);
      return known;
    };
    for (const end of this.#left) at(end.balance).left.push({ ...end, age: end.age + 1 });
    for (const end of this.#begun) at(end.balance).begun.push({ ...end, age: end.age + 1 });
    for (const [before, after, entry] of sides) {
      if (sameCredits(before!, after!)) continue;
      const [from, to] = [inMicro(before!), inMicro(after!)];
      at(from).begun.push({ balance: from, entry, age: 0 });
      at(to).left.push({ balance: to, entry, age: 0 });
    }
    const unmatched = [...open.values()].map(({ left, begun }) => {
      const paired = Math.min(left.length, begun.length);
      return { left: left.slice(paired), begun: begun.slice(paired) };
    });
    this.#left = unmatched.flatMap(({ left }) => left);
    this.#begun = unmatched.flatMap(({ begun }) => begun);
    this.#settle();
  }

  /** Reports what never chained. */
  end(): void {
    for (const { entry, balance } of this.#begun) this.#break(entry, balance);
    this.#begun = [];
  }

  /** Lets the window's first entry begin anywhere; reports what an earlier part left open. */
  #settle(): void {
    if (this.#isFirst && this.#begun.length > 0) {
      const oldest = this.#begun.reduce((one, other) =>
        timeOf(other.entry) < timeOf(one.entry) ? other : one,
      );
      this.#begun = this.#begun.filter((end) => end !== oldest);
      this.#isFirst = false;
    }
    for (const { entry, balance } of this.#begun.filter(({ age }) => age > 0)) this.#break(entry, balance);
    this.#begun = this.#begun.filter(({ age }) => age === 0);
    this.#left = this.#left.filter(({ age }) => age === 0);
  }

  #break(entry: Row, balance: number): void {
    this.#find({
      name: "balances-do-not-chain",
      clause: "LEDG-15",
      title: "an entry begins at a balance that no entry left",
      expected: "balance_before equal to the balance_after of the entry before it",
      received: `balance_before ${balance / 1e6}`,
      entry,
    });
  }

  #requireNotNegative(entries: readonly Row[]): void {
    for (const entry of entries) {
      const after = balanceOf(entry, "after");
      if (after === undefined || after > -1e-6) continue;
      this.#find({
        name: "negative-balance",
        clause: "BILL-13",
        title: "a balance falls below zero",
        expected: "at least 0 credits",
        received: `balance_after ${after}`,
        entry,
      });
    }
  }
}

const inMicro = (credits: number): number => Math.round(credits * 1e6);
const timeOf = ({ created_at: at }: Row): number => momentOf(at) ?? 0;
