import { isDeepStrictEqual } from "node:util";
import { entryTypes } from "../../generated/contract.ts";
import { sameCredits, sumOf } from "../judge/credits.ts";
import { microsIn, momentOf } from "../judge/instant.ts";
import { amountOf, balanceOf, costOf, type Row } from "../judge/rows.ts";
import type { Located } from "../judge/answer.ts";
import { condition } from "../judge/fact.ts";
import type { Fault } from "../judge/fault.ts";
import { usable, type Account } from "../server/account.ts";
import { wholeList } from "../server/lists.ts";
import { Unverifiable } from "../judge/verdict.ts";
import { createdAt, idOf, instantLike } from "../books/listed.ts";
import { pause } from "../server/session.ts";
import { mayLeaveOut, amounts, candidatesForTotal } from "../books/unnamed.ts";
import { auditSpent } from "../books/other-reads.ts";
import type { Anomaly } from "../books/pairs.ts";
import { summaryName, type Totals } from "../books/summary.ts";
import { restFault } from "../books/writes.ts";
import type { ReconcileContext } from "./other-reads.ts";
import { queryOf, type Window } from "./slices.ts";

/** The figures of a summary of the window, against the rows of its list. */
export async function holdSummary(
  { account, find, held }: ReconcileContext,
  window: Window,
  totals: Totals,
): Promise<void> {
  const what = summaryName(totals.description);
  const query = { ...queryOf(window), summary: true, bucket: "week", page_size: 1 };
  const answer = await account.ask(totals.description.list, { query });
  const summary = answer.at("data.summary");
  const why =
    answer.status !== 200
      ? `it answers ${answer.status}`
      : !isOfWindow(summary, window)
        ? "it covers another window than was asked for"
        : totals.audit(summary, find)
          ? null
          : "there is none";
  held.set(what, { what, rows: why === null ? totals.rows : 0, why });
}

/**
 * Some amount of the credits spent is what the events of the window settled, or what its ledger consumed: an entry never
 * changes, but a review may find that an event is not charged.
 */
export async function holdSpent(
  { account, find, held }: ReconcileContext,
  window: Window,
  { usage, ledger }: { usage: Totals; ledger: Totals },
): Promise<void> {
  const what = "credits spent";
  const answer = await account.ask("getCreditsSpent", { query: queryOf(window) });
  const data = answer.at("data");
  const faults: Anomaly[] = [];
  const isShown = answer.status === 200 && auditSpent(data, usage, (fault) => faults.push(fault));
  const isOther = faults.length > 0 && !isAmong(ledger.of("consumed_credits"), [...amounts(data).values()]);
  const why =
    answer.status !== 200
      ? `it answers ${answer.status}`
      : !isShown
        ? "it shows no amount"
        : isOther
          ? await whyOtherSpent(account, data, window, usage.of("settled_credits"))
          : null;
  if (isOther && why === null) faults.forEach(find);
  held.set(what, { what, rows: why === null ? usage.rows : 0, why });
}

const dayMs = 86_400_000;

/**
 * Why another sum than that of the window accuses nobody: "Total credits spent in a date range" may be of whole dates, in
 * the server's own zone. An answer may name them; else a sum of the window and of events next to it is such a total.
 */
async function whyOtherSpent(
  account: Account,
  data: Located,
  window: Window,
  settled: number,
): Promise<string | null> {
  const { start, end } = window;
  if (!isOfWindow(data, window)) return "it covers another window than was asked for";
  if (start % dayMs === 0 && (end + 1) % dayMs === 0) return null;
  const costsIn = async (day: Window): Promise<number[]> =>
    (await wholeList(account, "listUsage", queryOf(day))).map(costOf);
  try {
    const before = addedUp(await costsIn({ start: start - dayMs, end: start - 1 }));
    const after = addedUp((await costsIn({ start: end + 1, end: end + dayMs })).reverse());
    const sums = new Set(after.map((later) => sumOf([settled, later])));
    const isOfDays = (amount: number): boolean =>
      before.some((earlier) => sums.has(sumOf([amount, -earlier])));
    return [...amounts(data).values()].some(isOfDays) ? "it counts whole days" : null;
  } catch (error) {
    if (!(error instanceof Unverifiable)) throw error;
    return "it may count whole days, which have too many events to compare";
  }
}

/** The sums of the first amounts: of none, of one, and so on. */
function addedUp(amounts: readonly number[]): number[] {
  let sum = 0;
  return [0, ...amounts.map((amount) => (sum = sumOf([sum, amount])))];
}

/** Balances in a row that are right: each process of a server may answer one. */
const readsOfProcesses = 3;

/**
 * The balance is what the entries have left, and what the newest of them says. A Call under way may hold credits, and rows
 * may arrive: a difference counts once nothing has moved for long.
 * @param sums what all entries may have left; none where the window does not hold them all
 * @param entries how many they are: where the ledger has others by now, the sums are out of date
 */
