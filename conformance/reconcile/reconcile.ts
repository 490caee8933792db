import { Unreachable, WrongUse } from "../../base/exit.ts";
import { contractVersion, responseHeaders } from "../../generated/contract.ts";
import { inLine } from "../../base/plain.ts";
import { longestLagSeconds } from "../books/finality.ts";
import { sumOf } from "../judge/credits.ts";
import type { Row } from "../judge/rows.ts";
import { Blocked, Unverifiable } from "../judge/verdict.ts";
import type { Exchange } from "../judge/exchange.ts";
import { condition } from "../judge/fact.ts";
import { judgedVersion } from "../run/judged-version.ts";
import { usable, type Account } from "../server/account.ts";
import { dayText, type List } from "../books/listed.ts";
import type { Profile } from "../server/profile.ts";
import { Chain } from "../books/chain.ts";
import { Pairs, type Anomaly, type Find } from "../books/pairs.ts";
import { ledgerSummary } from "../books/ledger-summary.ts";
import { summaryName, Totals } from "../books/summary.ts";
import { usageSummary } from "../books/usage-summary.ts";
import { Anomalies } from "./anomalies.ts";
import { BalanceCourse, type BalancePoint } from "./balance-course.ts";
import { Counterparts } from "./counterparts.ts";
import { holdOthers, type ReconcileContext } from "./other-reads.ts";
import { holdPage } from "./page-rules.ts";
import { accountOf, needsDetails, readSlice, type Read, type ReadingOptions } from "./reader.ts";
import type { Recorded, Seen } from "./recording.ts";
import { oldestOf, sliceOf, type Slice, type Window } from "./slices.ts";
import type { Held, State } from "./state.ts";
import { holdBalance, holdSpent, holdSummary, openingsIn } from "./window-reads.ts";
import { aheadOf, tooNew, windowOf } from "./window.ts";

export interface ReconcileOptions extends ReadingOptions {
  key: string;
  /** Epoch milliseconds; by default from the account's first row until its newest rows are final. */
  from?: number | undefined;
  to?: number | undefined;
  /** Checks exports, feed and settlements against every slice. */
  all: boolean;
  /** The state of an interrupted run. */
  state?: State | undefined;
  recorded?: Recorded | undefined;
  onProgress?: (text: string) => void;
  onState?: (state: () => State) => Promise<void>;
  /** How old a row is before its absence elsewhere counts. */
  settlesMs?: number;
  /** How long a balance may differ from the ledger, since a Call under way may hold credits. */
  holdsMs?: number;
  /** The most rows of a list in one slice: what is held in memory at a time. */
  sliceRows?: number;
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
  balances: BalancePoint[];
  anomalies: Anomalies;
  held: Held[];
  recording: Seen | null;
}

const usualSliceRows = 1_000;
/** Slices that are read while one is audited; each reads both lists in parallel. */
const ahead = 1;
/** Rows whose exports, feed and settlements are read; of a longer account, in slices spread over the window. */
const maxRowsOfOthers = 100_000;
/** The reads that are compared at the end, with the rows of the whole window. */
const readsOfWindow = [...[usageSummary, ledgerSummary].map(summaryName), "credits spent", "balance"];
const usualHoldsMs = 1_000 * longestLagSeconds;

/** How old a row is before its absence elsewhere counts, in milliseconds. */
const settlesMsOf = ({ audit_lag: seconds = longestLagSeconds }: Profile): number => 1_000 * seconds;

/**
 * Checks that what an account reads about itself agrees, from the oldest row to the newest, by the suite's rules.
 * @throws Unreachable when the lists cannot be read; WrongUse when the server refuses the key
 */
