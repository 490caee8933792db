import { charged, credits, excessOf } from "./money.ts";
import type { Called, Trial } from "./trial.ts";

/** What a client's runs cost, with its tasks: the Calls that it makes without a fault. */
export interface Bill {
  runs: number;
  /** Tasks of all runs, and those whose result arrived. */
  tasks: number;
  finished: number;
  credits: number;
  /** Over the runs in which a task finished; null when none did. */
  credits_per_finished_task: { median: number; p95: number; worst: number } | null;
  /** Paid beyond the run without a fault. */
  paid_twice: number;
  /** Paid for results that the client never saw, and did not pay for again. */
  paid_unused: number;
  /** The price of tasks that ended with a 429, although nothing had been charged. */
  refused_although_safe: number;
  /** The least credits of an account with which 95 % of the tasks finish; null when fewer finish at any price. */
  budget_for_95_percent: number | null;
  /** Requests that were answered 429. */
  limited_requests: number;
}

const share = 0.95;

/** The bill of some runs of a client. @param usual runs without a fault: each run is held against the most similar */
export function billOf(trials: readonly Trial[], usual: readonly [Trial, ...Trial[]]): Bill {
  const runs = trials.map((trial) => runOf(trial, usual));
  const sum = (value: (run: RunBill) => number): number =>
    Number(runs.reduce((total, run) => total + value(run), 0).toFixed(6));
  const perTask = runs.flatMap(({ spent, costs }) => {
    const finished = costs.filter(Number.isFinite).length;
    return finished === 0 ? [] : spent / finished;
  });
  const budget = quantile(
    runs.flatMap(({ costs }) => costs),
    share,
  );
  return {
    runs: runs.length,
    tasks: sum(({ costs }) => costs.length),
    finished: sum(({ costs }) => costs.filter(Number.isFinite).length),
    credits: sum(({ spent }) => spent),
    credits_per_finished_task:
      perTask.length === 0
        ? null
        : { median: quantile(perTask, 0.5), p95: quantile(perTask, share), worst: quantile(perTask, 1) },
    paid_twice: sum(({ twice }) => twice),
    paid_unused: sum(({ unused }) => unused),
    refused_although_safe: sum(({ refused }) => refused),
    budget_for_95_percent: Number.isFinite(budget) ? budget : null,
    limited_requests: sum(({ limited }) => limited),
  };
}

/** The least value that is not exceeded by a share of all. */
function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return Number((sorted[Math.ceil(part * sorted.length) - 1] ?? Infinity).toFixed(6));
}

interface RunBill {
  spent: number;
  twice: number;
  unused: number;
  refused: number;
  limited: number;
  /** For each task, what had been spent when its result arrived; infinite when none did. */
  costs: number[];
}

function runOf(trial: Trial, usual: readonly [Trial, ...Trial[]]): RunBill {
  const byRun = usual.map((baseline) => beside(trial, baseline));
  return byRun.toSorted((one, other) => one.twice + one.unused - other.twice - other.unused)[0]!;
}

function beside(trial: Trial, baseline: Trial): RunBill {
  const tasks = tasksOf(trial, baseline);
  const spent = credits(trial.calls);
  const twice = credits(excessOf(trial, baseline).flatMap(({ again }) => again));
  const useful = credits(tasks.flatMap(({ result }) => result ?? []));
  const isRefused = ({ same }: Called): boolean =>
    trial.calls.some((call) => call.same === same && statusOf(trial, call) === 429);
  const refused = tasks.filter(({ asked, result }) => result === null && isRefused(asked));
  return {
    spent,
    twice,
    unused: Math.max(0, spent - useful - twice),
    refused: credits(refused.map(({ asked }) => asked)),
    limited: trial.exchanges.filter(({ response }) => response?.status === 429).length,
    costs: tasks.map(({ result }) => (result === null ? Infinity : spentBy(trial, result))),
  };
}

/** Each Call that was executed without a fault, with the Call whose result arrived in its place. */
function tasksOf(trial: Trial, baseline: Trial): { asked: Called; result: Called | null }[] {
  const arrived = trial.calls.filter(({ executionId, isKnown }) => executionId !== null && isKnown);
  const take = (isIt: (call: Called) => boolean): Called | null => {
    const at = arrived.findIndex(isIt);
    return at < 0 ? null : arrived.splice(at, 1)[0]!;
  };
  const asked = baseline.calls.filter(({ executionId }) => executionId !== null);
  const exact = asked.map((call) => ({ asked: call, result: take(({ same }) => same === call.same) }));
  const sent = new Set(trial.calls.map(({ same }) => same));
  // Parameters may differ from run to run.
  return exact.map((call) =>
    call.result === null && !sent.has(call.asked.same)
      ? { ...call, result: take(({ tool }) => tool === call.asked.tool) }
      : call,
  );
}

const statusOf = ({ exchanges }: Trial, { index }: Called): number | undefined =>
  exchanges[index]?.response?.status;

const spentBy = (trial: Trial, { index }: Called): number =>
  credits(charged(trial).filter((call) => call.index <= index));

/** The rows of a bill in words, in the order in which a reader asks for them. */
export const billRows: readonly (readonly [words: string, cell: (bill: Bill) => string])[] = [
  ["runs", ({ runs }) => String(runs)],
  ["tasks finished", ({ finished, tasks }) => `${finished} of ${tasks}`],
  ["credits", (bill) => String(bill.credits)],
  ["  for results that arrived", (bill) => amount(bill.credits - bill.paid_twice - bill.paid_unused)],
  ["  paid twice", ({ paid_twice: twice }) => amount(twice)],
  ["  paid, and the result never seen", ({ paid_unused: unused }) => amount(unused)],
  ["credits per finished task, median", (bill) => amount(bill.credits_per_finished_task?.median)],
  ["  95th percentile", (bill) => amount(bill.credits_per_finished_task?.p95)],
  ["  worst seen", (bill) => amount(bill.credits_per_finished_task?.worst)],
  [
    "budget of a run in which 95 % of the tasks finish",
    (bill) => (bill.budget_for_95_percent === null ? "none" : amount(bill.budget_for_95_percent)),
  ],
  ["not spent: refused with 429, and not sent again", (bill) => amount(bill.refused_although_safe)],
  ["requests answered 429", ({ limited_requests: limited }) => String(limited)],
];

const amount = (value: number | undefined): string =>
  value === undefined ? "none" : String(Number(value.toFixed(3)));
