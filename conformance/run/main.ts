import { once } from "node:events";
import { jsonText } from "../../base/described.ts";
import { WrongUse } from "../../base/exit.ts";
import { verb } from "../../base/verb.ts";
import { requireWritable, writeFiles } from "../../base/write.ts";
import { agentFinding } from "../report/agent.ts";
import { hashesOf } from "../report/hashes.ts";
import { judgeAgain, readReport } from "../report/judge-again.ts";
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
import { reportOf, shellWord, type Report } from "../report/report.ts";
import { requirementsOf, setAsideNewer } from "../report/requirements.ts";
import { paintFor } from "../../base/paint.ts";
import { traceOf } from "../report/trace.ts";
import { defaultProfile, readProfile, type Profile } from "../server/profile.ts";
import { rules as allRules } from "../suite/rules.ts";
import { saved, selected, wrongIn } from "./earlier-report.ts";
import { flags, type ConformanceFlags } from "./flags.ts";
import { judgedBy, limitsOf } from "./judged.ts";
import { planOf, planText, standIn } from "./plan.ts";
import { publish } from "./publish.ts";
import { serverIsBack, watch } from "./watch.ts";

export default verb({
  flags,
  about: `Checks a server against the contract, over HTTP, as a black box. Without --base-url and --profile it starts the reference
server and checks that.`,
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
    const given = await givenProfile(flags);
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

/**
 * Judges the profile's server and writes the reports that the flags request.
 * @returns the exit status
 */
export const conformance = async (profile: Profile, flags: ConformanceFlags): Promise<number> =>
  flags.watch ? watched(profile, flags) : (await judgedOnce(profile, flags)).status;

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
  const release = flags.requirements ?? profile.requirements;
  const requirements = release === undefined ? undefined : requirementsOf(release);
  const judged = await judgedBy(profile, flags, known);
  if (requirements !== undefined) setAsideNewer(judged, requirements);
  judgedByList(judged.findings, profile.known_failures);
  const today = dayOf(Date.now());
  const listed = flags.updateKnown ? knownOf(judged, known, Date.now()) : known;
  if (flags.updateKnown) await writeFiles([[flags.known, () => knownText(listed)]]);
  judgedByFile(judged, listed, today);
  const against = base && judgedAgainst(judged, base, hashesOf(profile), isLimited(flags));
  const trace = flags.replay.length === 0 ? flags.trace : "all";
  const report = {
    ...reportOf(judged, profile, trace),
    again: againOf(flags),
    ...partOf(flags),
    ...(release !== undefined && { requirements: release }),
    ...(against !== undefined && { base: against }),
  };
  if (flags.replay.length > 0) console.log(report.checks.map((check) => traceOf(check, paint)).join("\n"));
  const status = await publish(report, flags);
  return { status: judged.interrupted ? interrupted : status, report };
}

/** The profile of the user's own server, if one is named. */
async function givenProfile({ profile, baseUrl }: ConformanceFlags): Promise<Profile | undefined> {
  if (profile !== undefined) return readProfile(profile, baseUrl);
  return baseUrl === undefined ? undefined : defaultProfile(baseUrl);
}

/** The failures that --known lists. @throws WrongUse */
function knownBy({ known, updateKnown }: ConformanceFlags): Promise<KnownFailure[]> {
  if (known !== undefined) return updateKnown ? knownBefore(known) : readKnown(known);
  if (updateKnown) throw new WrongUse("--update-known needs --known FILE, the list to write");
  return Promise.resolve([]);
}

/** The exit status after Ctrl-C, as shells have it. */
const interrupted = 130;

/** The flags that leave out a part of the suite, as the caller wrote them. */
function partOf(flags: ConformanceFlags): Pick<Report, "part"> {
  // These replace --only by the ids that they select.
  const only = flags.failed === undefined && flags.verify === undefined ? flags.only : [];
  const named = [
    ...only.map((name) => `--only ${shellWord(name)}`),
    ...flags.replay.map((name) => `--replay ${shellWord(name)}`),
    ...(["failed", "verify", "maxRequests", "budget"] as const).flatMap((name) =>
      flags[name] === undefined ? [] : [`${spelled(name)} ${shellWord(String(flags[name]))}`],
    ),
    ...(["fast", "failFast", "readOnly"] as const).flatMap((name) => (flags[name] ? [spelled(name)] : [])),
  ];
  return named.length === 0 ? {} : { part: named.join(" ") };
}

/** Whether a run may stop short of what it was asked to verify. */
const isLimited = ({ readOnly, maxRequests, budget, failFast }: ConformanceFlags): boolean =>
  readOnly || failFast || maxRequests !== undefined || budget !== undefined;

/** The key of a flag as it is written on a command line. */
const spelled = (key: string): string => `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** The flags that select the same server and profile again. */
const againOf = (flags: ConformanceFlags): string =>
  [
    ...(flags.baseUrl === undefined ? [] : [`--base-url ${shellWord(flags.baseUrl)}`]),
    ...(flags.profile === undefined ? [] : [`--profile ${shellWord(flags.profile)}`]),
  ].join(" ");

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

/** Prints what judging the profile's server would take, without a request to it. */
async function plan(profile: Profile, flags: ConformanceFlags): Promise<number> {
  const { demo } = await import("./demo/demo.ts");
  const judged = await demo((reference) => judgedBy(standIn(reference, profile), flags));
  const plan = planOf(profile.base_url, judged, limitsOf(flags), flags.concurrency);
  console.log(planText(plan));
  await writeFiles([[flags.json, () => jsonText("plan", plan)]]);
  return 0;
}
