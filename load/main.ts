import { bareAddress } from "../base/address.ts";
import { addressFault } from "../base/written.ts";
import {
  address,
  baseUrl,
  chosen,
  number,
  oneOf,
  several,
  share,
  text,
  wait,
  whole,
  wrongValue,
} from "../base/flag.ts";
import { group, verb, type Flags, type Values } from "../base/verb.ts";
import { requireWritable } from "../base/write.ts";
import { onStop, WrongUse } from "../base/exit.ts";
import { limitedOperations } from "../generated/contract.ts";
import { progress } from "../conformance/report/terminal.ts";
import { defaultProfile, readProfile, type Profile } from "../conformance/server/profile.ts";
import { Ended } from "./ended.ts";
import { parseStage, scheduleOf } from "./engine/schedule.ts";
import { parseThreshold } from "./engine/thresholds.ts";
import { load, type Task } from "./load.ts";
import { loadStatus } from "./report/load-report.ts";
import { publish } from "./report/publish.ts";
import { measuredBy, scenarios, sought, usualOptions as usual, type Scenario } from "./scenarios/index.ts";

const shared = {
  baseUrl: baseUrl(),
  profile: text("--profile <FILE>", "describes your server: credentials, tools, quotas (YAML)"),
  wait: wait(),
  expect: several(
    "--expect <CONDITION...>",
    'such as "p99<50ms", "p50(discover)<=20ms", "failed<1%", "429=0", "rate>=500"; several are allowed',
  ),
  abortOn: several(
    "--abort-on <CONDITION...>",
    'ends the load once it is true, such as "failed>10" or "p99>2s", with status 1',
  ),
  json: text("--json <FILE>", "writes the report as JSON"),
  html: text("--html <FILE>", "writes the report as an HTML page"),
  junit: text("--junit <FILE>", "writes findings and conditions as JUnit XML"),
  prometheus: whole("--prometheus <PORT>", "serves the figures to Prometheus while the load runs"),
  otlp: address("--otlp <URL>", "sends the figures to an OTLP collector", "http://127.0.0.1:4318/v1/metrics"),
};

/** @throws WrongUse for anything but an http or https address */
function oneAddress(text: string, name: string): string {
  const right = addressFault(text, "http://127.0.0.1:8081/api/v1");
  return right === null ? bareAddress(text) : wrongValue(name, right, text);
}

const maxWorkers = 256;
const trialSeconds = 5;
const some = {
  only: several(
    "--only <OPERATION>",
    "discover, inspect, probe or call; can be given several times",
    (text, name) => chosen(name, text, limitedOperations),
  ),
  connections: whole("--connections <N>", "connections of a saturating load").or(usual.connections),
  accounts: whole(
    "--accounts <N>",
    `accounts that share the load, so that each keeps its quota (default: ${usual.accounts})`,
  ),
  also: several("--also <URL...>", "further base URLs of the same server, used in turn", oneAddress),
  workers: whole("--workers <N>", `sending processes (default: ${usual.workers})`, { most: maxWorkers }),
};

/** The flags of each scenario. Words that a scenario does not know are refused. */
const flags = {
  "rate-limits": { ...shared, only: some.only, also: some.also },
  throughput: {
    ...shared,
    seconds: number("--seconds <N>", "duration of each part (default: enough for a p99, 5 to 30)"),
    rate: number("--rate <N>", `paths per second, four requests each (default: ${usual.rate})`),
    stages: several(
      "--stages <TIME:RATE...>",
      "the rate over time instead, such as 30s:200 1m:200 10s:0",
      parseStage,
    ),
    connections: some.connections,
    accounts: some.accounts,
    workers: some.workers,
    pid: whole("--pid <PID>", "the server's process on this machine, to measure its CPU time per response"),
    metricsUrl: address(
      "--metrics-url <URL>",
      "the same from a Prometheus process_cpu_seconds_total line",
      "http://127.0.0.1:9090/metrics",
    ),
  },
  billing: {
    ...shared,
    calls: whole("--calls <N>", "calls per account in a storm").or(usual.calls),
    connections: some.connections,
    accounts: some.accounts,
  },
  history: {
    ...shared,
    calls: whole("--calls <N>", "calls per account").or(usual.calls),
    connections: some.connections,
    accounts: whole("--accounts <N>", "accounts used at the same time").or(2),
    also: some.also,
    lost: share(
      "--lost <SHARE>",
      "share, from 0 to 1, of the responses that the client does not wait for",
    ).or(usual.lost),
    seed: whole("--seed <N>", "repeats the choices of an earlier run", { least: 0 }),
  },
  soak: {
    ...shared,
    seconds: number("--seconds <N>", "duration").or(300),
    rate: number("--rate <N>", "paths per second, four requests each").or(20),
    accounts: some.accounts,
    workers: some.workers,
    memoryUrl: address(
      "--memory-url <URL>",
      'answers {"rss": BYTES} or a Prometheus process_resident_memory_bytes line',
      "http://127.0.0.1:9090/metrics",
    ),
  },
  limits: {
    ...shared,
    find: oneOf(
      "--find <WHAT>",
      "quota: the quotas and windows; rate: the highest rate that keeps --expect",
      sought,
    ).or("quota"),
    only: some.only,
    seconds: number("--seconds <N>", `duration of each trial of a rate (default: ${trialSeconds})`),
    accounts: some.accounts,
    workers: some.workers,
  },
} satisfies Record<Scenario, Flags>;

