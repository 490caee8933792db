import { countUpTo } from "../../judge/count-up-to.ts";
import { condition } from "../../judge/fact.ts";
import type { Fault } from "../../judge/fault.ts";
import { isNamedRemaining, mayLeaveOut, totalsAmong } from "../unnamed.ts";
import { restFault } from "../writes.ts";
import { contradiction, type Contradiction } from "./contradiction.ts";
import type { Act, Micro, Row } from "./act.ts";
import { isCharge } from "./charges.ts";
import { bornAt, chainOf, knownBy, knownAt, type Order } from "./order.ts";

export interface BalanceOptions {
  lagMs: number;
  /** From then on nothing moves and nothing is held. */
  restFrom: number;
  /** The ledger holds every entry. */
  isComplete: boolean;
  compared: Compared | null;
  find: (contradiction: Contradiction) => void;
}

const credits = (amount: Micro): string => String(amount / 1e6);
const moves = (row: Row): string => `moves ${credits(row.amount)} in entry ${row.id}`;

/** Replays the entries in order, and checks the balances in entries and in answers against them. */
export function judgeBalances(acts: readonly Act[], order: Order, options: BalanceOptions): void {
  judgeBelowZero(acts, order, options);
  if (!options.isComplete || order.rows.length === 0) return;
  if (order.rows.every(({ before, after }) => before !== null && after !== null)) judgeChain(order, options);
  if (options.compared !== null) judgeAnswers(acts, order, options.compared, options);
}

function judgeBelowZero(acts: readonly Act[], { rows }: Order, { find }: BalanceOptions): void {
  const about = (received: Micro) => ({
    name: "below-zero",
    clauses: ["BILL-13" as const],
    title: "a balance falls below zero",
    fact: condition("at least 0 credits", credits(received), { kind: "amount" }),
    lawful: "a refusal with 402 in place of the last charge",
  });
  // Only a Call is refused where the balance does not cover it.
  const row = rows.find((row) => isCharge(row) && (row.before ?? 0) >= 0 && (row.after ?? 0) < 0);
  if (row !== undefined)
    find(
      contradiction(about(Math.min(row.before ?? 0, row.after ?? 0)), [
        ...(row.cause === null ? [] : [[row.cause, moves(row)] as const]),
        [row.shownBy, `shows ${credits(row.before ?? 0)} before and ${credits(row.after ?? 0)} after`],
      ]),
    );
  if (rows.some((row) => row.amount < 0 && !isCharge(row))) return;
  const act = acts.find(({ balance }) => (balance ?? 0) < 0);
  if (act !== undefined) find(contradiction(about(act.balance!), [[act, `says ${credits(act.balance!)}`]]));
}

/** Each balance follows from the one before it: there is no gap, and no two entries start from one balance. */
function judgeChain({ rows }: Order, { find }: BalanceOptions): void {
  for (let at = 1; at < rows.length; at += 1) {
    const [earlier, later] = [rows[at - 1]!, rows[at]!];
    if (later.before === earlier.after) continue;
    const isFork = later.before === earlier.before;
    find(
      contradiction(
        {
          name: isFork ? "chain-forks" : "chain-gap",
          // Only recommended: credits of a day may come and go without an entry.
          clauses: ["LEDG-15"],
          title: isFork
            ? "two entries start from one balance"
            : "an entry does not start where the one before it ended",
          fact: condition(
            `${credits(earlier.after!)} before ${later.id}, as after ${earlier.id}`,
            credits(later.before!),
            { kind: "amount" },
          ),
          lawful: `${earlier.id} to ${credits(earlier.after!)}, then ${later.id} to ${credits(earlier.after! + later.amount)}`,
        },
        [
          ...[earlier, later].flatMap((row) =>
            row.cause === null ? [] : [[row.cause, moves(row)] as const],
          ),
          [later.shownBy, `shows both balances`],
        ],
      ),
    );
  }
}

/**
 * No answer shows more than the entries had left by then, and at rest it shows what they had left at some moment since.
 * What an entry grants that no read was late enough to show is not too much.
 */
function judgeAnswers(
  acts: readonly Act[],
  order: Order,
  { start, answers }: Compared,
  { lagMs, restFrom, find }: BalanceOptions,
): void {
  const placeOf = placesIn(order, lagMs);
  const { rows, sums } = order;
  const shownUntil = newestRead(acts) - lagMs;
  // The most that may be left from each place on: later entries may add credits.
  const maxLeft = new Array<Micro>(rows.length + 1).fill(0);
  for (let at = rows.length; at >= 0; at -= 1)
    maxLeft[at] = Math.max(start + sums[at]!, at === rows.length ? -Infinity : maxLeft[at + 1]!);
  for (const act of answers) {
    const place = placeOf(act);
    const isAtRest = act.begin >= restFrom;
    const last = start + sums.at(-1)!;
    const most = maxLeft[place]!;
    if (isAtRest ? sums.includes(act.balance - start, place) : act.balance <= most) continue;
    if (act.balance > most && act.end > shownUntil) continue;
    const row = rows[Math.max(0, place - 1)]!;
    const fault: Fault = isAtRest
      ? restFault(last / 1e6, [act.balance / 1e6])
      : {
          name: "more-left-than-there-is",
          clauses: ["BILL-04"],
          title: "an answer shows more credits than the entries had left",
          fact: condition(`at most ${credits(most)}`, credits(act.balance), { kind: "amount" }),
        };
    find(
      contradiction({ ...fault, lawful: `${credits(isAtRest ? last : most)} after entry ${row.id}` }, [
        [knownBy(row), moves(row)],
        [act, `says ${credits(act.balance)}`],
      ]),
    );
  }
}

