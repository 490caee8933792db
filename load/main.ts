import { address, baseUrl, chosen, number, several, text, wait, whole } from "../cli/flag.ts";
import { jsonText } from "../cli/described.ts";
import { verb, type Values } from "../cli/verb.ts";
import { writeFiles, written } from "../cli/write.ts";
import { limitedOperations } from "../generated/contract.ts";
import { paintFor, progress } from "../conformance/report/terminal.ts";
import { defaultProfile, readProfile, type Profile } from "../conformance/server/profile.ts";
import { machineClock, type Clock } from "./clock.ts";
import { htmlReport } from "./report/html.ts";
import { loadStatus, reportOf, type LoadReport } from "./report/load-report.ts";
import { terminalReport } from "./report/terminal.ts";
import { live } from "./live.ts";
import { Unreachable, WrongUse } from "../cli/exit.ts";
import { Blocked, Unmet, Unverifiable } from "../conformance/judge/verdict.ts";
import { Secrets } from "../conformance/server/secrets.ts";
import { Figures } from "./figures.ts";
import { Judgement } from "./judgement.ts";
import type { Outcome } from "./outcome.ts";
import { loadRun } from "./run.ts";
import { measuredBy, perform, scenarios, type Options, type Scenario } from "./scenarios/index.ts";
import { hold, parseThreshold, type Threshold } from "./thresholds.ts";

const flags = {
  baseUrl: baseUrl(),
  profile: text("--profile <FILE>", "describes your server: credentials, tools, quotas (YAML)"),
  only: several(
    "--only <OPERATION>",
    "rate-limits: discover, inspect, probe or call; can be given several times",
    (given, name) => chosen(name, given, limitedOperations),
  ),
  seconds: number("--seconds <N>", "duration of each part of throughput (5), or of a soak (300)"),
  rate: number("--rate <N>", "requests per second in the open loop of throughput (50), or in a soak (20)"),
  connections: whole("--connections <N>", "connections of a saturating load").or(16),
  accounts: whole("--accounts <N>", "accounts that share a load, so that each keeps its quota").or(8),
  workers: whole("--workers <N>", "sending processes in throughput").or(1),
  calls: whole("--calls <N>", "calls per account in a billing storm").or(60),
  memoryUrl: address(
    "--memory-url <URL>",
    'soak: answers {"rss": BYTES} or a Prometheus process_resident_memory_bytes line',
    "http://127.0.0.1:9090/metrics",
  ),
  pid: whole(
    "--pid <PID>",
    "throughput: the server's process on this machine, to tell its CPU time for an answer",
  ),
  metricsUrl: address(
    "--metrics-url <URL>",
    "throughput: the same from a Prometheus process_cpu_seconds_total line",
    "http://127.0.0.1:9090/metrics",
  ),
  wait: wait(),
  expect: several(
    "--expect <CONDITION...>",
    'such as "p99<50ms", "p50(discover)<=20ms", "errors=0", "rate>=500"; several are allowed',
  ),
  json: text("--json <FILE>", "writes the report as JSON"),
  html: text("--html <FILE>", "writes the report as an HTML page"),
};

/** The options of a load. */
export interface Task {
  scenario: Scenario;
  options: Options;
  thresholds: Threshold[];
  /** The budget of waiting before the load; ten minutes by default. */
  waitSeconds?: number | undefined;
}

/** @throws WrongUse naming the fault of the scenario or condition, and what would be right */
export function taskOf(given: Values<typeof flags> & { scenario: string }): Task {
  const scenario = chosen("SCENARIO", given.scenario, scenarios);
  const {
    only,
    seconds,
    rate,
    connections,
    accounts,
    workers,
    calls,
    memoryUrl = null,
    pid,
    metricsUrl,
    expect,
    wait: waitSeconds,
  } = given;
  const isSoak = scenario === "soak";
  return {
    scenario,
    options: {
      operations: only.length > 0 ? only : limitedOperations,
      seconds: seconds ?? (isSoak ? 300 : 5),
      rate: rate ?? (isSoak ? 20 : 50),
      connections,
      accounts,
      workers,
      calls,
      memoryUrl,
      cpu: { pid, metricsUrl },
    },
    waitSeconds,
    thresholds: expect.map((condition) => parseThreshold(condition, measuredBy[scenario])),
  };
}

