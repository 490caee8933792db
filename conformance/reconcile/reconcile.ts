import { Unreachable, WrongUse } from "../../cli/exit.ts";
import type { ClauseId } from "../../generated/clauses.ts";
import { contractVersion, responseHeaders } from "../../generated/contract.ts";
import { sameCredits } from "../judge/credits.ts";
import { momentOf } from "../judge/instant.ts";
import { inLine } from "../../cli/plain.ts";
import { balanceOf, type Row } from "../judge/rows.ts";
import { Blocked, Unverifiable } from "../judge/verdict.ts";
import type { Answer, Located } from "../judge/answer.ts";
import type { Exchange } from "../judge/exchange.ts";
import { judgedVersion } from "../run/judged-version.ts";
import { usable, type Account } from "../server/account.ts";
import { createdAt, dayOf, dayText, type List } from "../server/lists.ts";
import type { Profile } from "../server/profile.ts";
import { pause } from "../server/session.ts";
import { amounts, candidatesForTotal } from "../server/unnamed.ts";
import { Chain, Pairs, isOfCall, type Anomaly, type Find, type Strays } from "../suite/account/audit.ts";
import { auditExport, auditFeed, auditSettlements, isOfHistory } from "../suite/account/audit-reads.ts";
import { ledgerSummary } from "../suite/ledger-summary/summary.ts";
import { Totals, type Summary } from "../suite/summary.ts";
import { usageSummary } from "../suite/usage-summary/summary.ts";
import { Anomalies } from "./anomalies.ts";
import { holdPage } from "./page-rules.ts";
import {
  accountOf,
  readExport,
  readFeed,
  readSlice,
  type Other,
  type Read,
  type ReadingOptions,
} from "./reader.ts";
import type { Recorded, Seen } from "./recording.ts";
import { queryOf, sliceOf, slicesOf, type Slice, type Window } from "./slices.ts";
import type { Held, State } from "./state.ts";

export interface ReconcileOptions extends ReadingOptions {
  key: string;
  /** Epoch milliseconds; by default from the account's first row until `settlesMs` before now. */
  from?: number | undefined;
  to?: number | undefined;
  /** Holds exports, feed and settlements against every slice. */
  all: boolean;
  /** Where an interrupted run had come to. */
  state?: State | undefined;
  recorded?: Recorded | undefined;
  onProgress?: (text: string) => void;
  onState?: (state: () => State) => Promise<void>;
  /** How old a row is before its absence elsewhere counts. */
  settlesMs?: number;
  /** How long a balance may differ from the ledger, since a Call under way may hold credits. */
  holdsMs?: number;
}

/** The result of a reconciliation. */
export interface Reconciled {
  window: Window | null;
  startedAt: number;
  durationMs: number;
  interrupted: boolean;
  versionNote: string | null;
  events: number;
  entries: number;
  requests: number;
  /** Credits that events settled, and that entries consumed and granted. */
  settled: number;
  consumed: number;
  granted: number;
  anomalies: Anomalies;
  held: Held[];
  recording: Seen | null;
}

/** The most rows of a list in one slice: what is held in memory at a time. */
const maxRowsOfSlice = 1_000;
/** Slices that are read ahead of the audit. */
const ahead = 1;
/** Rows whose exports, feed and settlements are read; of a longer account, in slices spread over the window. */
const maxRowsOfOthers = 100_000;
const usualSettlesMs = 60_000;
const usualHoldsMs = 30_000;
/** Lookups in a row that find nothing, after which none is made for further rows. */
const maxVainLookups = 200;

/**
 * Holds what an account reads about itself against each other, from the oldest row to the newest, by the suite's rules.
 * @throws Unreachable when the lists cannot be read; WrongUse when the server refuses the key
 */
export async function reconcile(profile: Profile, options: ReconcileOptions): Promise<Reconciled> {
  const account = await accountOf(profile, options.key, options);
  try {
    return await new Reconciliation(account, options).run();
  } catch (error) {
    if (!(error instanceof Blocked || error instanceof Unverifiable)) throw error;
    throw new Unreachable(`${profile.base_url} cannot be read to its end: ${inLine(error.message)}`, {
      cause: error,
    });
  } finally {
    account.session.client.close();
  }
}

class Reconciliation {
  readonly #account: Account;
  readonly #options: ReconcileOptions;
  readonly #startedAt = Date.now();
  readonly #anomalies: Anomalies;
  readonly #pairs: Pairs;
  readonly #chain: Chain;
  readonly #usage: Totals;
  readonly #ledger: Totals;
  readonly #done: State["done"];
  readonly #held: Map<string, Held>;
  readonly #waiting = new Map<string, Anomaly[]>();
  #vain = 0;

