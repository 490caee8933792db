import type { OperationId } from "../../../generated/contract.ts";
import { creditsOf } from "../../judge/credits.ts";
import { sentJson, type Exchange } from "../../judge/exchange.ts";
import { momentOf } from "../../judge/instant.ts";
import { balanceOf } from "../../judge/rows.ts";
import { isFields, memberOf, seenOf, type Seen } from "../../judge/seen.ts";
import { Located } from "../../judge/answer.ts";
import { csvRows } from "../csv.ts";
import { comparable } from "../listed.ts";
import { differ, joined, lastingOf, type Lasting } from "../lasting.ts";
import { settledIn, type Answered, type Settled } from "../writes.ts";
import { amounts } from "../unnamed.ts";

/** The two histories of an account. */
export type Stream = "ledger" | "usage";

/** An amount of credits in whole millionths, so that sums are exact. */
export type Micro = number;

/** One operation of a client, from beginning to end in epoch milliseconds. */
export interface Act {
  account: string;
  /** Whose reads must not go back: a client that asks one thing after another. */
  reader: string;
  operation: OperationId;
  begin: number;
  /** Infinity if no answer shows what became of it. */
  end: number;
  exchange: Exchange;
  write: Write | null;
  reading: Reading | null;
  /** `remaining_credits` of the answer. */
  balance: Micro | null;
  /** The amounts of the credits, by path, one of which is the remaining total; the contract does not name it. */
  credits: ReadonlyMap<string, Micro> | null;
}

/** A Call or a capability query. */
export interface Write {
  outcome: Answered;
  execution: string | null;
  session: string | null;
  tool: string;
  cost: Micro | null;
  succeeded: boolean;
}

/** What an answer showed of a stream. */
export interface Reading {
  stream: Stream;
  /** Newest first. */
  rows: Row[];
  /** A list or an export without filters, whose rows are all that a place in the order has. */
  isPlain: boolean;
  /** How many rows the answer skipped as newer. */
  offset: number;
  /** It shows every older row too. */
  reachesOldest: boolean;
  total: number | null;
  summary: { count: number; sum: Micro } | null;
  /** The window that was asked for, in epoch microseconds. */
  from: number;
  to: number;
  /** A row that the answer showed twice. */
  repeated: Row | null;
  /** A row that differs from what an earlier act showed. */
  changed: Row | null;
}

/** A ledger entry or a usage event: what is known of it from all answers. */
export interface Row {
  stream: Stream;
  account: string;
  id: string;
  /** Epoch microseconds; NaN where no answer says. */
  createdAt: number;
  /** The order in which rows were first listed, oldest first within an answer. */
  nth: number;
  amount: Micro;
  before: Micro | null;
  after: Micro | null;
  type: string;
  execution: string | null;
  session: string | null;
  /** A usage event's ledger entry. */
  entry: string | null;
  /** A usage event's charge. */
  settled: Settled | null;
  /** What must never change of a listed entry, as far as it was shown. */
  lasting: Lasting | null;
  /** The act whose end was the first to show it. */
  shownBy: Act;
  /** Whether a list or a detail has shown it, not only an export. */
  isListed: boolean;
  /** The Call that caused it. */
  cause: Act | null;
  /** Its place in the order, oldest 0; and the first place of its moment, within which the order is open. */
  place: number;
  moment: number;
}

/** The acts and rows of a history. */
export interface Shown {
  acts: readonly Act[];
  rows: readonly Row[];
}

export const toMicro = (credits: number): Micro => Math.round(credits * 1e6);
const text = (value: unknown): string | null =>
  typeof value === "string" || typeof value === "number" ? String(value) : null;
const idOf = (value: unknown): string | null => {
  const id = text(value);
  return id === null ? null : comparable(id);
};
const amount = (value: unknown): Micro | null => {
  const credits = creditsOf(value);
  return credits === undefined ? null : toMicro(credits);
};

/** Parameters that select no rows: those of a window are checked against the rows. */
const plainParameters: ReadonlySet<string> = new Set([
  ...["page", "page_size", "include_details", "summary", "bucket", "start_date", "end_date"],
]);

/**
 * Whether a query selects all rows, or those of a window whose both ends it names. One end alone, or none where a summary
 * or the summary feed has a window of its own, leaves the rest of the window to the server.
 */
