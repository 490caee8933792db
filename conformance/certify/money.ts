import { seenOf } from "../judge/seen.ts";
import { shownBy, type Shown } from "../suite/flow/lookup.ts";
import type { Called, Trial } from "./trial.ts";

/** Charged Calls beyond those of a run without a fault. */
export interface Excess {
  /** The charged Call that they repeat, or whose outcome was unknown when they were sent. */
  first: Called;
  again: Called[];
}

/** The Calls of a run that cost credits, by the books. */
export const charged = ({ calls }: Trial): Called[] => calls.filter((call) => call.credits > 0);

export const credits = (calls: readonly Called[]): number =>
  calls.reduce((sum, call) => sum + call.credits, 0);

/** Charged Calls whose outcome the client could not learn from their answers. */
export const openIn = (trial: Trial): Called[] => charged(trial).filter(({ isKnown }) => !isKnown);

/** The reads after a Call that could show it, with what they showed. */
export const looksAt = (trial: Trial, call: Called): { index: number; shown: NonNullable<Shown> }[] =>
  trial.exchanges.flatMap((exchange, index) => {
    const shown = index > call.index ? shownBy(exchange, seenOf(exchange), call) : null;
    return shown === null ? [] : { index, shown };
  });

/** What the reads before a place of the trial showed of a Call; null when none could show it. */
export function shownOf(trial: Trial, call: Called, before = Infinity): Shown {
  const looks = looksAt(trial, call).filter(({ index }) => index < before);
  return looks.some(({ shown }) => shown === "charged") ? "charged" : (looks.at(-1)?.shown ?? null);
}

/**
 * Charged Calls whose result was lost and that the client did not look up: neither in the usage audit, nor, before it
 * went on to another Call, in the ledger.
 */
export const notLookedUp = (trial: Trial): Called[] =>
  openIn(trial).filter((call) => {
    const next = trial.calls.find(({ index }) => index > call.index)?.index ?? Infinity;
    return !looksAt(trial, call).some(
      ({ index }) => index < next || !trial.exchanges[index]!.operation?.includes("Ledger"),
    );
  });

/**
 * The charged Calls of a run that the run without a fault lacks. Equal Calls stand for each other first; then, since
 * parameters may differ from run to run, Calls of one tool.
 */
export function beyond(trial: Trial, baseline: Trial): Called[] {
  const usual = usualIn(baseline);
  const take = (call: Called, name: "same" | "tool"): boolean => {
    const at = usual.findIndex((usualCall) => usualCall[name] === call[name]);
    if (at >= 0) usual.splice(at, 1);
    return at >= 0;
  };
  const unlike = charged(trial).filter((call) => !take(call, "same"));
  const left = new Set(unlike);
  // A first Call is more likely to be the usual one than a repetition is.
  const order = unlike.toSorted((one, other) => repetition(trial, one) - repetition(trial, other));
  for (const call of order) if (take(call, "tool")) left.delete(call);
  return unlike.filter((call) => left.has(call));
}

/** What a run without a fault pays for; a Call paid for again after its answer did not arrive is never usual. */
const usualIn = (baseline: Trial): Called[] => {
  const open = openIn(baseline);
  return charged(baseline).filter(
    ({ same, index }) => !open.some((call) => call.same === same && call.index < index),
  );
};

/** How many equal charged Calls precede a Call. */
const repetition = (trial: Trial, { same, index }: Called): number =>
  charged(trial).filter((call) => call.same === same && call.index < index).length;

/** Whether a client sends requests while others of its own are under way, as workers side by side do. */
export const isParallel = ({ exchanges }: Trial): boolean =>
  exchanges.some(({ started_at: at }, index) =>
    exchanges.slice(0, index).some((exchange) => at < Math.floor(exchange.started_at + exchange.duration_ms)),
  );

/** The Calls that a client paid for beyond those of the run without a fault, with what each repeats. */
export function excessOf(trial: Trial, baseline: Trial): Excess[] {
  const more = beyond(trial, baseline);
  const hasWorkers = isParallel(baseline);
  // Of Calls that workers send side by side, none repeats the other, nor one whose answer has arrived.
  const couldKnow = (first: Called, { startedAt, index }: Called): boolean =>
    first.index < index && (!hasWorkers || (first.endedAt <= startedAt && !first.isKnown));
  const found = new Map<Called, Called[]>();
  const add = (first: Called, again: Called): void =>
    void found.set(first, [...(found.get(first) ?? []), again]);
  const others = more.filter((call) => {
    const first = charged(trial).find((earlier) => earlier.same === call.same && couldKnow(earlier, call));
    if (first !== undefined) add(first, call);
    return first === undefined && repetition(trial, call) === 0;
  });
  // Another Call in the place of one whose outcome is unknown: only where more is paid for than usual.
  let left = charged(trial).length - usualIn(baseline).length - [...found.values()].flat().length;
  for (const call of others) {
    const first = openIn(trial).find(
      (earlier) => couldKnow(earlier, call) && shownOf(trial, earlier, call.index) === null,
    );
    if (first === undefined || left <= 0) continue;
    add(first, call);
    left -= 1;
  }
  return [...found].map(([first, again]) => ({ first, again }));
}