  constructor(account: Account, options: ReconcileOptions) {
    const { state } = options;
    this.#account = account;
    this.#options = options;
    this.#anomalies = new Anomalies(state?.anomalies);
    this.#pairs = new Pairs(this.#find, this.#startedAt, state?.pairs);
    this.#chain = new Chain(this.#find, state?.chain);
    this.#usage = new Totals(usageSummary, state?.usage);
    this.#ledger = new Totals(ledgerSummary, state?.ledger);
    this.#done = { ...(state?.done ?? { events: 0, entries: 0, slices: 0 }) };
    this.#held = new Map((state?.held ?? []).map((held) => [held.what, { ...held }]));
    if (options.recorded && state?.recorded) options.recorded.restore(state.recorded);
  }

  readonly #find: Find = (anomaly: Anomaly) => this.#anomalies.add(anomaly);

  async run(): Promise<Reconciled> {
    const versionNote = await this.#greet();
    this.#account.session.client.listen((exchange, json) => this.#holdPage(exchange, json));
    const window = this.#options.state?.window ?? (await this.#window());
    if (window !== null) await this.#audit(window);
    const interrupted = this.#options.signal?.aborted ?? false;
    return {
      window,
      startedAt: this.#startedAt,
      durationMs: Date.now() - this.#startedAt,
      interrupted,
      versionNote,
      events: this.#done.events,
      entries: this.#done.entries,
      requests: this.#account.session.client.allowance.used.requests,
      settled: this.#usage.of("settled_credits")[0] ?? 0,
      consumed: this.#ledger.of("consumed_credits")[0] ?? 0,
      granted: this.#ledger.of("granted_credits")[0] ?? 0,
      anomalies: this.#anomalies,
      held: [...this.#held.values()],
      recording: this.#options.recorded?.seen ?? null,
    };
  }

  /** @throws WrongUse for a key that the server refuses; OtherVersion for a server of another version */
  async #greet(): Promise<string | null> {
    const answer = await this.#account.ask("listUsage", { query: { page_size: 1 } });
    if (answer.status === 401)
      throw new WrongUse(
        `the server refuses the key (401: ${inLine(String(answer.at("message").value))}); give one that is valid`,
      );
    return judgedVersion(
      this.#account.profile.contract,
      usable(answer).headers[responseHeaders.apiVersion.toLowerCase()],
    );
  }

