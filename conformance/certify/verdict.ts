import type { ClauseId } from "../../generated/clauses.ts";
import { condition, type Fact } from "../judge/fact.ts";
import { levelOf } from "../judge/level.ts";
import type { Shown } from "../suite/flow/lookup.ts";
import { brokenBy, type Broken } from "./half.ts";
import { charged, credits, excessOf, isParallel, notLookedUp, openIn, shownOf } from "./money.ts";
import type { Scenario } from "./scenarios.ts";
import type { Called, Trial } from "./trial.ts";

/** The four kinds of fault that a certificate knows, gravest first. */
export const faults = [
  "pays twice",
  "gives up without need",
  "breaks on lawful answers",
  "breaks its half",
] as const;
export type Fault = (typeof faults)[number];

export interface Problem {
  fault: Fault;
  level: "must" | "should";
  clause: ClauseId | null;
  fact: Fact;
  /** Place of the exchange at fault in the trial; null when none can be named. */
  at: number | null;
  /** What may explain it, for who wrote the client. */
  hint?: string;
}

/** The money and the waits of one run of a client, counted. */
export interface Figures {
  /** Different Calls that the client sent: equal tool and parameters count once. */
  tasks: number;
  charges: number;
  credits: number;
  /** Charges beyond those of the run without a fault; and their credits. */
  double_charges: number;
  double_credits: number;
  /** Charged Calls whose result the client never saw; and those of them that it never looked up. */
  results_unseen: number;
  results_not_looked_up: number;
  /** Requests sent before `Retry-After` was over. */
  waits_not_waited: number;
  /** Lawful answers after which the client did not do what it did without them. */
  answers_not_read: number;
}

/** What a client does when nothing goes wrong. */
export interface Usual {
  /** Runs without a fault that nothing disturbed. What any of them does is usual. */
  runs: readonly [Trial, ...Trial[]];
  /** What the client breaks in them. */
  broken: readonly Broken[];
}

const inCredits = (amount: number): string =>
  `${Number(amount.toFixed(6))} ${amount === 1 ? "credit" : "credits"}`;
const times = (count: number): string => (count === 1 ? "once" : count === 2 ? "twice" : `${count} times`);

const lookWords: Record<NonNullable<Shown> | "none", string> = {
  charged: "although the audit had shown the charge",
  free: "after a read that showed another outcome",
  absent: "after a read that did not show it yet",
  none: "without a look at the audit",
};

/** Each excess Call as a problem in money. */
export const paysTwice = (trial: Trial, baseline: Trial): Problem[] =>
  excessOf(trial, baseline).map(({ first, again }): Problem => {
    const [next] = again as [Called, ...Called[]];
    const common = {
      fault: "pays twice",
      level: levelOf(["FLOW-15"]),
      clause: "FLOW-15",
      at: next.index,
    } as const;
    if (next.same !== first.same) {
      return {
        ...common,
        fact: condition(
          `a look at the audit, once the answer to ${first.tool} had not arrived`,
          `a Call of ${next.tool} in its place: ${inCredits(credits(again))} more, while ${inCredits(first.credits)} had been charged`,
          { kind: "amount" },
        ),
      };
    }
    const look = shownOf(trial, first, next.index) ?? "none";
    const hint = resentBy(trial, first, next);
    return {
      ...common,
      ...(hint !== null && { hint }),
      ...(isPurchase(first, next, look, baseline) && { level: "should", clause: null }),
      fact: condition(
        `${first.tool} paid for once: ${inCredits(first.credits)}`,
        `${first.tool} paid for ${times(1 + again.length)} with the same parameters, ${inCredits(credits(again))} too much, ${lookWords[look]}`,
        { kind: "amount" },
      ),
    };
  });

/** Sooner than this after a closed connection, in ms, an equal request may be the work of a library. */
const bySoftwareMs = 5000;

/** Who may have sent a Call again: an equal request right after a closed connection may come from an HTTP library. */
function resentBy({ exchanges }: Trial, first: Called, next: Called): string | null {
  const [one, other] = [exchanges[first.index]!, exchanges[next.index]!];
  const ms = next.startedAt - first.endedAt;
  const isAlike = one.request.body === other.request.body && next.index === first.index + 1;
  if (one.response !== null || !isAlike || ms > bySoftwareMs) return null;
  return `the same bytes again, ${Math.max(0, ms)} ms after the connection closed; if your code has no retry, your HTTP library has`;
}

