import { lawfulRate, pathOf, sendersOf, stepOf, stepsOf } from "../agent-path.ts";
import { allSteps, answersFor } from "../engine/figures.ts";
import { scheduleOf, steady, type Stage } from "../engine/schedule.ts";
import type { Outcome } from "../outcome.ts";
import type { Planned } from "../planned.ts";
import { speedQuestions } from "../questions.ts";
import { counted } from "../report/load-report.ts";
import type { LoadRun } from "../run.ts";
import { cpuReader, type CpuSource } from "../server-cpu.ts";

/** The shares of a window's quota: single steps, the path at full speed, the path at a fixed rate. */
const shares = { steps: 0.4, path: 0.25, fixed: 0.2 } as const;

/** The answers from which a p99 can be trusted, and how long a step may last for them, in seconds. */
const wantedAnswers = answersFor(99);
const maxSeconds = 30;

export interface Throughput {
  /** The duration of each part; null: long enough for a p99, at least 5. */
  seconds: number | null;
  /** Paths a second in the open loop. */
  rate: number;
  /** The rates of the open loop, instead of one rate; the closed loops are then left out. */
  stages: readonly Stage[];
  connections: number;
  cpu: CpuSource;
}

/**
 * Measures the speed of the server: each step as fast as the connections allow, then the path in the same way, then the
 * path at given rates in an open loop. The load is spread over the accounts, so that each keeps its quota.
 */
export async function throughput(run: LoadRun, options: Throughput): Promise<Outcome> {
  const { profile, leases, soFar } = run;
  const senders = sendersOf(leases);
  const outcome = {
    notes: [`${counted(senders.length, "account")}, ${counted(options.connections, "connection")}`],
    warnings: [] as string[],
    values: {} as Record<string, number>,
    phases: [] as NonNullable<Outcome["phases"]>,
  };
  const soFarJudged = (): Outcome => ({ ...outcome, questions: speedQuestions(run.figures.steps) });
  soFar.outcome = soFarJudged;
  const quotas = profile.features.rate_limits === undefined;
  const budget = (quota: number, share: number): number =>
    quotas ? Math.max(1, Math.floor(senders.length * quota * share)) : Infinity;
  const least = Math.min(...stepsOf(profile).map((operation) => profile.limits[operation]));
  if (quotas) outcome.values["lawful_rate"] = lawfulRate(senders.length, profile);

  if (options.stages.length === 0) {
    for (const operation of stepsOf(profile)) {
      const requests = senders.map((sender) => stepOf(operation, sender, profile));
      await saturate(
        run,
        operation,
        requests,
        budget(profile.limits[operation], shares.steps),
        options,
        outcome,
      );
    }
    // Within each step the accounts are adjacent, so that connections with different starting points are spread over
    // them.
    const paths = stepsOf(profile).flatMap((_, step) =>
      senders.map((sender) => ({ ...pathOf(sender, profile)[step]!, step: "path" })),
    );
    await saturate(
      run,
      "path",
      paths,
      stepsOf(profile).length * budget(least, shares.path),
      options,
      outcome,
    );
    outcome.values["rate"] = outcome.values["rate_path"]!;
  }
  await atRates(run, options, budget(least, options.stages.length > 0 ? 1 : shares.fixed), outcome);
  const short = run.figures.steps.filter(
    ({ step, expected }) => step !== allSteps && expected.count < wantedAnswers,
  );
  if (short.length > 0) {
    const [{ step, expected }] = short as [(typeof short)[0]];
    const raises = options.stages.length > 0 ? "longer --stages raise" : "--seconds or --accounts raises";
    outcome.warnings.push(
      `p99 needs ${wantedAnswers} expected answers to be trusted: ${short.map((figures) => figures.step).join("; ")} had fewer (${step}: ${expected.count}); ${raises} that`,
    );
  }
  return soFarJudged();
}

type Growing = Required<Pick<Outcome, "notes" | "warnings" | "values" | "phases">>;

/** Sends requests as fast as the connections allow; `maxAnswers` end it early. */
async function saturate(
  { share, say, figures, clock }: LoadRun,
  name: string,
  requests: Planned[],
  maxAnswers: number,
  { connections, seconds, cpu }: Throughput,
  { notes, values, phases }: Growing,
): Promise<void> {
  say(`${name}: as fast as it goes`);
  const cpuSeconds = cpuReader(cpu);
  const before = { answers: figures.answers, expected: figures.expected, busyMs: figures.busyMs };
  const cpuBefore = await cpuSeconds?.();
  const from = clock.now();
  let took = 0;
  const part = { kind: "closed", requests, concurrentRequests: connections } as const;
  const answered = (): number => figures.answers - before.answers;
  const left = (): number => maxAnswers - answered();
  const go = async (lasting: number): Promise<void> => {
    const most = left();
    took += (await share({ ...part, seconds: lasting, maxAnswers: most === Infinity ? null : most })).seconds;
  };
  await go(seconds ?? 5);
  while (seconds === null && took < maxSeconds && answered() < wantedAnswers && left() > 0) await go(5);
  phases.push({
    name,
    from,
    to: clock.now(),
    connections,
    under_way: (figures.busyMs - before.busyMs) / (1000 * took),
  });
  const answers = answered();
  const expected = figures.expected - before.expected;
  const cpuMs =
    cpuSeconds !== null && answers > 0 ? (1000 * ((await cpuSeconds()) - cpuBefore!)) / answers : null;
  const each = cpuMs === null ? "" : `, ${cpuMs.toFixed(2)} ms of the server's CPU time each`;
  const cut = answers >= maxAnswers ? "; the quotas of the accounts ended it" : "";
  const rate = expected / took;
  const others = answers > expected ? `; ${counted(answers - expected, "other answer")}` : "";
  values[`rate_${name}`] = rate;
  if (cpuMs !== null) values[`cpu_ms_${name}`] = cpuMs;
  notes.push(
    `${name}: ${rate.toFixed(0)} expected answers a second over ${took.toFixed(1)} s${others}${each}${cut}`,
  );
}

/** Sends paths at given rates, at most `maxPaths` of them. */
async function atRates(
  run: LoadRun,
  { seconds, rate, stages }: Throughput,
  maxPaths: number,
  { notes, warnings, phases }: Growing,
): Promise<void> {
  const { leases, profile, clock, figures } = run;
  const lasting = Math.min(seconds ?? 5, maxPaths / rate);
  const planned = stages.length > 0 ? stages : steady(rate, lasting);
  const { total } = scheduleOf(planned);
  const words = stages.length > 0 ? "in stages" : `${rate}/s`;
  if (stages.length === 0 && lasting < (seconds ?? 5))
    notes.push(
      `the quotas of ${leases.length} accounts allow ${rate} paths a second for ${lasting.toFixed(1)} s`,
    );
  if (stages.length > 0 && total > maxPaths)
    warnings.push(
      `${total} paths are more than the quotas of ${leases.length} accounts allow in a window: expect 429`,
    );
  run.say(`the path ${words}`);
  const suffix = `, ${words}`;
  const paths = sendersOf(leases).map((sender) => pathOf(sender, profile, suffix));
  const before = figures.expected;
  const from = clock.now();
  const { leftOut } = await run.share({ kind: "open", paths, stages: planned, suffix });
  phases.push({ name: `path${suffix}`, from, to: clock.now() });
  if (leftOut > 0)
    warnings.push(
      `${leftOut} of ${total} paths were not begun, because too many were under way: the server cannot keep up`,
    );
  if (stages.length > 0)
    notes.push(`${total} paths in stages: ${counted(figures.expected - before, "expected answer")}`);
}