export async function holdBalance(
  { account, find, held }: ReconcileContext,
  {
    holdsMs,
    sums,
    entries,
    signal,
    onProgress,
  }: {
    holdsMs: number;
    sums: readonly number[];
    entries: number;
    signal?: AbortSignal | undefined;
    onProgress?: (text: string) => void;
  },
): Promise<void> {
  const what = "balance";
  const tell = (why: string | null): unknown => held.set(what, { what, rows: why === null ? 1 : 0, why });
  const end = performance.now() + 2 * holdsMs;
  let known: unknown;
  let since = performance.now();
  for (let right = 0; right < readsOfProcesses;) {
    const standing = await standingOf(account);
    const why = whyNoBalance(standing);
    const fault = why === null ? balanceFault(standing, standing.total === entries ? sums : []) : null;
    tell(why);
    if (why !== null) return;
    if (fault === null) {
      right += 1;
      continue;
    }
    right = 0;
    const seen = [fault, standing.newest, standing.total];
    if (!isDeepStrictEqual(seen, known)) since = performance.now();
    known = seen;
    if (performance.now() > since + holdsMs) {
      if (fault.clauses.includes("BILL-12") && (await hidesEntries(account)))
        return void tell("the ledger without filters leaves out entries that it shows by their type");
      const note = `nothing moved for ${holdsMs / 1000} s; a Call that takes longer would hold credits`;
      const fact = fault.name === "held-at-rest" ? { ...fault.fact, note } : fault.fact;
      return find({ ...fault, fact, entry: standing.newest });
    }
    tell("it differs from the ledger, and has not stood still for long enough");
    if (signal?.aborted || performance.now() > end) return;
    onProgress?.("the balance differs from the ledger: waiting, since a Call may hold credits");
    await pause(Math.min(1_000, holdsMs / 4));
  }
}

/**
 * The balances that an account may have begun with, by the first entries of its ledger: those of one moment may be in any
 * order, and the two balances of one may disagree. What one of them left is not where it began.
 */
export function openingsIn(entries: readonly Row[]): number[] {
  const ofFirstMoment = entries.filter(
    ({ created_at: at }) => momentOf(at) === momentOf(entries[0]!["created_at"]),
  );
  const lefts = ofFirstMoment.map((entry) => balanceOf(entry, "after"));
  const openings = ofFirstMoment.flatMap((entry) => {
    const [before, after, amount] = [balanceOf(entry, "before"), balanceOf(entry, "after"), amountOf(entry)];
    return [before, after === undefined || amount === undefined ? undefined : sumOf([after, -amount])];
  });
  const all = [...new Set(openings.filter((opening) => opening !== undefined))];
  const first = all.filter((opening) => !lefts.includes(opening));
  return first.length > 0 ? first : all;
}

/** What the balance is compared with. */
interface Standing {
  /** The balances that the newest entries left. */
  lefts: number[];
  /** The amounts among which the remaining total is. */
  shown: number[];
  /** All amounts of the credits, by path. */
  credits: ReadonlyMap<string, number>;
  newest: Row | undefined;
  /** How many entries the ledger has. */
  total: unknown;
}

const whyNoBalance = ({ lefts, shown, newest }: Standing): string | null =>
  newest === undefined
    ? "the ledger is empty"
    : lefts.length === 0
      ? "the newest entry shows no balance"
      : shown.length === 0
        ? "the credits show no amount"
        : null;

const isAmong = (one: number, amounts: readonly number[]): boolean =>
  amounts.some((amount) => sameCredits(one, amount));

/** What is wrong with a balance that stands still. */
function balanceFault({ lefts, shown, credits }: Standing, sums: readonly number[]): Fault | null {
  const isLeft = (left: number): boolean => isAmong(left, shown);
  const isExplained = sums.some((sum) => isLeft(sum) || mayLeaveOut(sum, credits));
  if (sums.length > 0 && !isExplained) return restFault(sums[0]!, shown);
  if (lefts.some(isLeft)) return null;
  return {
    name: "balance-differs",
    clauses: ["LEDG-15"],
    title: "the balance is not what the newest ledger entry left",
    fact: condition(`${lefts.join(" or ")} credits, as balance_after says`, shown.join(", "), {
      kind: "amount",
    }),
  };
}

async function standingOf(account: Account): Promise<Standing> {
  const ledger = usable(await account.ledger({ page_size: 50 })).at("data");
  const entries = ledger.at("items").items;
  const credits = await account.ask("getCredits");
  const data = credits.status === 200 ? credits.at("data") : null;
  const [newest] = entries;
  // Entries of one moment may be in any order.
  const last = entries.filter((entry) => createdAt(entry) === createdAt(newest!));
  return {
    lefts: last.flatMap((entry) => balanceOf(entry, "after") ?? []),
    shown: data === null ? [] : [...candidatesForTotal(data).values()],
    credits: data === null ? new Map() : amounts(data),
    newest: newest?.value as Row | undefined,
    total: ledger.at("total").value,
  };
}

/**
 * Whether the ledger shows an entry by its type alone, and not among all of its moment: without `scope` it may show a preset
 * of its own, and what the entries of other types moved is in the balance.
 */
async function hidesEntries(account: Account): Promise<boolean> {
  for (const type of entryTypes) {
    const answer = await account.ledger({ entry_type: type, page_size: 1 });
    const [entry] = answer.status === 200 ? answer.at("data.items").items : [];
    if (entry?.at("entry_type").value !== type) continue;
    const [from, to] = [-1, 1].map((second) =>
      instantLike(entry, createdAt(entry) + second * microsIn.second),
    );
    const shown = await wholeList(account, "listLedger", { start_date: from, end_date: to });
    if (!shown.map(idOf).includes(idOf(entry))) return true;
  }
  return false;
}

/** Whether a summary covers the window that was asked for, by its own dates; it may have only whole buckets. */
function isOfWindow(summary: Located, { start, end }: Window): boolean {
  const dates = ["start_date", "end_date"].map((name) => momentOf(summary.at(name).value));
  return [start, end].every((asked, index) => {
    const said = dates[index];
    return said === undefined || Math.abs(said / 1000 - asked) < 2_000;
  });
}
