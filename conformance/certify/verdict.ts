import type { ClauseId } from "../../generated/clauses.ts";
import { seenOf } from "../judge/seen.ts";
import type { Finding } from "../judge/finding.ts";
import { shownBy, type Shown } from "../suite/flow/lookup.ts";
import { nothingMissing } from "../judge/missing.ts";
import { TrafficJudge } from "../traffic/traffic-judge.ts";
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
  expected: string;
  received: string;
  /** Place of the exchange at fault in the trial; null when none can be named. */
  at: number | null;
}

/** The money and the waits of one run of a client, counted. */
export interface Figures {
  /** Different Calls that the client sent: equal tool and parameters count once. */
  tasks: number;
  charges: number;
  credits: number;
  /** Charges beyond those of the run without a fault, for the same tool and parameters; and their credits. */
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

/** The clauses of the client's half that a run breaks, as the rules about traffic see it. */
export const brokenBy = (trial: Trial): Finding[] => {
  const judge = new TrafficJudge("client", true);
  for (const exchange of trial.exchanges) judge.see({ exchange, missing: nothingMissing });
  return judge.findings().filter(({ verdict }) => verdict === "fail" || verdict === "warn");
};

const credits = (calls: readonly Called[]): number => calls.reduce((sum, call) => sum + call.credits, 0);
const inCredits = (amount: number): string =>
  `${Number(amount.toFixed(6))} ${amount === 1 ? "credit" : "credits"}`;
const times = (count: number): string => (count === 1 ? "once" : count === 2 ? "twice" : `${count} times`);

const charged = ({ calls }: Trial): Called[] => calls.filter((call) => call.credits > 0);
const paidFor = (trial: Trial): Map<string, Called[]> => Map.groupBy(charged(trial), ({ same }) => same);

/** Charged Calls whose outcome the client could not learn from their answers. */
const openIn = (trial: Trial): Called[] => charged(trial).filter(({ isKnown }) => !isKnown);

/** What the reads between two places of a trial showed of a Call; null when none could show it. */
function shownBetween(trial: Trial, call: Called, before = Infinity): Shown {
  const sought = { ...call, executionId: null };
  const shown = trial.exchanges.flatMap((exchange, index) =>
    index > call.index && index < before ? (shownBy(exchange, seenOf(exchange), sought) ?? []) : [],
  );
  return shown.includes("charged") ? "charged" : (shown.at(-1) ?? null);
}

const lookWords: Record<NonNullable<Shown> | "none", string> = {
  charged: "although the audit had shown the charge",
  free: "after a read that showed another outcome",
  absent: "after a read that did not show it yet",
  none: "without a look at the audit",
};

/** Charges for the same tool and parameters beyond those of the run without a fault. */
function doubleCharges(trial: Trial, baseline: Trial): { first: Called; again: Called[] }[] {
  const usual = paidFor(baseline);
  return [...paidFor(trial)].flatMap(([same, paid]) => {
    const again = paid.slice(Math.max(1, usual.get(same)?.length ?? 0));
    return again.length === 0 ? [] : [{ first: paid[0]!, again }];
  });
}

/** Charges for other Calls, made while the outcome of an open one was unknown, that the run without a fault lacks. */
function blindCharges(trial: Trial, baseline: Trial): { first: Called; again: Called[] }[] {
  if (charged(trial).length <= charged(baseline).length) return [];
  const usual = paidFor(baseline);
  for (const first of openIn(trial)) {
    const again = charged(trial).filter(
      (call) =>
        call.index > first.index &&
        !usual.has(call.same) &&
        call.same !== first.same &&
        shownBetween(trial, first, call.index) === null,
    );
    if (again.length > 0) return [{ first, again }];
  }
  return [];
}

/** Each excess Call as a problem in money. */
function paysTwice(trial: Trial, baseline: Trial): Problem[] {
  const same = doubleCharges(trial, baseline).map(({ first, again }): Problem => {
    const look = lookWords[shownBetween(trial, first, again[0]!.index) ?? "none"];
    return {
      fault: "pays twice",
      level: "must",
      clause: "FLOW-15",
      expected: `${first.tool} paid for once: ${inCredits(first.credits)}`,
      received: `${first.tool} paid for ${times(1 + again.length)} with the same parameters, ${inCredits(credits(again))} too much, ${look}`,
      at: again[0]!.index,
    };
  });
  if (same.length > 0) return same;
  return blindCharges(trial, baseline).map(({ first, again }) => ({
    fault: "pays twice",
    level: "must",
    clause: "FLOW-15",
    expected: `a look at the audit, once the answer to ${first.tool} had not arrived`,
    received: `a Call of ${again[0]!.tool} in its place: ${inCredits(credits(again))} more, while ${inCredits(first.credits)} had been charged`,
    at: again[0]!.index,
  }));
}

/**
 * Charged Calls whose result was lost and that the client did not look up: neither in the usage audit, nor, before it
 * went on to another Call, in the ledger.
 */
const notLookedUp = (trial: Trial): Called[] =>
  openIn(trial).filter((call) => {
    const next = trial.calls.find(({ index }) => index > call.index)?.index ?? Infinity;
    return !trial.exchanges.some(
      (exchange, index) =>
        index > call.index &&
        (index < next || !exchange.operation?.includes("Ledger")) &&
        shownBy(exchange, seenOf(exchange), { ...call, executionId: null }) !== null,
    );
  });

function givesUp(trial: Trial, baseline: Trial, { kind }: Scenario): Problem[] {
  const lost = notLookedUp(trial).map(({ tool, credits: amount, index }): Problem => ({
    fault: "gives up without need",
    level: "must",
    clause: "FLOW-22",
    expected: `a read of the usage audit that could show the Call of ${tool}`,
    received: `none that was answered: ${inCredits(amount)} paid, the result never seen and the charge never looked up`,
    at: index,
  }));
  if (kind.stake !== "wait" || charged(trial).length >= charged(baseline).length) return lost;
  const at = trial.struck[0] ?? null;
  const refused = at === null ? undefined : trial.exchanges[at];
  const seconds = refused?.response?.headers["retry-after"];
  return [
    ...lost,
    {
      fault: "gives up without need",
      level: "must",
      clause: seconds === undefined ? null : "FLOW-28",
      expected:
        seconds === undefined
          ? "the task done all the same: nothing had been charged"
          : `the same request again, after the ${seconds} s of Retry-After`,
      received: `${charged(trial).length} of ${charged(baseline).length} paid Calls: the task ended with the ${refused?.response?.status ?? "lost"} answer`,
      at,
    },
  ];
}

function breaksOnLawful(trial: Trial, baseline: Trial, { kind }: Scenario): Problem[] {
  if (kind.stake !== "lawful") return [];
  const at = trial.struck[0] ?? null;
  const problem = (expected: string, received: string): Problem[] => [
    { fault: "breaks on lawful answers", level: "must", clause: null, expected, received, at },
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

/** Clauses that the run breaks, and that the run without a fault does not. */
function breaksItsHalf(trial: Trial, usual: readonly Finding[], known: readonly Problem[]): Problem[] {
  return brokenBy(trial).flatMap(
    ({ id, clauses: [clause], level, expected, received, reason, exchanges }): Problem[] => {
      const isUsual = usual.some((one) => one.id === id);
      // One cause, one finding: the money says more.
      const isKnown = known.some(
        (one) => one.clause === clause || (one.fault === "pays twice" && clause === "FLOW-22"),
      );
      if (isUsual || isKnown) return [];
      const at =
        exchanges[0] === undefined
          ? -1
          : trial.exchanges.findIndex(
              ({ started_at: time, request }) =>
                time === exchanges[0]!.started_at && request.url === exchanges[0]!.request.url,
            );
      return [
        {
          fault: "breaks its half",
          level,
          clause: clause as ClauseId,
          expected: expected ?? reason ?? "",
          received: received ?? "",
          at: at < 0 ? null : at,
        },
      ];
    },
  );
}

/** What a client did wrong in one scenario, gravest first. @param usual what it breaks without a fault */
export function problemsOf(
  trial: Trial,
  baseline: Trial,
  scenario: Scenario,
  usual: readonly Finding[] = brokenBy(baseline),
): Problem[] {
  const twice = scenario.kind.stake === "change" ? [] : paysTwice(trial, baseline);
  // A client that has paid again did not give up.
  const inMoney = twice.length > 0 ? twice : givesUp(trial, baseline, scenario);
  const problems = [...inMoney, ...breaksOnLawful(trial, baseline, scenario)];
  return [...problems, ...breaksItsHalf(trial, usual, problems)];
}

/** The figures of one run. */
export function figuresOf(trial: Trial, baseline: Trial, problems: readonly Problem[]): Figures {
  const twice = [...doubleCharges(trial, baseline), ...blindCharges(trial, baseline)].flatMap(
    ({ again }) => again,
  );
  const counts = problems.some(({ fault }) => fault === "pays twice") ? twice : [];
  return {
    tasks: new Set(trial.calls.map(({ same }) => same)).size,
    charges: charged(trial).length,
    credits: credits(trial.calls),
    double_charges: counts.length,
    double_credits: credits(counts),
    results_unseen: openIn(trial).length,
    results_not_looked_up: notLookedUp(trial).length,
    waits_not_waited: problems.filter(
      ({ clause, fault }) => clause === "FLOW-28" && fault === "breaks its half",
    ).length,
    answers_not_read: problems.filter(({ fault }) => fault === "breaks on lawful answers").length,
  };
}