export async function reconcile(profile: Profile, options: ReconcileOptions): Promise<Reconciled> {
  const account = await accountOf(profile, options.key, options);
  try {
    return await new Reconciliation(account, options).run();
  } catch (error) {
    if (!(error instanceof Blocked || error instanceof Unverifiable)) throw error;
    throw new Unreachable(`${profile.base_url} cannot be read to the end: ${inLine(error.message)}`, {
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
  readonly #course: BalanceCourse;
  readonly #usage: Totals;
  readonly #ledger: Totals;
  readonly #done: State["done"];
  readonly #context: ReconcileContext;
  readonly #counterparts: Counterparts;
  readonly #waiting = new Map<string, Anomaly[]>();
  readonly #wanted: Parameters<typeof windowOf>[1];
  #details = true;

  constructor(account: Account, options: ReconcileOptions) {
    const { state } = options;
    this.#account = account;
    this.#options = options;
    this.#anomalies = new Anomalies((text) => account.session.secrets.mask(text), state?.anomalies);
    this.#pairs = new Pairs(this.#find, this.#startedAt, state?.pairs);
    this.#chain = new Chain(this.#find, state?.chain);
    this.#course = new BalanceCourse(state?.course);
    this.#usage = new Totals(usageSummary, state?.usage);
    this.#ledger = new Totals(ledgerSummary, state?.ledger);
    this.#done = { ...(state?.done ?? { events: 0, entries: 0, slices: 0 }) };
    const held = new Map((state?.held ?? []).map((read) => [read.what, { ...read }]));
    this.#context = { account, find: this.#find, held };
    this.#counterparts = new Counterparts(account, this.#find, this.#startedAt);
    this.#wanted = { settlesMs: settlesMsOf(account.profile), ...options, aheadMs: 0 };
    if (options.recorded && state?.recorded) options.recorded.restore(state.recorded);
  }

  get #sliceRows(): number {
    return this.#options.sliceRows ?? usualSliceRows;
  }

  readonly #find: Find = (anomaly: Anomaly) => this.#anomalies.add(anomaly);

  async run(): Promise<Reconciled> {
    const versionNote = await this.#greet();
    this.#details = await needsDetails(this.#account);
    this.#account.session.client.listen((exchange, json) => this.#holdPage(exchange, json));
    const window = this.#options.state?.window ?? (await windowOf(this.#account, this.#wanted));
    const isInterrupted = (): boolean => this.#options.signal?.aborted ?? false;
    if (window !== null)
      await this.#audit(window).catch((error: unknown) => {
        // A request that was under way ends with it.
        if (!isInterrupted() || !(error instanceof Unverifiable)) throw error;
      });
    const interrupted = isInterrupted();
    const { held } = this.#context;
    for (const what of interrupted ? readsOfWindow : [])
      if (!held.has(what)) held.set(what, { what, rows: 0, why: "the run was interrupted" });
    return {
      window,
      startedAt: this.#startedAt,
      durationMs: Date.now() - this.#startedAt,
      interrupted,
      versionNote,
      events: this.#done.events,
      entries: this.#done.entries,
      requests: this.#account.session.client.allowance.used.requests,
      settled: this.#usage.of("settled_credits"),
      consumed: this.#ledger.of("consumed_credits"),
      granted: this.#ledger.of("granted_credits"),
      balances: this.#course.points,
      anomalies: this.#anomalies,
      held: [...held.values()],
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
    this.#wanted.aheadMs = aheadOf(answer);
    return judgedVersion(
      this.#account.profile.contract,
      usable(answer).headers[responseHeaders.apiVersion.toLowerCase()],
    );
  }

  async #audit(window: Window): Promise<void> {
    const open = this.#options.state?.open.map((slice) => ({ ...slice })) ?? [
      await sliceOf(this.#account, window),
    ];
    const whole = this.#options.state?.total ?? { events: open[0]!.events, entries: open[0]!.entries };
    for await (const { read, left } of this.#readAhead(open, whole)) {
      await this.#take(read, whole);
      await this.#options.onState?.(this.#state(window, left, whole));
      if (this.#options.signal?.aborted) return;
    }
    if (this.#options.signal?.aborted) return;
    await this.#counterparts.resolve(this.#pairs.end());
    this.#chain.end();
    for (const totals of [this.#usage, this.#ledger]) await holdSummary(this.#context, window, totals);
    await holdSpent(this.#context, window, { usage: this.#usage, ledger: this.#ledger });
    await this.#holdBalance(window);
    await this.#holdRecording(window);
  }

  async #holdRecording(window: Window): Promise<void> {
    const { recorded } = this.#options;
    const why = (await recorded?.end(this.#account, window, this.#find)) ?? null;
    if (recorded === undefined || why === null) return;
    this.#context.held.set("recording", { what: "recording", rows: recorded.seen.found, why });
  }

  /** The balance against the newest entry and against all of them, where the window ends with them. */
  async #holdBalance(window: Window): Promise<void> {
    const { to, from } = this.#options;
    const { held } = this.#context;
    if (to !== undefined) {
      held.set("balance", { what: "balance", rows: 0, why: "the window ends before now (--to)" });
      return;
    }
    const newest = await tooNew(this.#account, window, this.#wanted.settlesMs);
    if (newest !== null) held.set(newest.what, newest);
    const isWhole = from === undefined && newest === null;
    const openings = isWhole ? (this.#done.openings ?? []) : [];
    const sums = openings.map((opening) => sumOf([opening, this.#ledger.of("net_amount_credits")]));
    const { entries } = this.#done;
    await holdBalance(this.#context, { holdsMs: usualHoldsMs, ...this.#options, sums, entries });
  }

  /** The slices with what was read of them, in order; some are read ahead. `left` are the slices after each. */
  async *#readAhead(open: Slice[], whole: State["total"]): AsyncGenerator<{ read: Read; left: Slice[] }> {
    const reading: { slice: Slice; read: Promise<Read> }[] = [];
    let { events: before, slices } = this.#done;
    const fill = async (): Promise<void> => {
      while (reading.length < ahead) {
        const slice = await oldestOf(this.#account, open, this.#sliceRows);
        if (slice === undefined) return;
        open.pop();
        const others = this.#readsOthers(slice, slices === 0, before, whole);
        const read = readSlice(this.#account, slice, { details: this.#details, others });
        read.catch(() => undefined);
        reading.push({ slice, read });
        before += slice.events;
        slices += 1;
      }
    };
    for (let filling = fill(); ;) {
      if (reading.length === 0) await filling;
      const first = reading.shift();
      if (first === undefined) return;
      filling = filling.then(fill);
      filling.catch(() => undefined);
      const read = await first.read;
      yield { read, left: [...open, ...reading.map(({ slice }) => slice).toReversed()] };
    }
  }

  async #take(read: Read, whole: State["total"]): Promise<void> {
    const { slice, events, entries } = read;
    this.#holdRows("listUsage", slice, events);
    this.#holdRows("listLedger", slice, entries);
    await this.#counterparts.resolve(this.#pairs.take({ events, entries }, slice.end));
    this.#chain.take(entries);
    this.#course.take(entries);
    this.#usage.take(events);
    this.#ledger.take(entries);
    for (const event of events) this.#options.recorded?.take(event, this.#find);
    holdOthers(this.#context, read);
    const start = new Date(slice.start).toISOString();
    for (const anomaly of this.#waiting.get(start) ?? []) this.#find(anomaly);
    this.#waiting.delete(start);
    this.#done.events += events.length;
    if (this.#done.entries === 0) this.#done.openings = openingsIn(entries);
    this.#done.entries += entries.length;
    this.#done.slices += 1;
    const parts = whole.events + whole.entries;
    const share = parts === 0 ? 1 : (this.#done.events + this.#done.entries) / parts;
    this.#options.onProgress?.(
      `${Math.floor(100 * share)} %: ${this.#done.events} events and ${this.#done.entries} entries until ${dayText(slice.end * 1000)}, ${this.#anomalies.total} anomalies`,
    );
  }

  /**
   * Whether the other reads of a slice are checked against its lists: all of a small account, some of a large one.
   * @param before the events of the slices before it
   */
  #readsOthers({ events, entries }: Slice, isFirst: boolean, before: number, whole: State["total"]): boolean {
    const rows = Math.max(whole.events, whole.entries);
    if (events + entries === 0) return false;
    if (this.#options.all || rows <= maxRowsOfOthers) return true;
    const wanted = (rows: number): number => Math.floor((rows * maxRowsOfOthers) / Math.max(whole.events, 1));
    // The first slice, and each that raises the share of what was read to the next slice's worth.
    return (
      isFirst ||
      Math.floor(wanted(before + events) / this.#sliceRows) > Math.floor(wanted(before) / this.#sliceRows)
    );
  }

  /** Checks that a slice has each row once, and as many as the list counts. */
  #holdRows(list: List, slice: Slice, rows: readonly Row[]): void {
    const isUsage = list === "listUsage";
    const counted = slice[isUsage ? "events" : "entries"];
    const ids = new Set<string>();
    for (const row of rows) {
      const id = String(row["id"]);
      if (ids.has(id)) {
        this.#find({
          name: `${isUsage ? "event" : "entry"}-listed-twice`,
          clauses: [isUsage ? "USAG-37" : "LEDG-41"],
          title: "the pages of a list repeat a row",
          fact: condition(`${id} once`, "it is there again", { kind: "row" }),
          [isUsage ? "event" : "entry"]: row,
        });
      }
      ids.add(id);
    }
    if (rows.length === counted) return;
    this.#find({
      name: `${isUsage ? "events" : "entries"}-counted-otherwise`,
      clauses: [isUsage ? "USAG-32" : "LEDG-23"],
      title: "the pages of a list hold a different number of rows than its total",
      fact: condition(
        `${counted} rows from ${new Date(slice.start).toISOString()} to ${new Date(slice.end).toISOString()}`,
        `${rows.length} rows`,
        { kind: "row" },
      ),
    });
  }

  /** Applies the rules about single answers; findings in a slice that is read ahead wait for its turn. */
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
      course: this.#course.state,
      usage: this.#usage.sums,
      ledger: this.#ledger.sums,
      held: [...this.#context.held.values()],
      anomalies: this.#anomalies.state,
      recorded: this.#options.recorded?.state ?? null,
    });
  }
}
