import { contractVersion } from "../generated/contract.ts";
import { Unreachable, WrongUse } from "../base/exit.ts";
import { condition } from "../conformance/judge/fact.ts";
import { Blocked, Unmet, Unverifiable } from "../conformance/judge/verdict.ts";
import { whyOff, type Profile } from "../conformance/server/profile.ts";
import { Secrets } from "../conformance/server/secrets.ts";
import { machineClock, type Clock } from "./engine/clock.ts";
import { Figures } from "./engine/figures.ts";
import {
  hold,
  isKept,
  isOfFailures,
  parseThreshold,
  type HeldThreshold,
  type Threshold,
} from "./engine/thresholds.ts";
import { Ended, lackingCredits, noCredits } from "./ended.ts";
import { Judgement } from "./judgement.ts";
import { live } from "./live.ts";
import type { Outcome } from "./outcome.ts";
import { because, question } from "./questions.ts";
import type { LoadReport } from "./report/load-report.ts";
import { contradictionsOf } from "./report/self-check.ts";
import { loadRun } from "./run.ts";
import { bookReaders, perform, usualOptions, type Options, type Scenario } from "./scenarios/index.ts";

/** The options of a load. */
export interface Task {
  scenario: Scenario;
  /** Those that differ from the usual ones. */
  options?: Partial<Options>;
  /** Conditions on the exit status, checked at the end. */
  thresholds: readonly Threshold[];
  /** Conditions that end the load once they are true. */
  abortOn?: readonly Threshold[];
  /** The budget of waiting before the load; ten minutes by default. */
  waitSeconds?: number | undefined;
}

/** How a load is watched and ended from outside. */
export interface Watching {
  /** Reports progress. */
  say?: (text: string) => void;
  /** Ends the load early, with an Ended as the reason. */
  stop?: AbortController;
  /** Receives the figures and findings of the load, which grow. */
  watch?: (figures: Figures, judgement: Judgement) => void;
}

/** What every load must keep, unless one of its own conditions bounds what failed. */
const usualBound = parseThreshold("failed<=1%", []);

/** Milliseconds between looks at the conditions that end a load. */
const lookMs = 500;
/** A load whose own starts are later than this, in milliseconds, tells more about itself than about the server. */
const maxLateMs = 100;

/**
 * Loads the server of a profile.
 * @param clock differs from the machine's only if the server uses the same clock
 * @throws WrongUse; Unreachable if the server was never reached
 */
export async function load(
  profile: Profile,
  { scenario, options: given, thresholds, abortOn = [], waitSeconds }: Task,
  { say = () => undefined, stop = new AbortController(), watch }: Watching = {},
  clock: Clock = machineClock,
): Promise<LoadReport> {
  const options = { ...usualOptions, ...given };
  options.operations = options.operations.filter((operation) => whyOff(profile, operation) === undefined);
  const unlimited = profile.features.rate_limits;
  if (scenario === "rate-limits" && unlimited !== undefined)
    throw new WrongUse(`the profile says that this server has no rate limits: ${unlimited}`);
  if (options.operations.length === 0)
    throw new WrongUse("the profile says that this server has none of the operations to load");
  const startedAt = new Date();
  const accounts =
    scenario === "rate-limits"
      ? 2
      : scenario === "limits" && options.find === "quota"
        ? options.operations.length
        : options.accounts;
  const secrets = new Secrets();
  const judgement = new Judgement(secrets);
  const figures = new Figures();
  watch?.(figures, judgement);
  let versionNote: string | null = null;
  const soFar = { outcome: (): Outcome => ({ notes: [], values: {} }) };
  const stopWatching = endingOn(abortOn, figures, judgement, stop);
  const needs = {
    accounts,
    workers: options.workers,
    readsBooks: bookReaders.has(scenario),
    say,
    clock,
    waitSeconds,
    secrets,
    judgement,
    figures,
    stop,
    soFar,
  };
  const { ended, ...outcome } = await loadRun(profile, needs, async (run): Promise<Outcome & Ending> => {
    versionNote = run.versionNote;
    const line = live(say, run);
    return perform(scenario, { ...run, say: line.say }, options).finally(line.stop);
  })
    .catch((error: unknown): Outcome & Ending => {
      const ending = endedBy(error, judgement);
      const seen = soFar.outcome();
      return { ...seen, ended: ending.ended ?? null, notes: [...seen.notes, ...ending.notes] };
    })
    .finally(stopWatching);
  // If the server went away, that already explains what it left unanswered.
  if (ended?.by !== "server") judgement.judgeUnanswered(figures);
  const { findings } = judgement;
  const { lateness, unfinished } = figures;
  const { judged } = judgement;
  const values = {
    ...outcome.values,
    ...(judged > 0 && { findings: findings.length }),
    ...(lateness !== null && { lateness_ms: lateness.max_ms }),
  };
  const report: LoadReport = {
    contract_version: contractVersion,
    scenario,
    target: profile.base_url,
    started_at: startedAt.toISOString(),
    duration_ms: Date.now() - startedAt.getTime(),
    judged,
    answers: figures.answers,
    expected: figures.expected,
    failed: figures.failed,
    unanswered: figures.unanswered,
    unfinished,
    lateness,
    ended: ended ?? null,
    version_note: versionNote,
    questions: outcome.questions?.length
      ? outcome.questions
      : [question(`the ${scenario}`, because(notBegun(ended, outcome)))],
    notes: outcome.notes,
    warnings: [...(outcome.warnings ?? []), ...warningsOf(figures)],
    values,
    thresholds: [...hold(thresholds, figures, values), ...usuallyHeld(thresholds, figures, ended != null)],
    findings,
    steps: figures.steps,
    seconds: figures.seconds,
    phases: outcome.phases ?? [],
    limits: outcome.limits ?? [],
    windows: outcome.windows ?? null,
    memory: outcome.memory ?? null,
    figures: figures.pack(),
  };
  const contradictions = contradictionsOf(report);
  if (contradictions.length > 0)
    throw new Error(`the report of this load contradicts itself: ${contradictions.join("; ")}`);
  return report;
}

