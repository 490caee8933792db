#!/usr/bin/env node
import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { parseArgs } from "node:util";
import { exitingWith } from "../conformance/main.ts";
import { limitedOperations } from "../conformance/judge/operations.ts";
import { paintFor, progress } from "../conformance/report/terminal.ts";
import { defaultProfile, readProfile, type Profile } from "../conformance/subject/profile.ts";
import { WrongUse } from "../conformance/judge/verdict.ts";
import { machineClock, type Clock } from "./clock.ts";
import { htmlReport } from "./report/html.ts";
import { loadStatus, reportOf, type LoadReport } from "./report/load-report.ts";
import { terminalReport } from "./report/terminal.ts";
import { live } from "./live.ts";
import { loadRun } from "./run.ts";
import { measuredBy, perform, scenarios, type Options, type Scenario } from "./scenarios/index.ts";
import { hold, parseThreshold, type Threshold } from "./thresholds.ts";

export const usage = `Loads a server of the contract, and judges every answer.

  npm run load -- SCENARIO --base-url URL        loads a server of yours; URL ends in /api/v1
  npm run load -- SCENARIO                       loads the reference server, started for the purpose

  rate-limits    exactly the quota, over all keys of an account, no other account's, as the headers say
  throughput     how many answers a second, and how late, of each step of the agent path and of the whole
  billing        storms of calls, then every credit is accounted for
  soak           a steady rate for a long time: does it grow slower, or larger?

  --profile FILE     what your server is and has: credentials, tools, quotas (YAML)
  --only OPERATION   rate-limits: discover, inspect, probe or call; can be given several times
  --seconds N        how long each part of throughput (5), or a soak (300), lasts
  --rate N           requests a second: the open loop of throughput, beside the saturating one (50); soak (20)
  --connections N    connections of a saturating load (16)
  --accounts N       accounts that share a load, so that each keeps its quota (8)
  --workers N        processes that send in throughput (1)
  --calls N          calls of a billing storm, for each account (60)
  --memory-url URL   soak: answers {"rss": BYTES} or a Prometheus process_resident_memory_bytes line
  --expect CONDITION "p99<50ms", "p50(discover)<=20ms", "errors=0", "rate>=500"; can be given several times
  --json FILE  --html FILE
                     where the reports go

Exit status: 0 nothing failed, 1 the server failed an obligation or a condition was not met, 2 wrong use, 3 the server
could not be reached, 4 an error of the harness's own.
`;

const flags = {
  "base-url": { type: "string" },
  profile: { type: "string" },
  only: { type: "string", multiple: true },
  seconds: { type: "string" },
  rate: { type: "string" },
  connections: { type: "string", default: "16" },
  accounts: { type: "string", default: "8" },
  workers: { type: "string", default: "1" },
  calls: { type: "string", default: "60" },
  "memory-url": { type: "string" },
  expect: { type: "string", multiple: true },
  json: { type: "string" },
  html: { type: "string" },
  help: { type: "boolean", short: "h", default: false },
} as const;

export interface Command {
  scenario: Scenario;
  options: Options;
  thresholds: Threshold[];
  baseUrl: string | undefined;
  profile: string | undefined;
  json: string | undefined;
  html: string | undefined;
}

