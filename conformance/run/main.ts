import { once } from "node:events";
import { appendFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";
import { jsonText } from "../../base/described.ts";
import { baseUrl, number, oneOf, several, text, wait, whole, yes } from "../../base/flag.ts";
import { verb, type Values } from "../../base/verb.ts";
import { requireWritable, writeFiles } from "../../base/write.ts";
import { checks as allChecks } from "../suite/checks.ts";
import { judgeAgain, readReport } from "../report/judge-again.ts";
import { agentFinding, agentPage, causeNamed } from "../report/agent.ts";
import { causesIn, type Cause } from "../report/causes.ts";
import { badge } from "../report/badge.ts";
import { githubAnnotations, githubOutputs, githubSummary } from "../report/github.ts";
import { htmlReport } from "../report/html.ts";
import { junitReport } from "../report/junit.ts";
import { reportOf, shellWord, type Report } from "../report/report.ts";
import { paintFor, progress, terminalReport } from "../report/terminal.ts";
import { traceOf } from "../report/trace.ts";
import { pinnedRules } from "../judge/observer.ts";
import { questions } from "../suite/questions.ts";
import { observers } from "../suite/readings.ts";
import { rules as allRules } from "../suite/rules.ts";
import { exitStatus } from "../report/exit.ts";
import { hashesOf } from "../report/hashes.ts";
import {
  dayOf,
  judgedAgainst,
  judgedByFile,
  judgedByList,
  knownBefore,
  knownOf,
  knownText,
  readKnown,
  type KnownFailure,
} from "../report/known.ts";
import { run } from "./run.ts";
import { select } from "./select.ts";
import { serverIsBack, watch } from "./watch.ts";
import { defaultProfile, readProfile, type Profile } from "../server/profile.ts";
import type { Limits } from "../server/allowance.ts";
import type { Finding, Run } from "../judge/finding.ts";
import { planOf, planText, standIn } from "./plan.ts";
import { onStop, WrongUse } from "../../base/exit.ts";

/** The flags of `conformance`. */
export const flags = {
  baseUrl: baseUrl(),
  profile: text("--profile <FILE>", "what your server is and has: credentials, tools, features (YAML)"),
  only: several("--only <WHAT>", "one area or clause: DISC, CALL-07; can be given several times"),
  replay: text("--replay <CHECK>", "one check, with everything that crossed the wire"),
  fast: yes("--fast", "leave out checks that wait for a rate-limit window to end"),
  strict: yes("--strict", "warnings and unverified checks count as failures"),
  concurrency: whole(
    "--concurrency <N>",
    "checks that run at the same time; 16, or up to 32 where the profile gives as many accounts",
  ),
  github: yes("--github", "annotations for GitHub Actions; the default where GITHUB_ACTIONS is set"),
  judgeAgain: text(
    "--judge-again <FILE>",
    "the rules over the exchanges of an earlier --json report, without a server",
  ),
  trace: oneOf(
    "--trace <WHAT>",
    "whose exchanges the report keeps: failures, or all (FILE.gz where --json says FILE)",
    ["failures", "all"],
  ).or("failures"),
  plan: yes(
    "--plan",
    "send nothing: print what a run would send, cost and leave behind (--json FILE: as JSON)",
  ),
  budget: number(
    "--budget <CREDITS>",
    "the most that Calls may cost together, by the prices that the server names",
  ),
  maxRequests: whole("--max-requests <N>", "the most requests to send"),
  rate: number("--rate <N>", "the most requests a second"),
  readOnly: yes("--read-only", "send nothing that moves credits or changes accounts"),
  failFast: yes("--fail-fast", "end with the first check that fails"),
  failed: text(
    "--failed <FILE>",
    "only what an earlier --json report shows as not right, and what it waits for",
  ),
  watch: yes("--watch", "judge what was not right again, each time the server has been started again"),
  known: text("--known <FILE>", "a list of failures that may stay for a while, with reason and date (YAML)"),
  updateKnown: yes("--update-known", "write what fails now to the file of --known"),
  base: text("--base <FILE>", "the base branch's --json report: what failed there as well is inherited"),
  waitForServer: whole("--wait-for-server <SECONDS>", "wait for a server that is still starting"),
  format: oneOf("--format <FOR>", "who reads what is printed: people, or a coding agent, in few words", [
    "people",
    "agent",
  ]).or("people"),
  show: text("--show <ID>", "one cause of a saved report, in few words (with --report)"),
  verify: text("--verify <ID>", "judge again what belongs to one cause of a saved report (with --report)"),
  report: text("--report <FILE>", "the saved --json report for --show and --verify"),
  quiet: yes("--quiet", "print no progress, and of the report only the counts"),
  accounts: oneOf("--accounts <WHICH>", "given: only those of the profile; any: trial accounts too", [
    "given",
    "any",
  ]).or("any"),
  wait: wait(),
  json: text("--json <FILE>", "where the report goes as JSON"),
  html: text("--html <FILE>", "where the report goes as a page"),
  junit: text("--junit <FILE>", "where the report goes as JUnit XML"),
  badge: text("--badge <FILE>", "where the badge goes (SVG)"),
};

export type ConformanceFlags = Values<typeof flags>;

/**
 * Judges the profile's server and writes the reports that the flags request.
 * @returns the exit status
 */
export const conformance = async (profile: Profile, flags: ConformanceFlags): Promise<number> =>
  flags.watch ? watched(profile, flags) : (await judgedOnce(profile, flags)).status;

/** Judges until nothing is left to fix. */
function watched(profile: Profile, flags: ConformanceFlags): Promise<number> {
  const say = (text: string): void => console.log(text);
  return watch({
    judge: async (only = flags.only) => {
      const { status, report } = await judgedOnce(profile, { ...flags, only: [...only] });
      return { status, wrong: wrongIn(report) };
    },
    changed: async (signal) => {
      signal.addEventListener("abort", () => process.stdin.pause());
      const asked = process.stdin.isTTY
        ? once(process.stdin.resume(), "data", { signal })
        : once(signal, "abort");
      const isOver = asked.catch(() => undefined);
      await serverIsBack(profile.base_url, isOver, () => say("The server is away."));
    },
    say,
  });
}

/** One run, with its reports. */
async function judgedOnce(
  profile: Profile,
  flags: ConformanceFlags,
): Promise<{ status: number; report: Report }> {
  const paint = paintFor(process.stdout);
  await requireWritable(flags.json, flags.html, flags.junit, flags.badge);
  // A file that cannot be read is reported before the run, not after it.
  const base = flags.base === undefined ? undefined : await readReport(flags.base);
  const known = await knownBy(flags);
  const judged = await judgedBy(profile, flags, known);
  judgedByList(judged.findings, profile.known_failures);
  const today = dayOf(Date.now());
  const listed = flags.updateKnown ? knownOf(judged, known, Date.now()) : known;
  if (flags.updateKnown) await writeFiles([[flags.known, () => knownText(listed)]]);
  judgedByFile(judged, listed, today);
  const against = base && judgedAgainst(judged, base, hashesOf(profile).suite);
  const trace = flags.replay === undefined ? flags.trace : "all";
  const report = {
    ...reportOf(judged, profile, trace),
    again: againOf(flags),
    ...(against !== undefined && { base: against }),
  };
  if (flags.replay !== undefined) console.log(report.checks.map((check) => traceOf(check, paint)).join("\n"));
  const status = await publish(report, flags);
  return { status: judged.interrupted ? interrupted : status, report };
}

/** The failures that --known lists. @throws WrongUse */
function knownBy({ known, updateKnown }: ConformanceFlags): Promise<KnownFailure[]> {
  if (known !== undefined) return updateKnown ? knownBefore(known) : readKnown(known);
  if (updateKnown) throw new WrongUse("--update-known needs --known FILE, the list to write");
  return Promise.resolve([]);
}

/** How long a server that listens again may take to answer. */
const startSeconds = 30;

/** The exit status after Ctrl-C, as shells have it. */
const interrupted = 130;

const limitsOf = (flags: ConformanceFlags): Limits => ({
  ...flags,
  givenAccounts: flags.accounts === "given",
});

/** Runs what the flags select, with progress on a terminal. Ctrl-C ends it early, with a report of what was done. */
async function judgedBy(profile: Profile, flags: ConformanceFlags, known: KnownFailure[] = []): Promise<Run> {
  const line = flags.quiet ? silent : progress(process.stderr);
  const stop = new AbortController();
  const listenNoMore = onStop(() => stop.abort());
  const rules = [...allRules, ...pinnedRules(profile.readings, observers)];
  const chosen = select(allChecks, rules, flags.replay === undefined ? flags.only : [flags.replay]);
  // A listed rule of another area is reported too, so that it can leave the list.
  const isChosen = new Set(known.map(({ check }) => check));
  for (const { id } of [...chosen.checks, ...chosen.rules]) isChosen.add(id);
  try {
    const judged = await run(profile, {
      checks: [...chosen.checks, ...chosen.witnesses],
      rules,
      observers,
      questions: chosen.checks.length === allChecks.length ? questions : [],
      concurrency: flags.concurrency,
      fast: flags.fast,
      failFast: flags.failFast,
      waitForServerSeconds: flags.waitForServer ?? (flags.watch ? startSeconds : undefined),
      waitSeconds: flags.wait,
      onWait: (what) => line.show(what),
      limits: { ...limitsOf(flags), signal: stop.signal },
      onFinding: (finding, done, total) => line.show(`${done} of ${total}  ${finding.title}`),
    });
    // Rules cost nothing: an area also reports what the rules of others find; a clause or a check does not.
    const isArea = flags.replay === undefined && flags.only.some((name) => !name.includes("-"));
    const isShown = ({ id, verdict }: Finding): boolean =>
      isChosen.has(id) || (isArea && (verdict === "fail" || verdict === "warn"));
    return { ...judged, findings: judged.findings.filter(isShown) };
  } finally {
    listenNoMore();
    line.clear();
  }
}

const silent = { show: (): void => undefined, clear: (): void => undefined };

/** Prints what judging the profile's server would take, without a request to it. */
async function plan(profile: Profile, flags: ConformanceFlags): Promise<number> {
  const { demo } = await import("./demo/demo.ts");
  const judged = await demo((reference) => judgedBy(standIn(reference, profile), flags));
  const found = planOf(profile.base_url, judged, limitsOf(flags), flags.concurrency);
  console.log(planText(found));
  await writeFiles([[flags.json, () => jsonText("plan", found)]]);
  return 0;
}

/** The flags that select the same server and profile again. */
const againOf = (flags: ConformanceFlags): string =>
  [
    ...(flags.baseUrl === undefined ? [] : [`--base-url ${shellWord(flags.baseUrl)}`]),
    ...(flags.profile === undefined ? [] : [`--profile ${shellWord(flags.profile)}`]),
  ].join(" ");

/** Prints the report and writes it where the flags say. @returns the exit status */
async function publish(report: Report, flags: ConformanceFlags): Promise<number> {
  if (flags.format === "agent") console.log(agentPage(report, flags.json));
  else console.log(terminalReport(report, paintFor(process.stdout), flags.quiet));
  if (flags.github || process.env["GITHUB_ACTIONS"] === "true")
    for (const line of githubAnnotations(report)) console.log(line);
  const text = (): string => jsonText("report", report);
  const status = exitStatus(
    report,
    flags.strict,
    flags.only.length === 0 && flags.replay === undefined && !flags.failFast,
  );
  if (flags.github) await tellGithub(report, status);
  const files = writeFiles([
    flags.json !== undefined && flags.trace === "all"
      ? [`${flags.json.replace(/\.gz$/, "")}.gz`, () => gzipSync(text())]
      : [flags.json, text],
    [flags.html, () => htmlReport(report)],
    [flags.junit, () => junitReport(report)],
    [flags.badge, () => badge(report)],
  ]);
  return files.then(
    () => status,
    (error: unknown) => {
      if (!(error instanceof WrongUse)) throw error;
      console.error(error.message);
      return status === 0 ? 2 : status;
    },
  );
}

/** Adds to the summary and the outputs of the job's step, where a runner names their files. */
async function tellGithub(report: Report, status: number): Promise<void> {
  const { GITHUB_STEP_SUMMARY: summary, GITHUB_OUTPUT: outputs } = process.env;
  if (summary) await appendFile(summary, githubSummary(report));
  if (outputs) await appendFile(outputs, githubOutputs(report, status));
}

/** The ids of an earlier report to run again: what was not right, or one cause, with what waits for it. */
async function selected(flags: ConformanceFlags): Promise<string[]> {
  if (flags.verify !== undefined) {
    const { report, cause } = await saved(flags.verify, flags.report);
    requireServerOf(report, flags);
    return [...new Set([cause.lead, ...cause.checks, ...cause.blocks])];
  }
  if (flags.failed === undefined) return flags.only;
  const report = await readReport(flags.failed);
  requireServerOf(report, flags);
  const wrong = wrongIn(report);
  if (wrong.length === 0) throw new WrongUse(`${flags.failed} shows nothing that is not right`);
  return wrong;
}

/** @throws WrongUse where the reference server would be judged instead of a report's */
function requireServerOf({ again, target }: Report, { baseUrl, profile }: ConformanceFlags): void {
  if (again && baseUrl === undefined && profile === undefined)
    throw new WrongUse(`the report is of ${target}: to judge that again, add ${again}`);
}

/** The ids of the findings that a report shows as not right. */
const wrongIn = (report: Report): string[] => [
  ...new Set(causesIn(report).flatMap(({ checks, blocks }) => [...checks, ...blocks])),
];

/** A cause of a saved report. @throws WrongUse when there is none of this name */
async function saved(name: string, file: string | undefined): Promise<{ report: Report; cause: Cause }> {
  if (file === undefined)
    throw new WrongUse("--show and --verify need --report FILE, a report that --json has written");
  const report = await readReport(file);
  const cause = causeNamed(report, name);
  if (cause === undefined)
    throw new WrongUse(`${name} is not a cause, check or clause of what is wrong in ${file}`);
  return { report, cause };
}

export default verb({
  flags,
  about: `Judges a server by the contract, over HTTP, as a black box. Without --base-url and --profile it starts the reference
server and judges that.`,
  async run(asked) {
    const flags = { ...asked, only: await selected(asked) };
    if (flags.show !== undefined) {
      const { report, cause } = await saved(flags.show, flags.report);
      console.log(agentFinding(report, cause));
      return 0;
    }
    if (flags.judgeAgain !== undefined) {
      return publish(judgeAgain(await readReport(flags.judgeAgain), allRules), flags);
    }
    const given =
      flags.profile !== undefined
        ? await readProfile(flags.profile, flags.baseUrl)
        : flags.baseUrl !== undefined
          ? defaultProfile(flags.baseUrl)
          : undefined;
    if (given !== undefined) return flags.plan ? plan(given, flags) : conformance(given, flags);
    if (flags.plan) throw new WrongUse("--plan is for your own server: give --base-url or --profile");
    const { demo } = await import("./demo/demo.ts");
    return demo((profile) =>
      conformance(profile, {
        ...flags,
        json: flags.json ?? "reports/conformance.json",
        html: flags.html ?? "reports/conformance.html",
        junit: flags.junit ?? "reports/conformance.xml",
      }),
    );
  },
});