function isPlainQuery({ query, operation }: Pick<Seen, "query" | "operation">): boolean {
  const named = ["start_date", "end_date"].filter((name) => query.has(name)).length;
  const hasOwnWindow = operation === "listUsageFeed" || query.has("summary");
  return (
    (named === 2 || (named === 0 && !hasOwnWindow)) && query.keys().every((name) => plainParameters.has(name))
  );
}

/** Operations whose answer shows rows, with their stream. */
const streams: Partial<Record<OperationId, Stream>> = {
  listLedger: "ledger",
  exportLedger: "ledger",
  getLedgerEntry: "ledger",
  listUsage: "usage",
  exportUsage: "usage",
  getUsageEvent: "usage",
  listUsageFeed: "usage",
};

/** When an act happened and who read, where the recording knows better than the exchange itself. */
export interface When {
  reader?: string;
  begin?: number;
  end?: number;
}

/** Reads acts out of exchanges, and keeps each row once. */
export class Acts {
  readonly #all: Act[] = [];
  /** The rows of lists and details, and those of exports, by stream, account and id. */
  readonly #listed = new Map<string, Row>();
  readonly #exported = new Map<string, Row>();
  /** The rows of feeds, which may show anything of an event: they are known by the ids that lists have shown. */
  readonly #fed = new Map<string, Row>();

  /** @returns the act; null for an exchange that says nothing of the books */
  take(exchange: Exchange, { reader, begin, end }: When = {}): Act | null {
    const { operation, account, started_at, duration_ms, response } = exchange;
    if (operation === null || account === null) return null;
    const seen = seenOf(exchange);
    const isWrite = operation === "call" || operation === "queryCapability";
    if (!isWrite && (seen === null || seen.status !== 200)) return null;
    const act: Act = {
      account,
      reader: reader ?? account,
      operation,
      begin: begin ?? started_at,
      // Times of recordings are cut to milliseconds: an end that seems earlier than it was would accuse.
      end: response === null ? Infinity : (end ?? Math.ceil(started_at + duration_ms) + 1),
      exchange,
      write: isWrite ? writeOf(exchange, seen) : null,
      reading: null,
      balance: seen?.status === 200 ? balanceIn(seen) : null,
      credits: seen?.status === 200 && operation === "getCredits" ? creditsIn(seen, exchange) : null,
    };
    // A 503 from a proxy ends nothing: the request may still take effect.
    if (act.write?.outcome === "unknown") act.end = Infinity;
    if (seen?.status === 200) act.reading = this.#readingOf(act, seen);
    // Whole bodies of a long history would fill the memory.
    act.exchange = short(exchange);
    if ([act.write, act.reading, act.balance, act.credits].some((part) => part !== null)) this.#all.push(act);
    return act;
  }

