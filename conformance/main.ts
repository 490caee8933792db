#!/usr/bin/env node
import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { parseArgs } from "node:util";
import { checks as allChecks } from "./suite/checks.ts";
import { judgeAgain, readReport } from "./report/judge-again.ts";
import { badge } from "./report/badge.ts";
import { githubAnnotations } from "./report/github.ts";
import { htmlReport } from "./report/html.ts";
import { junitReport } from "./report/junit.ts";
import { reportOf, shellWord, type Report } from "./report/report.ts";
import { paintFor, progress, terminalReport } from "./report/terminal.ts";
import { traceOf } from "./report/trace.ts";
import { rules as allRules } from "./suite/rules.ts";
import { exitStatus, judgedByList } from "./report/exit.ts";
import { run } from "./runner/run.ts";
import { select } from "./runner/select.ts";
import { defaultProfile, readProfile, type Profile } from "./subject/profile.ts";
import { Unreachable, WrongUse } from "./judge/verdict.ts";

export const usage = `Judges a server by the contract, over HTTP, as a black box.

  npm run conformance                            judges the reference server, started for the purpose
  npm run conformance -- --base-url URL          judges a server of yours; URL ends in /api/v1

  --profile FILE     what your server is and has: credentials, tools, features (YAML)
  --only WHAT        one area or clause: DISC, CALL-07; can be given several times
  --replay CHECK     one check, with everything that crossed the wire
  --fast             leaves out what waits for a rate-limit window to end
  --strict           warnings and what is unverified count as failures
  --concurrency N    checks at work at the same time (16)
  --github           annotations for GitHub Actions, as by itself where GITHUB_ACTIONS is set
  --judge-again FILE the rules over the exchanges of an earlier --json report, without a server
  --json FILE  --html FILE  --junit FILE  --badge FILE
                     where the reports go

Exit status: 0 nothing failed, 1 the server failed an obligation, 2 wrong use, 3 the server could not be reached,
4 an error of the suite's own.
`;

const options = {
  "base-url": { type: "string" },
  profile: { type: "string" },
  only: { type: "string", multiple: true },
  replay: { type: "string" },
  fast: { type: "boolean", default: false },
  strict: { type: "boolean", default: false },
  concurrency: { type: "string", default: "16" },
  json: { type: "string" },
  html: { type: "string" },
  junit: { type: "string" },
  badge: { type: "string" },
  github: { type: "boolean", default: process.env["GITHUB_ACTIONS"] === "true" },
  "judge-again": { type: "string" },
  help: { type: "boolean", short: "h", default: false },
} as const;

type Flags = ReturnType<typeof parseFlags>;

/** @throws WrongUse for a flag that is not one, or has no value */
export function parseFlags(argv: readonly string[]) {
  try {
    const { values } = parseArgs({ args: [...argv], options, strict: true });
    const concurrency = Number(values.concurrency);
    if (!Number.isInteger(concurrency) || concurrency < 1) {
      throw new TypeError("--concurrency is a whole number, at least 1");
    }
    return { ...values, concurrency };
  } catch (error) {
    throw new WrongUse(`${(error as Error).message}\n\n${usage}`, { cause: error });
  }
}

/**
 * Judges the server of the profile and writes the reports that the flags ask for.
 * @returns the exit status
 */
export async function conformance(profile: Profile, flags: Flags): Promise<number> {
  const paint = paintFor(process.stdout);
  const line = progress(process.stderr);
  const chosen = select(allChecks, allRules, flags.replay === undefined ? flags.only : [flags.replay]);
  const judged = await run(profile, {
    ...chosen,
    concurrency: flags.concurrency,
    fast: flags.fast,
    onFinding: (finding, done, total) => line.show(`${done} of ${total}  ${finding.title}`),
  });
  line.clear();
  judgedByList(judged.findings, profile.known_failures);
  const report = { ...reportOf(judged, profile), again: againOf(flags) };
  if (flags.replay !== undefined) console.log(report.checks.map((check) => traceOf(check, paint)).join("\n"));
  return publish(report, flags);
}

/** The flags that choose the same server and profile again. */
const againOf = (flags: Flags): string =>
  (["base-url", "profile"] as const)
    .flatMap((name) => (flags[name] === undefined ? [] : [`--${name} ${shellWord(flags[name])}`]))
    .join(" ");

/** Prints the report and writes it wherever the flags want it. @returns the exit status */
async function publish(report: Report, flags: Flags): Promise<number> {
  console.log(terminalReport(report, paintFor(process.stdout)));
  if (flags.github) for (const line of githubAnnotations(report)) console.log(line);
  await write(report, flags);
  return exitStatus(report, flags.strict);
}

async function write(report: Report, flags: Flags): Promise<void> {
  const files: [string | undefined, () => string][] = [
    [flags.json, () => `${JSON.stringify(report, null, 2)}\n`],
    [flags.html, () => htmlReport(report)],
    [flags.junit, () => junitReport(report)],
    [flags.badge, () => badge(report)],
  ];
  for (const [file, content] of files) {
    if (file === undefined) continue;
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content());
    console.log(`  written ${file}`);
  }
}

/** The profile that the flags name. @throws WrongUse when it cannot be used */
export async function profileOf(flags: Flags): Promise<Profile> {
  const address = flags["base-url"];
  if (address !== undefined && !/^https?:\/\/[^/]/.test(address)) {
    throw new WrongUse(
      `--base-url ${address} is no http or https address, such as http://127.0.0.1:8080/api/v1`,
    );
  }
  if (flags.profile !== undefined) return readProfile(flags.profile, address);
  return defaultProfile(address!);
}

const isOfFlags = (error: unknown): error is Error =>
  error instanceof Error && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS");

/** Runs a command and turns what it throws into one sentence and the exit status that it stands for. */
export async function exitingWith(command: () => Promise<number>): Promise<void> {
  try {
    process.exitCode = await command();
  } catch (error) {
    if (error instanceof WrongUse || error instanceof Unreachable) {
      console.error(error.message);
      process.exitCode = error instanceof WrongUse ? 2 : 3;
    } else if (isOfFlags(error)) {
      console.error(`${error.message}. See --help.`);
      process.exitCode = 2;
    } else {
      console.error("The suite itself failed; this says nothing about the server:");
      console.error(error);
      process.exitCode = 4;
    }
  }
}

/** The command. @returns the exit status */
export async function main(argv: readonly string[]): Promise<number> {
  const flags = parseFlags(argv);
  if (flags.help) {
    console.log(usage);
    return 0;
  }
  if (flags["judge-again"] !== undefined) {
    return publish(judgeAgain(await readReport(flags["judge-again"]), allRules), flags);
  }
  if (flags["base-url"] !== undefined || flags.profile !== undefined) {
    return conformance(await profileOf(flags), flags);
  }
  const { demo } = await import("./demo/demo.ts");
  return demo((profile) =>
    conformance(profile, {
      ...flags,
      json: flags.json ?? "reports/conformance.json",
      html: flags.html ?? "reports/conformance.html",
      junit: flags.junit ?? "reports/conformance.xml",
    }),
  );
}

if (import.meta.main) await exitingWith(() => main(process.argv.slice(2)));
