import type { Exchange } from "../judge/exchange.ts";
import type { Fault } from "../judge/fault.ts";
import { condition } from "../judge/fact.ts";
import type { Row } from "../judge/rows.ts";
import {
  chargeFault,
  executionOf,
  isEntryDue,
  isEntryOfCall,
  isOfCall,
  linkOf,
  missingEntry,
  movedIn,
  moves,
  settledIn,
  unnamedCharge,
} from "./writes.ts";

/*
 * What an account's usage events and its ledger entries say of each other, in sequence. Rows are taken in parts, in
 * order of time; only those that still miss their counterpart are kept.
 */

/** A contradiction in an account's books, with the rows that it is about, and the other read that shows it. */
export interface Anomaly extends Fault {
  event?: Row | undefined;
  entry?: Row | undefined;
  exchange?: Exchange | undefined;
}

export type Find = (anomaly: Anomaly) => void;

/** Rows of the two lists. */
export interface Books {
  events: readonly Row[];
  entries: readonly Row[];
}

const idOf = (row: Row): string => String(row["id"]);

/** Rows whose counterpart may still appear, each with the time of its part. */
interface Open {
  events: (readonly [Row, number])[];
  entries: (readonly [Row, number])[];
}

/** How far apart the rows of one charge may be, in milliseconds of the parts' time. */
const apartMs = 600_000;

/** Audits the rows of whole lists, oldest first. */
export function auditPairs(books: Books, find: Find, readAtMs: number): void {
  const pairs = new Pairs(find, readAtMs);
  pairs.take(books);
  pairs.missing(pairs.end());
}

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
  take(part: Books, at = 0): Books {
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
      return { old: dated.filter(isOld).map(([row]) => row), open: dated.filter((pair) => !isOld(pair)) };
    };
    const [left, stray] = [divided(lonely), divided(unowned)];
    this.#open = { events: left.open, entries: stray.open };
    return { events: left.old, entries: stray.old.filter(isEntryOfCall) };
  }

  /** The rows that still miss their counterpart at the end. */
  end(): Books {
    const strays = {
      events: this.#open.events.map(([event]) => event),
      entries: this.#open.entries.map(([entry]) => entry).filter(isEntryOfCall),
    };
    this.#open = { events: [], entries: [] };
    return strays;
  }

  /** Reports strays without a counterpart. */
  missing(strays: Books): void {
    this.#requireOneEntry(strays.entries);
    for (const event of strays.events)
      this.#find({ ...missingEntry(settledIn(event, this.#readAtMs)), event });
    for (const entry of strays.entries) {
      this.#find({
        name: "entry-without-event",
        clauses: ["BILL-12"],
        title: "a consuming ledger entry belongs to no usage event",
        fact: condition("an event for every charge", "none", { kind: "row" }),
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
    const entries = execution === null || !isOfCall(event) ? [] : (byExecution.get(execution) ?? []);
    return [...new Set(linked === undefined ? entries : [linked, ...entries])].filter(moves);
  }

  #own(event: Row, entry: Row, owners: Map<string, Row>): void {
    const other = owners.get(idOf(entry));
    owners.set(idOf(entry), event);
    if (other === undefined || idOf(other) === idOf(event) || ![event, other].every(isOfCall)) return;
    this.#find({
      name: "entry-of-two-events",
      clauses: ["BILL-12"],
      title: "one ledger entry covers the charges of several events",
      fact: condition(
        `an entry of its own for event ${idOf(event)}`,
        `entry ${idOf(entry)}, which is also that of event ${idOf(other)}`,
        { kind: "row" },
      ),
      event,
      entry,
    });
  }

  /** Audits an event with its entries; false where it settled for something that no entry moves yet. */
  #agrees(event: Row, mine: readonly Row[]): boolean {
    const settled = settledIn(event, this.#readAtMs);
    const entries = mine.map(movedIn);
    for (const fault of [unnamedCharge(settled), chargeFault(settled, entries)])
      if (fault !== null) this.#find({ ...fault, event, entry: mine[0] });
    return !isEntryDue(settled, entries);
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
        clauses: ["BILL-11"],
        title: "a Call has several usage events",
        fact: condition(`one usage event of ${execution}`, `${idOf(other)} and ${idOf(event)}`, {
          kind: "row",
        }),
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
        clauses: ["BILL-12"],
        title: "a Call has several ledger entries",
        fact: condition(`one ledger entry of ${execution}`, some.map(idOf).join(" and "), { kind: "row" }),
        entry: some[0],
      });
    }
  }
}