/** @throws WrongUse naming what is wrong with the command line, and what would be right */
export function parseCommand(argv: readonly string[]): Command | "help" {
  const parsed = parse(argv);
  const { values } = parsed;
  if (values.help) return "help";
  // Conditions may follow one --expect in a row.
  const [scenario, ...more] = parsed.positionals;
  const conditions = values.expect === undefined ? [] : more;
  if (
    scenario === undefined ||
    more.length > conditions.length ||
    !(scenarios as readonly string[]).includes(scenario)
  ) {
    throw new WrongUse(
      `${scenario === undefined ? "no scenario is given" : `${parsed.positionals.join(" ")} is no scenario`}; there are ${scenarios.join(", ")}\n\n${usage}`,
    );
  }
  const number = (
    name: "seconds" | "rate" | "connections" | "accounts" | "workers" | "calls",
  ): number | undefined => {
    const text = values[name];
    if (text === undefined) return undefined;
    const value = Number(text);
    const whole = name !== "seconds" && name !== "rate";
    if (!(value > 0) || !Number.isFinite(value) || (whole && !Number.isInteger(value))) {
      throw new WrongUse(`--${name} ${text} is no ${whole ? "whole " : ""}number above 0`);
    }
    return value;
  };
  const only = values.only ?? [...limitedOperations];
  for (const operation of only) {
    if (!(limitedOperations as readonly string[]).includes(operation)) {
      throw new WrongUse(`--only ${operation} is none of ${limitedOperations.join(", ")}`);
    }
  }
  const address = values["base-url"];
  if (address !== undefined && !/^https?:\/\/[^/]/.test(address)) {
    throw new WrongUse(
      `--base-url ${address} is no http or https address, such as http://127.0.0.1:8080/api/v1`,
    );
  }
  return {
    scenario: scenario as Scenario,
    options: {
      operations: only as Options["operations"],
      seconds: number("seconds") ?? (scenario === "soak" ? 300 : 5),
      rate: number("rate") ?? (scenario === "soak" ? 20 : 50),
      connections: number("connections")!,
      accounts: number("accounts")!,
      workers: number("workers")!,
      calls: number("calls")!,
      memoryUrl: values["memory-url"] ?? null,
    },
    thresholds: [...(values.expect ?? []), ...conditions].map((text) =>
      parseThreshold(text, measuredBy[scenario as Scenario]),
    ),
    baseUrl: address,
    profile: values.profile,
    json: values.json,
    html: values.html,
  };
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options: flags, strict: true, allowPositionals: true });
  } catch (error) {
    throw new WrongUse(`${(error as Error).message}\n\n${usage}`, { cause: error });
  }
}

/**
 * Loads the server of a profile.
 * @param say is told what is being done
 * @param clock the time to go by; another one than the machine's only where the server goes by it too
 */
export async function load(
  profile: Profile,
  { scenario, options, thresholds }: Pick<Command, "scenario" | "options" | "thresholds">,
  say: (text: string) => void = () => undefined,
  clock: Clock = machineClock,
): Promise<LoadReport> {
  const startedAt = new Date();
  const accounts = scenario === "rate-limits" ? 2 : options.accounts;
  return loadRun(profile, { accounts, say, clock }, async (run) => {
    const { judgement, figures } = run;
    const line = live(say, run);
    const outcome = await perform(scenario, { ...run, say: line.say }, options).finally(line.stop);
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
      notes: outcome.notes,
      values,
      thresholds: hold(thresholds, figures, values),
      findings,
      steps: figures.steps,
      seconds: figures.seconds,
      windows: outcome.windows ?? null,
      memory: outcome.memory ?? null,
    });
  });
}

/** The command. @returns the exit status */
export async function main(argv: readonly string[]): Promise<number> {
  const command = parseCommand(argv);
  if (command === "help") {
    console.log(usage);
    return 0;
  }
  const { baseUrl, profile } = command;
  // A load may take hours: where its report cannot go is said before.
  await writable("--json", command.json);
  await writable("--html", command.html);
  if (profile !== undefined) return loadAndReport(await readProfile(profile, baseUrl), command);
  if (baseUrl !== undefined) return loadAndReport(defaultProfile(baseUrl), command);
  const { demo } = await import("../conformance/demo/demo.ts");
  return demo((ofDemo) => loadAndReport(ofDemo, command));
}

/** @throws WrongUse when a file cannot be written */
async function writable(flag: string, file: string | undefined): Promise<void> {
  if (file === undefined) return;
  try {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, "", { flag: "a" });
  } catch (error) {
    throw new WrongUse(`${flag} ${file} cannot be written: ${(error as Error).message}`, { cause: error });
  }
}

async function loadAndReport(profile: Profile, command: Command): Promise<number> {
  const line = progress(process.stderr);
  const report = await load(profile, command, line.show);
  line.clear();
  console.log(terminalReport(report, paintFor(process.stdout)));
  const files: [string | undefined, () => string][] = [
    [command.json, () => `${JSON.stringify(report, null, 2)}\n`],
    [command.html, () => htmlReport(report)],
  ];
  for (const [file, content] of files) {
    if (file === undefined) continue;
    await writeFile(file, content());
    console.log(`  written ${file}`);
  }
  return loadStatus(report);
}

if (import.meta.main) await exitingWith(() => main(process.argv.slice(2)));