  /**
   * All acts and rows, without the exports whose ids are not those of the lists: the contract does not name their columns,
   * so they may number their rows, or end in a row of totals.
   */
  get comparable(): Shown {
    const exported = Map.groupBy(this.#exported, ([, { account, stream }]) => `${account} ${stream}`);
    const sames = new Map<Row, Row>();
    for (const rows of exported.values()) {
      const known = rows.filter(([key]) => this.#listed.has(key));
      const isSame = ([key, { execution }]: [string, Row]): boolean =>
        this.#listed.get(key)!.execution === execution;
      if (known.length === 0 || !known.every(isSame)) continue;
      for (const [key, row] of rows) {
        const listed = this.#listed.get(key);
        if (listed === undefined && Number.isNaN(row.createdAt)) continue;
        if (listed !== undefined && row.shownBy.end < listed.shownBy.end) listed.shownBy = row.shownBy;
        sames.set(row, listed ?? row);
      }
    }
    const acts = this.#all.map((act): Act => {
      const { reading } = act;
      if (reading === null) return act;
      if (isFeed(act)) return { ...act, reading: this.#listedIn(reading) };
      if (!isExport(act)) return act;
      const rows = reading.rows.flatMap((row) => sames.get(row) ?? []);
      const isForeign = rows.length === 0 && reading.rows.length > 0;
      return { ...act, reading: isForeign ? null : { ...reading, rows } };
    });
    const further = [...sames].flatMap(([row, same]) => (row === same ? [row] : []));
    return { acts, rows: [...this.#listed.values(), ...further] };
  }

  /** What a feed shows, by the rows of the lists; of an event that no list shows, nothing is known. */
  #listedIn(reading: Reading): Reading {
    const listed = ({ stream, account, id }: Row): Row | null =>
      this.#listed.get(`${stream} ${account} ${id}`) ?? null;
    const rows = reading.rows.flatMap((row) => listed(row) ?? []);
    const isPlain = reading.isPlain && rows.length === reading.rows.length;
    return { ...reading, rows, isPlain, repeated: reading.repeated && listed(reading.repeated) };
  }

  #readingOf(act: Act, seen: Seen): Reading | null {
    const stream = streams[act.operation];
    if (stream === undefined) return null;
    const data = memberOf(seen.body, "data");
    const isCsv = isExport(act);
    const isOne = act.operation === "getLedgerEntry" || act.operation === "getUsageEvent";
    const found: unknown[] | null = isCsv
      ? csvObjects(act.exchange.response!.body)
      : isOne
        ? [data]
        : listOf(memberOf(data, "items"));
    if (found === null && !isCsv) return null;
    const reading: Reading = {
      stream,
      rows: [],
      // A ledger export holds only some types of entries unless a scope says otherwise.
      isPlain: found !== null && !isOne && act.operation !== "exportLedger" && isPlainQuery(seen),
      offset: 0,
      reachesOldest: isCsv,
      total: null,
      summary: null,
      from: instantOf(seen.query.get("start_date"), false),
      to: instantOf(seen.query.get("end_date"), true),
      repeated: null,
      changed: null,
    };
    const shown = new Set<Row>();
    for (const value of found?.toReversed() ?? []) {
      const row = isFields(value) ? this.#rowOf(act, reading, value, isCsv) : null;
      // A list with an unreadable row does not show everything.
      reading.isPlain &&= row !== null || isCsv;
      if (row === null) continue;
      if (shown.has(row)) reading.repeated ??= row;
      shown.add(row);
      reading.rows.push(row);
    }
    reading.rows.reverse();
    if (isFeed(act)) {
      // "Its field list is not shown", nor its order: only where no page follows are the others absent.
      reading.isPlain &&= memberOf(data, "next_cursor") === null;
      reading.reachesOldest = true;
      return reading;
    }
    const size = memberOf(data, "page_size");
    if (!isCsv && typeof size === "number") {
      reading.offset = (Number(seen.query.get("page") ?? 1) - 1) * size;
      reading.reachesOldest = found!.length < size;
    }
    const total = memberOf(data, "total");
    reading.total = typeof total === "number" ? total : null;
    reading.summary = summaryIn(stream, memberOf(data, "summary"), seen.query);
    return reading;
  }

  #rowOf(act: Act, reading: Reading, value: Record<string, unknown>, isCsv: boolean): Row | null {
    const id = idOf(value["id"]);
    const { stream } = reading;
    const isLedger = stream === "ledger";
    const settled = isLedger ? null : settledIn(value, act.end);
    const moved = isLedger ? amount(value["amount_credits"]) : toMicro(settled!.credits ?? 0);
    // What an entry without an amount moves is unknown.
    if (id === null || (moved === null && !isCsv)) return null;
    const key = `${stream} ${act.account} ${id}`;
    const rows = isCsv ? this.#exported : isFeed(act) ? this.#fed : this.#listed;
    const known = rows.get(key);
    const [before, after] = [balanceOf(value, "before"), balanceOf(value, "after")];
    const data = {
      createdAt: momentOf(value["created_at"]) ?? NaN,
      amount: moved ?? 0,
      before: before === undefined ? null : toMicro(before),
      after: after === undefined ? null : toMicro(after),
      type: text(value[isLedger ? "entry_type" : "event_type"]) ?? "",
      execution: text(value["execution_id"]),
      session: text(value["session_id"]),
      entry: idOf(value["credits_ledger_entry_id"]),
      settled,
    };
    const lasting = isLedger && !isCsv ? lastingOf(value) : null;
    if (known !== undefined) {
      // Only the details may show an amount.
      if (settled !== null && settled.credits === undefined && known.settled?.credits !== undefined)
        Object.assign(data, { amount: known.amount, settled: known.settled });
      if (known.lasting === null || lasting === null)
        Object.assign(known, data, { lasting, entry: data.entry ?? known.entry });
      else if (differ(known.lasting, lasting)) reading.changed ??= known;
      else {
        known.lasting = joined(known.lasting, lasting);
        known.before ??= data.before;
        known.after ??= data.after;
        known.execution ??= data.execution;
        known.session ??= data.session;
      }
      if (act.end < known.shownBy.end) known.shownBy = act;
      return known;
    }
    const row: Row = {
      stream,
      account: act.account,
      id,
      ...data,
      lasting,
      nth: this.#listed.size + this.#exported.size,
      shownBy: act,
      isListed: !isCsv,
      cause: null,
      place: -1,
      moment: -1,
    };
    rows.set(key, row);
    return row;
  }
}