  /** The window that the options name, else from the account's first row until now; null for an account without rows. */
  async #window(): Promise<Window | null> {
    const { from, to, settlesMs = usualSettlesMs } = this.#options;
    const end = to ?? this.#startedAt - settlesMs;
    if (from !== undefined) return { start: from, end };
    const first = [await this.#oldest("listUsage"), await this.#oldest("listLedger")].filter(
      (row) => row !== undefined,
    );
    // A day before, since a timestamp may name no zone.
    const starts = first.map((row) => Date.parse(dayOf(row, -1)));
    return starts.length === 0 ? null : { start: Math.min(...starts), end };
  }

  async #oldest(list: List): Promise<Located | undefined> {
    const total = Number((await this.#page(list, {})).at("data.total").value);
    const page = await this.#page(list, { page: Math.max(1, total) });
    return page.at("data.items").items.at(-1);
  }

  async #page(list: List, query: Record<string, unknown>): Promise<Answer> {
    return usable(await this.#account.ask(list, { query: { page_size: 1, ...(query as object) } }));
  }

  async #audit(window: Window): Promise<void> {
    const open = this.#options.state?.open.map((slice) => ({ ...slice })) ?? [
      await sliceOf(this.#account, window),
    ];
    const whole = this.#options.state?.total ?? { events: open[0]!.events, entries: open[0]!.entries };
    for await (const { read, left } of this.#readAhead(open)) {
      await this.#take(read, whole);
      await this.#options.onState?.(this.#state(window, left, whole));
      if (this.#options.signal?.aborted) return;
    }
    if (this.#options.signal?.aborted) return;
    await this.#resolve(this.#pairs.end());
    this.#chain.end();
    await this.#holdSummaries(window);
    await this.#holdSpent(window);
    if (this.#options.to === undefined) await this.#holdBalance();
    await this.#options.recorded?.end(this.#account, window, this.#find);
  }

  /** The slices with their rows, in order; some are read ahead. `left` are the slices after each. */
  async *#readAhead(open: Slice[]): AsyncGenerator<{ read: Read; left: Slice[] }> {
    const reading: { slice: Slice; read: Promise<Read> }[] = [];
    const slices = slicesOf(this.#account, open, maxRowsOfSlice);
    for (;;) {
      while (reading.length <= ahead) {
        const next = await slices.next();
        if (next.done) break;
        const read = readSlice(this.#account, next.value);
        read.catch(() => undefined);
        reading.push({ slice: next.value, read });
      }
      const first = reading.shift();
      if (first === undefined) return;
      const read = await first.read;
      yield { read, left: [...open, ...reading.map(({ slice }) => slice).toReversed()] };
    }
  }

  async #take({ slice, events, entries }: Read, whole: State["total"]): Promise<void> {
    this.#holdRows("listUsage", slice, events);
    this.#holdRows("listLedger", slice, entries);
    await this.#resolve(this.#pairs.take({ events, entries }, slice.end));
    this.#chain.take(entries);
    this.#usage.take(events);
    this.#ledger.take(entries);
    for (const event of events) this.#options.recorded?.take(event, this.#find);
    if (this.#isRead(slice, whole)) await this.#holdOthers({ slice, events, entries });
    const start = new Date(slice.start).toISOString();
    for (const anomaly of this.#waiting.get(start) ?? []) this.#find(anomaly);
    this.#waiting.delete(start);
    this.#done.events += events.length;
    this.#done.entries += entries.length;
    this.#done.slices += 1;
    const parts = whole.events + whole.entries;
    const share = parts === 0 ? 1 : (this.#done.events + this.#done.entries) / parts;
    this.#options.onProgress?.(
      `${Math.floor(100 * share)} %: ${this.#done.events} events and ${this.#done.entries} entries until ${dayText(slice.end * 1000)}, ${this.#anomalies.total} anomalies`,
    );
  }

  /** Whether the other reads of a slice are held against its lists: all of a small account, some of a large one. */
  #isRead({ events, entries }: Slice, whole: State["total"]): boolean {
    const rows = Math.max(whole.events, whole.entries);
    if (events + entries === 0) return false;
    if (this.#options.all || rows <= maxRowsOfOthers) return true;
    const wanted = (rows: number): number => Math.floor((rows * maxRowsOfOthers) / Math.max(whole.events, 1));
    const before = this.#done.events;
    // The first slice, and each that brings the share of what was read to the next slice's worth.
    return (
      this.#done.slices === 0 ||
      Math.floor(wanted(before + events) / maxRowsOfSlice) > Math.floor(wanted(before) / maxRowsOfSlice)
    );
  }

  /** Each row of a slice once, and as many as the list counts. */
  #holdRows(list: List, slice: Slice, rows: readonly Row[]): void {
    const isUsage = list === "listUsage";
    const counted = slice[isUsage ? "events" : "entries"];
    const ids = new Set<string>();
    for (const row of rows) {
      const id = String(row["id"]);
      if (ids.has(id)) {
        this.#find({
          name: `${isUsage ? "event" : "entry"}-listed-twice`,
          clause: isUsage ? "USAG-37" : "LEDG-41",
          title: "the pages of a list repeat a row",
          expected: `${id} once`,
          received: "it is there again",
          [isUsage ? "event" : "entry"]: row,
        });
      }
      ids.add(id);
    }
    if (rows.length === counted) return;
    this.#find({
      name: `${isUsage ? "events" : "entries"}-counted-otherwise`,
      clause: isUsage ? "USAG-32" : "LEDG-23",
      title: "the pages of a list hold another number of rows than its total",
      expected: `${counted} rows from ${new Date(slice.start).toISOString()} to ${new Date(slice.end).toISOString()}`,
      received: `${rows.length} rows`,
    });
  }

  /** Holds the rules about single answers; what they find in a slice that is read ahead waits for its turn. */
  #holdPage(exchange: Exchange, json: () => unknown): void {
    const query = new URL(exchange.request.url).searchParams;
    // Rows of a count are read again with their slice.
    if (query.get("page_size") === "1" && !query.has("summary")) return;
    const slice = query.get("start_date");
    if (slice === null || query.has("summary")) return holdPage(exchange, json, this.#find);
    const found = this.#waiting.get(slice) ?? [];
    holdPage(exchange, json, (anomaly) => found.push(anomaly));
    if (found.length > 0) this.#waiting.set(slice, found);
  }

  /** Looks up what missed its counterpart in the slices around it, and reports what has none. */
  async #resolve(strays: Strays): Promise<void> {
    for (const event of strays.events) {
      const entries = await this.#found(async () => this.#entry(event["credits_ledger_entry_id"]));
      this.#settle({ events: [event], entries });
    }
    for (const entry of strays.entries) {
      const { execution_id: execution } = entry;
      const events =
        typeof execution !== "string"
          ? []
          : await this.#found(async () =>
              usable(await this.#account.usage({ execution_id: execution, page_size: 50 }))
                .at("data.items")
                .items.map(({ value }) => value as Row),
            );
      const links = events.filter(isOfCall).map((event) => event["credits_ledger_entry_id"]);
      const others =
        links.length === 0 || String(links[0]) === String(entry["id"]) ? [] : await this.#entry(links[0]);
      this.#settle({ events, entries: [entry, ...others] });
    }
  }

  #settle(books: Strays): void {
    const alone = new Pairs(this.#find, this.#startedAt);
    alone.take(books);
    this.#pairs.missing(alone.end());
  }

  async #entry(id: unknown): Promise<Row[]> {
    if (id === undefined || id === null) return [];
    const answer = await this.#account.ask("getLedgerEntry", { parameter: String(id) });
    const entry = answer.status === 200 ? answer.at("data").value : undefined;
    return typeof entry === "object" && entry !== null ? [entry as Row] : [];
  }

  /** Rows that a lookup finds; none where many lookups before found nothing. */
  async #found(look: () => Promise<Row[]>): Promise<Row[]> {
    if (this.#vain >= maxVainLookups) return [];
    const found = await look();
    this.#vain = found.length > 0 ? 0 : this.#vain + 1;
    return found;
  }

  async #holdOthers({ slice, events, entries }: Read): Promise<void> {
    const history = entries.filter(isOfHistory);
    const account = this.#account;
    const find = this.#find;
    // One after another: together they would be most of what is in memory.
    this.#hold("usage export", events.length, await readExport(account, "exportUsage", slice), (text) =>
      auditExport("exportUsage", text, events, find),
    );
    this.#hold("ledger export", history.length, await readExport(account, "exportLedger", slice), (text) =>
      auditExport("exportLedger", text, history, find),
    );
    const feed = await readFeed(account, "listUsageFeed", slice);
    this.#hold("usage feed", events.length, feed, (items) => auditFeed(items, events, find), "UFED-02");
    this.#hold(
      "settlement history",
      history.length,
      await readFeed(account, "listSettlements", slice),
      (items) => auditSettlements(items, { events, entries }, find),
      "ACCT-18",
    );
  }

  /** Audits another read, and counts the rows that it was held against. */
  #hold<T>(what: string, rows: number, other: Other<T>, audit: (got: T) => boolean, clause?: ClauseId): void {
    const held = this.#held.get(what) ?? { what, rows: 0, why: null };
    this.#held.set(what, held);
    if ("got" in other) {
      if (audit(other.got)) held.rows += rows;
      else held.why ??= "its rows show no id of the list's rows";
    } else if ("why" in other) held.why ??= other.why;
    else if (clause !== undefined) {
      const { expected, received } = other.fault;
      this.#find({
        name: `${what.replace(" ", "-")}-broken`,
        clause,
        title: `the ${what} cannot be read through`,
        expected,
        received,
      });
    }
  }

  /** The figures of both summaries of the window, against the rows of the lists. */
  async #holdSummaries(window: Window): Promise<void> {
    const of = [
      [usageSummary, this.#usage, this.#done.events],
      [ledgerSummary, this.#ledger, this.#done.entries],
    ] as const;
    for (const [description, totals, rows] of of) {
      const what = `${description.row === "event" ? "usage" : "ledger"} summary`;
      const query = { ...queryOf(window), summary: true, bucket: "week", page_size: 1 };
      const answer = await this.#account.ask(description.list, { query });
      const summary = answer.at("data.summary");
      const why =
        answer.status !== 200
          ? `it answers ${answer.status}`
          : !summary.present
            ? "there is none"
            : isOfWindow(summary, window)
              ? null
              : "it is of another window than was asked for";
      this.#held.set(what, { what, rows: why === null ? rows : 0, why });
      if (why === null) this.#holdFigures(what, description, totals, summary);
    }
  }

  #holdFigures(what: string, { row }: Summary, totals: Totals, summary: Located): void {
    for (const { figure, expected, received } of totals.wrongIn(summary.value)) {
      // Of which events it is the sum is open.
      if (figure.path === "pre_settlement_credits") continue;
      this.#find({
        name: `${row === "event" ? "usage" : "ledger"}-summary-differs`,
        clause: figure.follows ?? figure.type,
        title: `the ${what} says another ${figure.path} than the list`,
        expected,
        received: String(received),
      });
    }
  }

  /** Some amount of the credits spent is what the events of the window settled. */
  async #holdSpent(window: Window): Promise<void> {
    const what = "credits spent";
    const answer = await this.#account.ask("getCreditsSpent", { query: queryOf(window) });
    const due = this.#usage.of("settled_credits")[0] ?? 0;
    const told = answer.status === 200 ? [...amounts(answer.at("data")).values()] : [];
    const why =
      answer.status !== 200 ? `it answers ${answer.status}` : told.length === 0 ? "it shows no amount" : null;
    this.#held.set(what, { what, rows: why === null ? this.#done.events : 0, why });
    if (why !== null || told.some((amount) => sameCredits(amount, due))) return;
    this.#find({
      name: "credits-spent-differ",
      clause: "ACCT-06",
      title: "the credits spent are not what the events settled",
      expected: `${due}, which the events of the window add up to`,
      received: told.join(", "),
    });
  }

  /**
   * The balance is what the newest entry left. A Call under way may hold credits, and rows may arrive: a difference counts
   * once it stands still.
   */
  async #holdBalance(): Promise<void> {
    const { holdsMs = usualHoldsMs, signal } = this.#options;
    const what = "balance";
    const until = performance.now() + holdsMs;
    for (let before = await this.#standing(); ;) {
      if (signal?.aborted) return;
      const { lefts, candidates, newest } = before;
      const isHeld = lefts.some((left) => candidates.some((amount) => sameCredits(left, amount)));
      const why =
        newest === undefined
          ? "the ledger is empty"
          : lefts.length === 0
            ? "the newest entry shows no balance"
            : candidates.length === 0
              ? "the credits show no amount"
              : null;
      this.#held.set(what, { what, rows: why === null ? 1 : 0, why });
      if (why !== null || isHeld) return;
      if (performance.now() > until) {
        this.#find({
          name: "balance-differs",
          clause: "LEDG-15",
          title: "the balance is not what the newest ledger entry left",
          expected: `${lefts.join(" or ")} credits, as balance_after says`,
          received: candidates.join(", "),
          entry: newest,
        });
        return;
      }
      this.#options.onProgress?.(
        "the balance differs from the ledger: waiting, since a Call may hold credits",
      );
      await pause(Math.min(1_000, holdsMs / 4));
      before = await this.#standing();
    }
  }

  /** The balances that the newest entries left, and the amounts among which the remaining total is. */
  async #standing(): Promise<{ lefts: number[]; candidates: number[]; newest: Row | undefined }> {
    const entries = usable(await this.#account.ledger({ page_size: 50 })).at("data.items").items;
    const credits = await this.#account.ask("getCredits");
    const [newest] = entries;
    // Entries of one moment may be in any order.
    const last = entries.filter((entry) => createdAt(entry) === createdAt(newest!));
    return {
      lefts: last.flatMap((entry) => balanceOf(entry, "after") ?? []),
      candidates: credits.status === 200 ? [...candidatesForTotal(credits.at("data")).values()] : [],
      newest: newest?.value as Row | undefined,
    };
  }

  #state(window: Window, open: readonly Slice[], total: State["total"]): () => State {
    return () => ({
      contract_version: contractVersion,
      base_url: this.#account.profile.base_url,
      window,
      open: [...open],
      total,
      done: { ...this.#done },
      pairs: this.#pairs.open,
      chain: this.#chain.state,
      usage: this.#usage.sums,
      ledger: this.#ledger.sums,
      held: [...this.#held.values()],
      anomalies: this.#anomalies.state,
      recorded: this.#options.recorded?.state ?? null,
    });
  }
}

/** Whether a summary is of the window that was asked for, by what it says; whole buckets may be all that it has. */
function isOfWindow(summary: Located, { start, end }: Window): boolean {
  const told = ["start_date", "end_date"].map((name) => momentOf(summary.at(name).value));
  return [start, end].every((asked, index) => {
    const said = told[index];
    return said === undefined || Math.abs(said / 1000 - asked) < 2_000;
  });
}
