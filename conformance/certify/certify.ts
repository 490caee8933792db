import { condition } from "../judge/fact.ts";
import type { Verdict } from "../judge/verdict.ts";
import type { Scenario } from "./scenarios.ts";
import { trust } from "./command.ts";
import { brokenBy } from "./half.ts";
import type { Stage } from "./stage.ts";
import { calls, type TrialPlan, type Run, type Trial } from "./trial.ts";
import { figuresOf, paysTwice, problemsOf, type Figures, type Problem, type Usual } from "./verdict.ts";

/** One scenario, judged. */
export interface Judged {
  scenario: Scenario;
  verdict: Extract<Verdict, "pass" | "fail" | "warn" | "unverified">;
  /** Why it is unverified. */
  reason: string | null;
  problems: Problem[];
  /** Null when the client was not run. */
  figures: Figures | null;
  trial: Trial | null;
}

/** A client under test. */
export interface Certified {
  usual: Usual;
  /** What the client does wrong without a fault. */
  problems: Problem[];
  /** Why no scenario can be judged; null when the client does Calls. */
  idle: string | null;
  judged: Judged[];
}

interface Options {
  stage: Stage;
  run: Run;
  scenarios: readonly Scenario[];
  /** Undisturbed runs without a fault that are wanted: two, to know what varies; more for the bill. */
  usualRuns?: number;
  /** Scenarios that run at the same time. */
  parallel?: number;
  /** Called after the runs without a fault, and after each scenario. */
  onProgress?: (done: number) => void;
}

/** Runs without a fault at most, for each undisturbed one that is wanted. */
const triesForEach = 3;
/** Runs of a scenario at most, where the client was disturbed by more than the scenario. */
const attempts = 4;
/** Undisturbed runs in which a client must do otherwise than usual, for what the books cannot decide. */
const confirmations = 2;

/** Runs a client without a fault, then in each scenario, and judges each run by the server's own books. */
export async function certify({
  stage,
  run,
  scenarios,
  usualRuns = 2,
  parallel = 1,
  onProgress,
}: Options): Promise<Certified> {
  const { usual, problems, idle } = await measured(stage, run, usualRuns);
  onProgress?.(0);
  const judged: Judged[] = [];
  const waiting = idle === null ? [...scenarios.entries()] : [];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [index, scenario] = next;
      judged[index] = await judge(scenario, { stage, run, usual });
      onProgress?.(judged.filter(Boolean).length);
    }
  };
  await Promise.all(Array.from({ length: parallel }, work));
  return { usual, problems, idle, judged };
}

const nothing = { name: "baseline", call: null, planned: [], oddity: null };

/**
 * What the client does without a fault, measured in runs in which it awaited every answer: a busy machine may be too slow
 * for a client's time limits, and what it does then is not its custom.
 */
async function measured(
  stage: Stage,
  run: Run,
  wanted: number,
): Promise<{ usual: Usual; problems: Problem[]; idle: string | null }> {
  const runs: Trial[] = [];
  const calm = (): Trial[] => runs.filter(({ abandoned }) => abandoned === 0);
  while (calm().length < wanted && runs.length < triesForEach * wanted) {
    const trial = await stage.perform(nothing, run);
    runs.push(trial);
    const idle = idleness(trial);
    if (idle !== null) return { ...ownBreaches([trial]), idle };
  }
  const chosen = (calm().length > 0 ? calm() : runs) as [Trial, ...Trial[]];
  const { usual, problems: breaches } = ownBreaches(chosen);
  // Without a fault, a Call is paid for again only where the client never awaits its answer.
  const twice = chosen.map((trial) => paysTwice(trial, trial));
  const problems: Problem[] = twice.every(({ length }) => length > 0) ? twice[0]! : [];
  return { usual, problems: [...problems, ...breaches], idle: null };
}

/** What the client breaks without a fault, each rule once. */
function ownBreaches(runs: [Trial, ...Trial[]]): { usual: Usual; problems: Problem[] } {
  const all = runs.flatMap((trial) => brokenBy(trial));
  const broken = [...new Map(all.toReversed().map((breach) => [breach.rule, breach])).values()].toReversed();
  const problems = broken.map(({ rule: _, ...breach }) => ({ fault: "breaks its half" as const, ...breach }));
  return { usual: { runs, broken }, problems };
}

