import type { Finding } from "../judge/finding.ts";
import type { Verdict } from "../judge/verdict.ts";
import type { Scenario } from "./scenarios.ts";
import { trust } from "./command.ts";
import type { Stage } from "./stage.ts";
import { calls, type TrialPlan, type Run, type Trial } from "./trial.ts";
import { brokenBy, figuresOf, problemsOf, type Figures, type Problem } from "./verdict.ts";

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

/** A client on trial. */
export interface Certified {
  baseline: Trial;
  /** What the client breaks without a fault. */
  usual: Finding[];
  /** Why no scenario can be judged; null when the client does Calls. */
  idle: string | null;
  judged: Judged[];
}

interface Options {
  stage: Stage;
  run: Run;
  scenarios: readonly Scenario[];
  /** Scenarios that run at the same time. */
  parallel?: number;
  /** Called after the run without a fault, and after each scenario. */
  onProgress?: (done: number) => void;
}

/** Runs a client without a fault, then in each scenario, and judges each run by the server's own books. */
export async function certify({
  stage,
  run,
  scenarios,
  parallel = 1,
  onProgress,
}: Options): Promise<Certified> {
  const baseline = await stage.perform({ name: "baseline", call: null, planned: [], oddity: null }, run);
  const usual = brokenBy(baseline);
  const idle = idleness(baseline);
  onProgress?.(0);
  const judged: Judged[] = [];
  const waiting = idle === null ? [...scenarios.entries()] : [];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [index, scenario] = next;
      judged[index] = await judge(scenario, { stage, run, baseline, usual });
      onProgress?.(judged.filter(Boolean).length);
    }
  };
  await Promise.all(Array.from({ length: parallel }, work));
  return { baseline, usual, idle, judged };
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
  { stage, run, baseline, usual }: { stage: Stage; run: Run; baseline: Trial; usual: Finding[] },
): Promise<Judged> {
  const unverified = (reason: string, trial: Trial | null = null): Judged => ({
    scenario,
    verdict: "unverified",
    reason,
    problems: [],
    figures: trial && figuresOf(trial, baseline, []),
    trial,
  });
  const plan = planOf(scenario, baseline);
  if (typeof plan === "string") return unverified(plan);
  const trial = await stage.perform(plan, run);
  if (!trial.met)
    return unverified("The client never met it: it sent no request to which it applies.", trial);
  const found = problemsOf(trial, baseline, scenario, usual);
  const problems = trial.isDistrustful
    ? found.filter(({ fault }) => fault !== "breaks on lawful answers")
    : found;
  if (trial.ended.status === null && baseline.ended.status !== null) problems.push(endless);
  if (problems.length === 0 && trial.isDistrustful) return unverified(distrust, trial);
  if (problems.length === 0 && trial.missed !== null)
    return unverified(`After the fault, the client never sends ${trial.missed.join(" or ")}.`, trial);
  const worst = problems.some(({ level }) => level === "must") ? "fail" : "warn";
  return {
    scenario,
    verdict: problems.length === 0 ? "pass" : worst,
    reason: null,
    problems,
    figures: figuresOf(trial, baseline, problems),
    trial,
  };
}

const distrust =
  "The client distrusts the certificate authority of the trial, so it could not fetch the result: it must trust the file " +
  `that ${trust.join(", ")} name.`;

const endless: Problem = {
  fault: "gives up without need",
  level: "must",
  clause: null,
  expected: "a command that ends",
  received: "one that was still running when its time was up, and was ended",
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
