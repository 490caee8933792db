import type { OperationId } from "../../../generated/contract.ts";
import type { Exchange } from "../../judge/exchange.ts";
import { Acts, type Act, type Micro, type Row, type Stream, type When } from "./act.ts";
import { comparedWith, judgeBalances } from "./balances.ts";
import { attribute, judgeCharges, namesCalls, namesCharges, writesOf } from "./charges.ts";
import type { Contradiction } from "./contradiction.ts";
import { orderOf, type Order } from "./order.ts";
import { joinKeys } from "./keys.ts";
import { judgeReads, noReads, strengths, type ReadCounts, type Strength } from "./reads.ts";
import { decideUnanswered } from "./unanswered.ts";

/** What is known of a history besides its exchanges. */
export interface HistoryOptions {
  /** How late a row may be, in seconds: `audit_lag` of the profile. */
  lagSeconds: number;
  /** The exchanges are everything that was done on these accounts. */
  isComplete: boolean;
  /**
   * They were recorded: accounts are distinguished only by their keys, and one may have several; if the recording is not
   * complete, others use them meanwhile.
   */
  isRecorded?: boolean;
}

/** What a history shows. */
export interface HistoryVerdict {
  /** The earliest of each kind, with how often it occurs. */
  contradictions: (Contradiction & { count: number })[];
  /** The strongest promise that all reads keep; null if there were no reads that could break one. */
  strength: Strength | "none" | null;
  reads: ReadCounts;
  acts: number;
  writes: number;
  /** Writes that were answered with an execution. */
  executed: number;
  /** How many accounts said at rest what they have left. */
  balances: number;
  /** What the events of its Calls settled. */
  settled: Micro;
  /** What became of the Calls without an answer. */
  unanswered: { charged: number; uncharged: number; undecided: number };
  /** What could not be judged, and why. */
  unverified: string[];
}

/** A Call without an answer may settle this many ms later. */
const settlesWithin = 600_000;

/** Judges what happened to the books of accounts while many clients used them, from the exchanges of all. */
export class History {
  readonly #acts = new Acts();
  readonly #options: HistoryOptions;