const isFeed = ({ operation }: Act): boolean => operation === "listUsageFeed";
const isExport = ({ operation }: Act): boolean => operation === "exportLedger" || operation === "exportUsage";

/** Statuses of a request that was refused before it was executed. */
const refusals: ReadonlySet<number> = new Set([400, 401, 402, 403, 404, 405, 413, 415, 422, 429]);

function writeOf(exchange: Exchange, seen: Seen | null): Write {
  const { sent } = seen ?? { sent: sentJson(exchange) };
  const body = seen?.body;
  const execution = text(memberOf(body, "execution_id"));
  const status = exchange.response?.status ?? 0;
  // "404 Account unavailable during credit settlement": a query may have been executed, and be settled later.
  const isRefused = refusals.has(status) && !(status === 404 && exchange.operation === "queryCapability");
  return {
    outcome: status === 200 && execution !== null ? "executed" : isRefused ? "refused" : "unknown",
    execution,
    session: text(memberOf(sent, "session_id")),
    tool: text(memberOf(sent, "tool_id") ?? memberOf(sent, "capability_id")) ?? "",
    cost: amount(memberOf(body, "credits_used") ?? memberOf(body, "cost")),
    succeeded: memberOf(body, "success") === true,
  };
}

const listOf = (value: unknown): unknown[] | null => (Array.isArray(value) ? value : null);

/** A refusal for lack of credits says 0, whatever is left. */
function balanceIn({ operation, body }: Seen): Micro | null {
  const data = operation === "getCredits" ? memberOf(body, "data") : body;
  const left = amount(memberOf(data, "remaining_credits"));
  return left === 0 && text(memberOf(body, "error_message")) !== null ? null : left;
}

const creditsIn = ({ body }: Seen, exchange: Exchange): ReadonlyMap<string, Micro> =>
  new Map(
    [...amounts(new Located(memberOf(body, "data"), "data", exchange))].map(([path, credits]) => [
      path,
      toMicro(credits),
    ]),
  );

/** A summary of a given window: without dates its window is the server's choice. */
function summaryIn(stream: Stream, summary: unknown, query: URLSearchParams): Reading["summary"] {
  if (!query.has("start_date") || !query.has("end_date")) return null;
  const [count, sum] = (
    stream === "ledger" ? ["total_entries", "net_amount_credits"] : ["total_count", "settled_credits"]
  ).map((name) => memberOf(summary, name));
  return typeof count === "number" && typeof sum === "number" ? { count, sum: toMicro(sum) } : null;
}

/** An instant of a query in epoch microseconds; a bare date as an end is the end of that day. */
function instantOf(value: string | null, isEnd: boolean): number {
  if (value === null) return isEnd ? Infinity : -Infinity;
  const isDay = /^\d{4}-\d\d-\d\d$/.test(value);
  const at = momentOf(isDay ? `${value}T${isEnd ? "23:59:59.999999" : "00:00:00"}Z` : value);
  return at ?? NaN;
}

/** The rows of an export as objects; null if no header names their id. A row of another length holds totals. */
function csvObjects(csv: string): Record<string, unknown>[] | null {
  const [header, ...lines] = csvRows(csv);
  if (header === undefined) return [];
  if (!header.includes("id")) return null;
  return lines
    .filter((cells) => cells.length === header.length)
    .map((cells) =>
      Object.fromEntries(header.map((name, column) => [name, cells[column] === "" ? null : cells[column]])),
    );
}

/** Characters of a body that a contradiction shows. */
const shownBody = 400;

/** The exchange with the beginnings of its bodies. Texts are copied, so that slices do not keep the whole. */
function short(exchange: Exchange): Exchange {
  const { request, response } = exchange;
  const cut = (body: string): string =>
    body.length <= shownBody ? body : Buffer.from(body.slice(0, shownBody)).toString();
  return {
    ...exchange,
    request: { ...request, body: request.body === null ? null : cut(request.body) },
    response: response && { ...response, body: cut(response.body) },
  };
}