/** What the entries of an account are held against. */
export interface Compared {
  /** The balance before the first entry. */
  start: Micro;
  /** The answers that say what is left, under whatever name. */
  answers: WithBalance[];
  /** The credits were read, and none of their amounts is known to be the remaining total. */
  hidesTotal: boolean;
}

/**
 * What the entries are held against. Null where nothing shows what they began with, and where some answers do not fit them
 * and the ledger may leave out credits that the answers count.
 */
export function comparedWith(order: Order, acts: readonly Act[]): Compared | null {
  const start = order.rows.length === 0 ? null : startOf(acts.filter(saysBalance), order);
  if (start === null) return null;
  const reads = acts.filter(({ credits }) => credits !== null);
  const path = pathOfTotal(reads, order, start);
  const answers = acts.flatMap((act) => {
    const balance = act.balance ?? (path === null ? undefined : act.credits?.get(path));
    return balance === undefined ? [] : [{ ...act, balance }];
  });
  const placeOf = placesIn(order, 0);
  const movedBy = (act: Act): Micro[] => mayHaveMoved(placeOf(act), act.end, order);
  const isFitting = (act: WithBalance): boolean => movedBy(act).includes(act.balance - start);
  const leavesOut = (act: Act): boolean =>
    movedBy(act).some((moved) => mayLeaveOut(start + moved, act.credits!));
  const compared = { start, answers, hidesTotal: reads.length > 0 && path === null };
  if (answers.every(isFitting)) return compared;
  if ([reads[0], reads.at(-1)].some((act) => act !== undefined && leavesOut(act))) return null;
  return reads.length > 0 || answers.some(isFitting) ? compared : null;
}

/** For an act, how many entries, in their order, it must count. */
function placesIn({ rows, known }: Order, lagMs: number): (act: Act) => number {
  const byKnown = rows.toSorted((one, other) => knownAt(one) - knownAt(other));
  const furthest: number[] = [];
  for (const { place } of byKnown) furthest.push(Math.max(furthest.at(-1) ?? -1, place));
  return ({ begin }) => {
    const required = countUpTo(known, begin - lagMs - 0.001);
    return required === 0 ? 0 : furthest[required - 1]! + 1;
  };
}

/** The most entries after those that an answer must count, so that judging stays linear. */
const maxSteps = 2_000;

/** What the entries had moved, up to each place that an answer may have counted. */
function mayHaveMoved(place: number, end: number, { rows, sums }: Order): Micro[] {
  let last = place;
  while (last < rows.length && last < place + maxSteps && bornAt(rows[last]!) <= end) last += 1;
  return sums.slice(place, last + 1);
}

/** When the last read of the newest entries began. */
const newestRead = (acts: readonly Act[]): number =>
  acts.findLast(
    ({ reading, begin }) =>
      reading?.stream === "ledger" && reading.isPlain && reading.offset === 0 && reading.to > 1000 * begin,
  )?.begin ?? -Infinity;

type WithBalance = Act & { balance: Micro };

const saysBalance = (act: Act): act is WithBalance => act.balance !== null;

/**
 * Where the credits show the remaining total: by its name; else what the entries had left in the first answer, and moves as
 * they do; of several, the one that is not within a category.
 */
function pathOfTotal(reads: readonly Act[], { rows, sums }: Order, start: Micro): string | null {
  const [first, last] = [reads[0], reads.at(-1)];
  if (first === undefined || last === undefined) return null;
  const totals = [...totalsAmong(first.credits!)];
  const [only, ...others] = totals.map(([path]) => path);
  if (only !== undefined && others.length === 0 && isNamedRemaining(only)) return only;
  const left = start + sums[rows.filter((row) => knownAt(row) <= first.end).length]!;
  const moved = Math.sign(start + sums.at(-1)! - left);
  const paths = totals
    .filter(
      ([path, value]) => value === left && Math.sign((last.credits!.get(path) ?? NaN) - value) === moved,
    )
    .map(([path]) => path);
  return paths.find((path) => !path.includes(".")) ?? paths[0] ?? null;
}

/**
 * The balance from which the entries lead to what is left: from the entries, or from the first answer before any write.
 * Credits may have come and gone without an entry before the first write, so the last entry before it counts.
 * @returns null if neither shows it
 */
function startOf(answers: readonly WithBalance[], { rows, sums }: Order): Micro | null {
  const firstRead = rows[0]!.shownBy.end;
  const begun = rows.findIndex((row) => row.cause !== null || knownAt(row) > firstRead);
  const older = begun < 0 ? rows : rows.slice(0, begun);
  const place = older.findLastIndex(({ after }) => after !== null);
  // Entries of Calls at the same time may be dated in another order than they were booked in.
  const chain = chainOf(older.length > 0 ? older : rows, null);
  if (older.length > 0 && chain !== null) return chain.at(-1)!.after! - sums[older.length]!;
  if (place >= 0) return older[place]!.after! - sums[place + 1]!;
  if (rows[0]!.before !== null) return (chain ?? rows)[0]!.before;
  const [first] = answers;
  if (first === undefined) return null;
  const known = rows.filter((row) => knownAt(row) <= first.end).length;
  const isQuiet = rows.every(
    (row) => knownAt(row) <= first.end || (row.cause !== null && row.cause.begin > first.end),
  );
  return isQuiet ? first.balance - sums[known]! : null;
}