/** Flags that have no use with another one, or without it. */
const idle = {
  "with --find rate": ["only"],
  "without --find rate": ["seconds", "accounts", "workers"],
  "with --stages": ["seconds", "rate"],
} as const;

type Given = Values<typeof shared> &
  Partial<
    Values<typeof some> &
      Values<(typeof flags)["throughput"]> &
      Values<(typeof flags)["billing"]> &
      Values<(typeof flags)["history"]> &
      Values<(typeof flags)["soak"]> &
      Values<(typeof flags)["limits"]>
  >;

/** @throws WrongUse naming the fault of a flag, and what would be right */
export function taskOf(scenario: Scenario, given: Given): Task {
  const { only = [], stages = [], find = "quota", pid, metricsUrl } = given;
  const expected = given.expect.map((condition) => parseThreshold(condition, measuredBy[scenario]));
  const seeksRate = scenario === "limits" && find === "rate";
  const context = seeksRate
    ? "with --find rate"
    : scenario === "limits"
      ? "without --find rate"
      : stages.length > 0 && "with --stages";
  const useless = context && idle[context].find((name) => [given[name] ?? []].flat().length > 0);
  if (useless) throw new WrongUse(`--${useless} has no use ${context}.`);
  if (seeksRate && expected.length === 0)
    throw new WrongUse(
      '--find rate needs --expect, such as --expect "p99<50ms": the condition that the rate must keep.',
    );
  if (stages.length > 0 && scheduleOf(stages).seconds === 0)
    throw new WrongUse("--stages needs a stage that lasts, such as 30s:200.");
  return {
    scenario,
    options: {
      operations: only.length > 0 ? only : limitedOperations,
      seconds: given.seconds ?? (seeksRate ? trialSeconds : null),
      rate: given.rate ?? usual.rate,
      stages,
      connections: given.connections ?? usual.connections,
      accounts: given.accounts ?? usual.accounts,
      workers: given.workers ?? usual.workers,
      calls: given.calls ?? usual.calls,
      also: given.also ?? [],
      seed: given.seed ?? null,
      lost: given.lost ?? usual.lost,
      memoryUrl: given.memoryUrl ?? null,
      cpu: { pid, metricsUrl },
      find,
      conditions: seeksRate ? expected : [],
    },
    waitSeconds: given.wait,
    thresholds: seeksRate ? [parseThreshold("rate>0", ["rate"])] : expected,
    abortOn: given.abortOn.map((condition) => parseThreshold(condition, [], "--abort-on")),
  };
}

/** The reports that flags ask for. */
type Reports = Partial<Pick<Given, "json" | "html" | "junit" | "prometheus" | "otlp">>;

/** Loads a server and writes the reports, also if a signal ends it early. @returns the exit status */
async function loadAndReport(profile: Profile, task: Task, reports: Reports): Promise<number> {
  const line = progress(process.stderr);
  const stop = new AbortController();
  const listenNoMore = onStop(() => stop.abort(new Ended("interrupt", "interrupted")));
  const { exporting } = await import("./metrics.ts");
  const exported = await exporting(reports, task.scenario);
  try {
    const report = await load(profile, task, { say: line.show, stop, watch: exported.watch });
    line.clear();
    await publish(report, reports);
    return loadStatus(report);
  } finally {
    line.clear();
    listenNoMore();
    await exported.close();
  }
}

const scenario = (name: Scenario) =>
  verb({
    flags: flags[name] as Flags,
    about: "Without --base-url and --profile it starts the reference server and loads that.",
    async run(values) {
      const given = values as Given;
      const task = taskOf(name, given);
      // A load may take hours, so a report path that cannot be written is refused first.
      await requireWritable(given.json, given.html, given.junit);
      const { baseUrl, profile } = given;
      if (profile !== undefined) return loadAndReport(await readProfile(profile, baseUrl), task, given);
      if (baseUrl !== undefined) return loadAndReport(defaultProfile(baseUrl), task, given);
      const { demo } = await import("../conformance/run/demo/demo.ts");
      return demo((ofDemo) => loadAndReport(ofDemo, task, given));
    },
  });

/** The command line of a scenario, as a task; undefined after help was printed. @throws WrongUse */
export function readTask(name: Scenario, argv: readonly string[]): Task | undefined {
  const given = scenario(name).read(argv) as Given | undefined;
  return given && taskOf(name, given);
}

const abouts: Readonly<Record<Scenario, string>> = {
  "rate-limits":
    "checks that each quota is exact, shared by the keys of one account only, and as the headers say",
  throughput: "responses per second and latencies, for each step of the agent path and for the whole",
  billing: "storms of calls, then every credit is accounted for",
  history: "concurrent writers and readers, then their responses are checked against one order of events",
  soak: "a steady rate for a long time: does the server get slower, or larger?",
  limits:
    "finds the quotas and windows of a server that declares none, or the highest rate that keeps a condition",
};

export default group(
  {
    ...Object.fromEntries(scenarios.map((name) => [name, [abouts[name], scenario(name)] as const])),
    merge: ["one report from those of several machines", () => import("./merge.ts")],
  },
  "Load tests a server of the contract, and checks every response.",
);