function idleness({ calls: made, ended }: Trial): string | null {
  if (made.length === 0) {
    return `The command made no Call: there is nothing to judge (${ended.status === null ? "it did not end" : `exit status ${ended.status}`}).`;
  }
  return made.every(({ executionId }) => executionId === null)
    ? `None of the command's ${made.length} Calls was executed, so nothing can be at stake.`
    : null;
}

async function judge(
  scenario: Scenario,
  { stage, run, usual }: { stage: Stage; run: Run; usual: Usual },
): Promise<Judged> {
  const [baseline] = usual.runs;
  const judgedAs = (
    verdict: Judged["verdict"],
    reason: string | null,
    trial: Trial | null,
    problems: Problem[] = [],
  ): Judged => ({
    scenario,
    verdict,
    reason,
    problems,
    figures: trial && figuresOf(trial, usual, problems),
    trial,
  });
  const plan = planOf(scenario, baseline);
  if (typeof plan === "string") return judgedAs("unverified", plan, null);
  const { trial, problems, isDisturbed } = await undisturbed(scenario, plan, { stage, run, usual });
  if (!trial.met)
    return judgedAs("unverified", "The client never met it: it sent no request to which it applies.", trial);
  if (trial.ended.status === null && baseline.ended.status !== null) problems.push(endless);
  if (problems.length > 0) {
    const isFailed = problems.some(({ level }) => level === "must");
    return judgedAs(isFailed ? "fail" : "warn", null, trial, problems);
  }
  if (isDisturbed) return judgedAs("unverified", disturbed, trial);
  if (trial.isDistrustful) return judgedAs("unverified", distrust, trial);
  if (trial.missed !== null)
    return judgedAs(
      "unverified",
      `After the fault, the client never sends ${trial.missed.join(" or ")}.`,
      trial,
    );
  return judgedAs("pass", null, trial);
}

/** Runs a client in a scenario, again where something else disturbed it; then only what the books show is held against it. */
async function undisturbed(
  scenario: Scenario,
  plan: TrialPlan,
  { stage, run, usual }: { stage: Stage; run: Run; usual: Usual },
): Promise<{ trial: Trial; problems: Problem[]; isDisturbed: boolean }> {
  const tolerable = Math.max(...usual.runs.map(({ abandoned }) => abandoned));
  let confirmed = 0;
  for (let attempt = 1; ; attempt += 1) {
    const trial = await stage.perform(plan, run);
    const found = problemsOf(trial, usual, scenario);
    const isDisturbed = found.length > 0 && trial.abandoned > tolerable;
    const isDecided = found.length === 0 || found.some(({ fault }) => fault === "pays twice");
    if (!isDisturbed) confirmed += 1;
    if (!isDecided && confirmed < confirmations && attempt < attempts) continue;
    const problems = found.filter(
      ({ fault }) =>
        fault === "pays twice" ||
        (confirmed >= confirmations &&
          !isDisturbed &&
          !(trial.isDistrustful && fault === "breaks on lawful answers")),
    );
    return { trial, problems, isDisturbed: isDisturbed || (!isDecided && confirmed < confirmations) };
  }
}

const disturbed =
  "The client did not await an answer that met no fault, in each of several runs: this machine is too busy for its time limits.";

const distrust =
  "The client distrusts the certificate authority of the trial, so it could not fetch the result: it must trust the file " +
  `that ${trust.join(", ")} name.`;

const endless: Problem = {
  fault: "gives up without need",
  level: "must",
  clause: null,
  fact: condition("a command that ends", "one that was still running when its time was up, and was ended"),
  at: null,
};

/** Where a scenario takes place in this client's run; the reason if it cannot. */
function planOf({ id, kind, place }: Scenario, baseline: Trial): TrialPlan | string {
  const planned = kind.planned ?? [];
  const [first] = planned;
  if (
    kind.once &&
    first !== undefined &&
    !baseline.exchanges.some(({ operation }) => first.on.includes(operation))
  ) {
    return `The client never sends ${first.on.join(" or ")}.`;
  }
  const common = { name: id, planned, oddity: kind.oddity ?? null };
  if (place === null) return { ...common, call: null };
  const ordinals = baseline.calls.flatMap(({ credits }, index) => (credits > 0 ? [index + 1] : []));
  const call = ordinals[place - 1];
  if (call === undefined)
    return `The client makes ${ordinals.length} charged ${ordinals.length === 1 ? "Call" : "Calls"}.`;
  const isReached =
    planned.some(({ on }) => on.some((operation) => calls.includes(operation))) || planned.length === 0;
  return isReached ? { ...common, call } : `The client never sends ${first!.on.join(" or ")}.`;
}