/** Whether a second Call may be wanted for itself, although the run without a fault lacks it, and is not a replay. */
const isPurchase = (first: Called, next: Called, look: Shown | "none", baseline: Trial): boolean =>
  look === "charged" ||
  (isParallel(baseline) && first.session !== next.session && first.search !== next.search);

const givesUp = (trial: Trial): Problem[] =>
  notLookedUp(trial).map(({ tool, credits: amount, index }) => ({
    fault: "gives up without need",
    level: levelOf(["FLOW-22"]),
    clause: "FLOW-22",
    fact: condition(
      `a read of the usage audit that could show the Call of ${tool}`,
      `none that was answered: ${inCredits(amount)} paid, the result never seen and the charge never looked up`,
      { kind: "amount" },
    ),
    at: index,
  }));

function breaksOnLawful(trial: Trial, baseline: Trial, { kind }: Scenario): Problem[] {
  if (kind.stake !== "lawful") return [];
  const at = trial.struck[0] ?? null;
  const problem = (expected: string, received: string): Problem[] => [
    {
      fault: "breaks on lawful answers",
      level: "must",
      clause: null,
      fact: condition(expected, received),
      at,
    },
  ];
  const [before, after] = [baseline.ended.status, trial.ended.status];
  if (before !== after) {
    return problem(
      `exit status ${before}, as without the difference`,
      after === null ? "the command did not end" : `exit status ${after}`,
    );
  }
  const [usual, done] = [charged(baseline).length, charged(trial).length];
  return done < usual ? problem(`${usual} paid Calls, as without the difference`, String(done)) : [];
}

/** Clauses that the run breaks, and that the client does not break anyway. */
function breaksItsHalf(
  trial: Trial,
  baseline: Trial,
  usual: readonly Broken[],
  known: readonly Problem[],
): Problem[] {
  return brokenBy(trial, baseline).flatMap(({ rule, ...broken }): Problem[] => {
    const isUsual = usual.some((usualProblem) => usualProblem.rule === rule);
    // One cause, one finding: the money says more.
    const isKnown = known.some(
      (problem) =>
        problem.clause === broken.clause || (problem.fault === "pays twice" && broken.clause === "FLOW-22"),
    );
    return isUsual || isKnown ? [] : [{ fault: "breaks its half", ...broken }];
  });
}

/** What a client did wrong in one scenario, gravest first: as little as the most similar of its usual runs leaves. */
export function problemsOf(trial: Trial, { runs, broken }: Usual, scenario: Scenario): Problem[] {
  const byRun = runs.map((baseline) => problemsBeside(trial, baseline, scenario, broken));
  return byRun.toSorted((one, other) => one.length - other.length)[0]!;
}

function problemsBeside(
  trial: Trial,
  baseline: Trial,
  scenario: Scenario,
  usual: readonly Broken[],
): Problem[] {
  const twice = scenario.kind.stake === "change" ? [] : paysTwice(trial, baseline);
  // A client that has paid again did not give up.
  const inMoney = twice.length > 0 ? twice : givesUp(trial);
  const problems = [...inMoney, ...breaksOnLawful(trial, baseline, scenario)];
  return [...problems, ...breaksItsHalf(trial, baseline, usual, problems)];
}

/** The figures of one run. */
export function figuresOf(
  trial: Trial,
  { runs }: Pick<Usual, "runs">,
  problems: readonly Problem[],
): Figures {
  const byRun = runs.map((baseline) => excessOf(trial, baseline).flatMap(({ again }) => again));
  const [least] = byRun.toSorted((one, other) => credits(one) - credits(other)) as [Called[]];
  const again = problems.some(({ fault }) => fault === "pays twice") ? least : [];
  return {
    tasks: new Set(trial.calls.map(({ same }) => same)).size,
    charges: charged(trial).length,
    credits: credits(trial.calls),
    double_charges: again.length,
    double_credits: credits(again),
    results_unseen: openIn(trial).length,
    results_not_looked_up: notLookedUp(trial).length,
    waits_not_waited: problems.filter(
      ({ clause, fault }) => clause === "FLOW-28" && fault === "breaks its half",
    ).length,
    answers_not_read: problems.filter(({ fault }) => fault === "breaks on lawful answers").length,
  };
}