  /** Whether others may use the accounts meanwhile. */
  get #isShared(): boolean {
    return this.#options.isRecorded === true && !this.#options.isComplete;
  }

  constructor(options: HistoryOptions) {
    this.#options = options;
  }

  /** Takes an exchange, in any order; secrets in it should be masked. */
  take(exchange: Exchange, when?: When): void {
    this.#acts.take(exchange, when);
  }

  /**
   * Judges all that was taken, in linear time.
   * @param restOf when an account comes to rest, in epoch milliseconds; by default taken from the exchanges
   */
  judge(restOf?: (account: string) => number): HistoryVerdict {
    const { comparable } = this.#acts;
    const { acts, rows } = this.#options.isRecorded === true ? joinKeys(comparable) : comparable;
    const all = acts.toSorted((one, other) => one.begin - other.begin);
    const writes = writesOf(all);
    attribute(rows, writes, this.#options.isComplete);
    const contradictions = new Map<string, Contradiction & { count: number }>();
    const verdict: HistoryVerdict = {
      contradictions: [],
      strength: null,
      reads: noReads(),
      acts: all.length,
      writes: writes.all.length,
      executed: writes.all.filter(({ write }) => write!.outcome === "executed").length,
      balances: 0,
      settled: rows.reduce(
        (sum, { cause, stream, amount }) => sum + (cause !== null && stream === "usage" ? amount : 0),
        0,
      ),
      unanswered: { charged: 0, uncharged: 0, undecided: 0 },
      unverified: [],
    };
    const find = (contradiction: Contradiction): void => {
      const known = contradictions.get(contradiction.name);
      if (known === undefined) contradictions.set(contradiction.name, { ...contradiction, count: 1 });
      else known.count += 1;
    };
    const owned = Map.groupBy(rows, ({ account }) => account);
    for (const [account, acts] of Map.groupBy(all, (act) => act.account)) {
      const own = {
        account,
        acts,
        rows: owned.get(account) ?? [],
        rest: restOf?.(account) ?? this.#restOf(acts),
      };
      this.#judgeAccount(own, verdict, find);
    }
    verdict.contradictions = [...contradictions.values()];
    const { reads, older } = verdict.reads;
    if (reads > 0)
      verdict.strength =
        (Object.keys(strengths) as Strength[]).find((strength) => older[strength] === 0) ?? "none";
    verdict.unverified = [...new Set(verdict.unverified)];
    return verdict;
  }

  #restOf(acts: readonly Act[]): number {
    const last = acts.reduce(
      (latest, { write, begin, end }) =>
        write === null ? latest : Math.max(latest, write.outcome === "unknown" ? begin + settlesWithin : end),
      -Infinity,
    );
    return last + 1000 * this.#options.lagSeconds;
  }

  #judgeAccount(
    {
      account,
      acts,
      rows,
      rest,
    }: { account: string; acts: readonly Act[]; rows: readonly Row[]; rest: number },
    verdict: HistoryVerdict,
    find: (contradiction: Contradiction) => void,
  ): void {
    const lagMs = 1000 * this.#options.lagSeconds;
    const byStream = Map.groupBy(rows, ({ stream }) => stream);
    const orders: Record<Stream, Order> = {
      ledger: orderOf(account, "ledger", byStream.get("ledger") ?? []),
      usage: orderOf(account, "usage", byStream.get("usage") ?? []),
    };
    const isShared = this.#isShared;
    const isWhole = {
      ledger: !isShared && showsAll(acts, "ledger", rest),
      usage: !isShared && showsAll(acts, "usage", rest),
    };
    for (const stream of ["ledger", "usage"] as const) {
      const order = orders[stream];
      if (!isWhole[stream])
        verdict.unverified.push(
          isShared
            ? "others may use the accounts too: what is absent and what is left are not judged (--complete says that no one does)"
            : `no read at rest shows the whole ${stream}: what is absent is not judged`,
        );
      if (order.rows.length === 0) continue;
      const isComplete = isWhole[stream];
      const { reads, due, older } = judgeReads(acts, order, { lagMs, restFrom: rest, isComplete, find });
      verdict.reads.reads += reads;
      verdict.reads.due += due;
      for (const strength of Object.keys(older) as Strength[])
        verdict.reads.older[strength] += older[strength];
    }
    verdict.unverified.push(...incomparable(acts));
    if (orders.ledger.rows.length > 0 && !orders.ledger.isChained)
      verdict.unverified.push("entries without balances: their order within one moment is not judged");
    judgeCharges(
      {
        account,
        entries: orders.ledger,
        events: orders.usage,
        hasAllEntries: isWhole.ledger && namesCalls(orders.usage) && namesCharges(orders.ledger),
        hasAllEvents: isWhole.usage && namesCalls(orders.usage),
        showsLinks: orders.usage.rows.some(({ entry }) => entry !== null),
        isExclusive: this.#options.isComplete,
        isRecorded: this.#options.isRecorded === true,
        lagMs,
      },
      acts.filter(({ write }) => write !== null),
      find,
    );
    const compared = comparedWith(orders.ledger, acts);
    if (compared?.answers.some(({ begin }) => begin >= rest) === true) verdict.balances += 1;
    else if (isWhole.ledger)
      verdict.unverified.push(
        "no read at rest shows what the entries have left: what is held or lost is not judged",
      );
    if (isWhole.ledger && compared?.hidesTotal === true)
      verdict.unverified.push("no amount of the credits moves as the entries do: their total is not judged");
    judgeBalances(acts, orders.ledger, {
      lagMs,
      restFrom: rest,
      isComplete: isWhole.ledger,
      compared,
      find,
    });
    const hasAllEvents = isWhole.usage && namesCalls(orders.usage);
    this.#countUnanswered(acts, orders.usage, { isWhole: hasAllEvents, rest }, verdict);
  }

  /** Finds what became of the Calls without an answer: by their rows, or else by the balance. */
  #countUnanswered(
    acts: readonly Act[],
    { rows }: Order,
    { isWhole, rest }: { isWhole: boolean; rest: number },
    { unanswered, unverified }: HistoryVerdict,
  ): void {
    const mine = acts.filter(({ write }) => write !== null);
    const lost = mine.filter(({ write }) => write!.outcome === "unknown");
    if (lost.length === 0) return;
    if (isWhole) {
      const charged = new Set(rows.filter(({ amount }) => amount > 0).map(({ cause }) => cause));
      const count = lost.filter((act) => charged.has(act)).length;
      unanswered.charged += count;
      unanswered.uncharged += lost.length - count;
      return;
    }
    const balances = acts.filter((act): act is Act & { balance: Micro } => act.balance !== null);
    const began = Math.min(...mine.map(({ begin }) => begin));
    const before = balances.findLast(({ end }) => end < began);
    const after = balances.find(({ begin }) => begin >= rest);
    const decision =
      before === undefined || after === undefined || this.#isShared
        ? { kind: "undecided" as const, why: "no balance that only they move was read before and after them" }
        : decideUnanswered(mine, before.balance - after.balance);
    if (decision.kind === "decided") {
      unanswered.charged += decision.charged;
      unanswered.uncharged += lost.length - decision.charged;
      return;
    }
    unanswered.undecided += lost.length;
    unverified.push(`${lost.length} Calls without an answer: ${decision.why}`);
  }
}

/** Which reads no answer lets compare with the lists, since the contract does not show their fields. */
function incomparable(acts: readonly Act[]): string[] {
  const isNever = (operation: OperationId): boolean => {
    const reads = acts.filter((act) => act.operation === operation);
    return reads.length > 0 && !reads.some(({ reading }) => reading?.isPlain === true);
  };
  return [
    ...(isNever("listUsageFeed")
      ? ["no usage feed shows that it is whole: what it lacks is not judged"]
      : []),
    ...(isNever("exportUsage") ? ["no usage export names the events: what it lacks is not judged"] : []),
  ];
}

/** Whether the reads at rest show a whole stream: in one answer, or in pages that hold as many rows as the total says. */
function showsAll(acts: readonly Act[], stream: Stream, rest: number): boolean {
  const seen = new Set<Row>();
  for (const { reading, begin } of acts) {
    if (reading?.stream !== stream || !reading.isPlain || begin < rest) continue;
    if (reading.from > -Infinity && reading.summary === null) continue;
    if (reading.offset === 0 && reading.reachesOldest) return true;
    for (const row of reading.rows) seen.add(row);
    if (reading.total !== null && seen.size >= reading.total) return true;
  }
  return false;
}