/** The usual bound, where nothing replaces it. What a load that was ended did not wait for is nobody's failure. */
function usuallyHeld(thresholds: readonly Threshold[], figures: Figures, hasEnded: boolean): HeldThreshold[] {
  const { requests, unfinished } = figures;
  if (thresholds.some(isOfFailures) || requests === 0) return [];
  const [held] = hold([usualBound], figures, {}) as [HeldThreshold];
  if (!hasEnded || held.kept) return [held];
  const measured = (100 * (figures.failed - unfinished)) / Math.max(1, requests - unfinished);
  return [{ ...held, measured, kept: measured <= usualBound.value }];
}

/** Why a scenario judged nothing. */
const notBegun = (ended: LoadReport["ended"], { notes }: Outcome): string =>
  ended == null ? (notes.at(-1) ?? "it ended before it began") : ended.text;

/** Why a load ended early; null or absent if it did not. */
interface Ending {
  ended?: LoadReport["ended"];
}

/** Ends a load once a condition is true. @returns stops looking */
function endingOn(
  conditions: readonly Threshold[],
  figures: Figures,
  judgement: Judgement,
  stop: AbortController,
): () => void {
  if (conditions.length === 0) return () => undefined;
  const look = (): void => {
    const values = { findings: judgement.findings.length };
    const [held] = hold(conditions, figures, values).filter(isKept);
    if (held !== undefined)
      stop.abort(new Ended("condition", `--abort-on ${held.text}: measured ${held.measured?.toFixed(1)}`));
  };
  const timer = setInterval(look, lookMs);
  return () => clearInterval(timer);
}

/** What makes the figures of every kind of load less than they seem. */
function warningsOf({ lateness, unfinished }: Figures): string[] {
  const warnings: string[] = [];
  if (lateness !== null && lateness.max_ms > maxLateMs) {
    warnings.push(
      `this load started requests up to ${lateness.max_ms.toFixed(0)} ms late (p99 ${lateness.p99_ms.toFixed(0)} ms): it is a bottleneck itself; more --workers or machines help. Late starts do not count as the server's latency`,
    );
  }
  if (unfinished > 0) {
    warnings.push(
      `${unfinished} requests had no answer yet when the load ended; they count in the latencies with the time they had waited`,
    );
  }
  return warnings;
}

/**
 * Explains why a load ended early. An unusable answer that it cannot do without is recorded as a fault of the server.
 * @throws WrongUse or Unreachable if the load lacks something else and has seen nothing; any other error as it is
 */
function endedBy(error: unknown, judgement: Judgement): Pick<Outcome, "notes"> & Ending {
  if (error instanceof Ended) return { notes: [], ended: { by: error.by, text: error.message } };
  if (error instanceof Unverifiable) {
    // Something may be missing because of the faults that were seen.
    if (judgement.findings.some(({ verdict }) => verdict === "fail")) return { notes: [error.message] };
    if (error.remedy !== undefined)
      throw new WrongUse(`${error.message}; a profile gives it: ${error.remedy}`);
    if (judgement.judged === 0) throw new Unreachable(error.message);
    return { notes: [], ended: { by: "budget", text: error.message } };
  }
  if (!(error instanceof Blocked || error instanceof Unmet)) throw error;
  const { exchange } = error;
  if (exchange?.response?.status === noCredits)
    return endedBy(lackingCredits(exchange.account ?? "an account"), judgement);
  judgement.find({
    name: "unusable answer",
    clauses: [],
    title: "the load can use what the server answers",
    fact: error instanceof Unmet ? error.fact : condition("an answer that the load can use", error.message),
    exchanges: exchange === undefined ? [] : [exchange],
  });
  return { notes: ["an answer that the load cannot use has ended it"] };
}