/**
 * Loads the server of a profile.
 * @param say reports progress
 * @param clock differs from the machine's only if the server uses the same clock
 */
export async function load(
  profile: Profile,
  { scenario, options, thresholds, waitSeconds }: Task,
  say: (text: string) => void = () => undefined,
  clock: Clock = machineClock,
): Promise<LoadReport> {
  const startedAt = new Date();
  const accounts = scenario === "rate-limits" ? 2 : options.accounts;
  const secrets = new Secrets();
  const judgement = new Judgement(secrets);
  const figures = new Figures();
  let versionNote: string | null = null;
  const given = { accounts, say, clock, waitSeconds, secrets, judgement, figures };
  const outcome = await loadRun(profile, given, (run) => {
    versionNote = run.versionNote;
    const line = live(say, run);
    return perform(scenario, { ...run, say: line.say }, options).finally(line.stop);
  }).catch((error: unknown) => endedBy(error, judgement));
  judgement.judgeUnanswered(figures);
  const { findings } = judgement;
  const values = { ...outcome.values, findings: findings.length };
  return reportOf({
    scenario,
    target: profile.base_url,
    started_at: startedAt.toISOString(),
    duration_ms: Date.now() - startedAt.getTime(),
    judged: judgement.judged,
    answers: figures.answers,
    errors: figures.errors,
    version_note: versionNote,
    notes: outcome.notes,
    values,
    thresholds: hold(thresholds, figures, values),
    findings,
    steps: figures.steps,
    seconds: figures.seconds,
    windows: outcome.windows ?? null,
    memory: outcome.memory ?? null,
  });
}

/**
 * Records the answer without which the load cannot go on as a fault of the server.
 * @throws WrongUse or Unreachable if the load lacks something else; any other error as it is
 */
function endedBy(error: unknown, judgement: Judgement): Outcome {
  if (error instanceof Unverifiable) {
    // What is missing may be missing because of the faults that were seen.
    if (judgement.findings.some(({ verdict }) => verdict === "fail"))
      return { notes: [error.message], values: {} };
    if (error.remedy === undefined) throw new Unreachable(error.message);
    throw new WrongUse(`${error.message}; a profile gives it: ${error.remedy}`);
  }
  if (!(error instanceof Blocked || error instanceof Unmet)) throw error;
  judgement.find({
    name: "unusable answer",
    clauses: [],
    title: "the load can use what the server answers",
    expected: error instanceof Unmet ? error.expected : "an answer that the load can use",
    received: error instanceof Unmet ? error.received : error.message,
    exchanges: error.exchange === undefined ? [] : [error.exchange],
  });
  return { notes: ["an answer that the load cannot use has ended it"], values: {} };
}

/** Loads a server and writes the reports. @returns the exit status */
async function loadAndReport(
  profile: Profile,
  task: Task,
  reports: { json?: string | undefined; html?: string | undefined },
): Promise<number> {
  const line = progress(process.stderr);
  const report = await load(profile, task, line.show);
  line.clear();
  console.log(terminalReport(report, paintFor(process.stdout)));
  await writeFiles([
    [reports.json, () => jsonText("load", report)],
    [reports.html, () => htmlReport(report)],
  ]);
  return loadStatus(report);
}

export default verb({
  flags,
  takes: { scenario: scenarios.join(", ") },
  about: `Loads a server of the contract, and judges every answer. Without --base-url and --profile it starts the reference
server and loads that.

  rate-limits  checks that the quota is exact, shared by the keys of an account alone, and as the headers say
  throughput   answers per second and latencies, for each step of the agent path and for the whole
  billing      storms of calls, then every credit is accounted for
  soak         a steady rate for a long time: does the server get slower, or larger?`,
  async run(given) {
    const { baseUrl, profile, json, html } = given;
    const task = taskOf(given);
    // A load may take hours, so a report path that cannot be written is refused first.
    for (const file of [json, html]) if (file !== undefined) await written(file, "", "a");
    if (profile !== undefined) return loadAndReport(await readProfile(profile, baseUrl), task, given);
    if (baseUrl !== undefined) return loadAndReport(defaultProfile(baseUrl), task, given);
    const { demo } = await import("../conformance/run/demo/demo.ts");
    return demo((ofDemo) => loadAndReport(ofDemo, task, given));
  },
});
