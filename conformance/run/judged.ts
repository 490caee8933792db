import { onStop } from "../../base/exit.ts";
import type { Finding, Run } from "../judge/finding.ts";
import { pinnedRules } from "../judge/observer.ts";
import type { KnownFailure } from "../report/known.ts";
import { progress } from "../report/terminal.ts";
import type { Limits } from "../server/allowance.ts";
import type { Profile } from "../server/profile.ts";
import { checks as allChecks } from "../suite/checks.ts";
import { questions } from "../suite/questions.ts";
import { observers } from "../suite/readings.ts";
import { rules as allRules } from "../suite/rules.ts";
import type { ConformanceFlags } from "./flags.ts";
import { run } from "./run.ts";
import { select } from "./select.ts";

/** How long a server that listens again may take to answer. */
const startSeconds = 30;

/** Runs what the flags select, with progress on a terminal. Ctrl-C ends it early, with a report of what was done. */
export async function judgedBy(
  profile: Profile,
  flags: ConformanceFlags,
  known: KnownFailure[] = [],
): Promise<Run> {
  const line = flags.quiet ? silent : progress(process.stderr);
  const stop = new AbortController();
  const listenNoMore = onStop(() => stop.abort());
  const rules = [...allRules, ...pinnedRules(profile.readings, observers)];
  const chosen = select(allChecks, rules, flags.replay.length === 0 ? flags.only : flags.replay);
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
      mustPay: true,
      failFast: flags.failFast,
      scripts: flags.replay.length > 0,
      waitForServerSeconds: flags.waitForServer ?? (flags.watch ? startSeconds : undefined),
      waitSeconds: flags.wait,
      onWait: (what) => line.show(what),
      limits: { ...limitsOf(flags), signal: stop.signal },
      onFinding: (finding, done, total) => line.show(`${done} of ${total}  ${finding.title}`),
    });
    // Rules cost nothing: an area also reports what the rules of others find; a clause or a check does not.
    const isArea = flags.replay.length === 0 && flags.only.some((name) => !name.includes("-"));
    const isShown = ({ id, verdict }: Finding): boolean =>
      isChosen.has(id) || (isArea && (verdict === "fail" || verdict === "warn"));
    return { ...judged, findings: judged.findings.filter(isShown) };
  } finally {
    listenNoMore();
    line.clear();
  }
}

const silent = { show: (): void => undefined, clear: (): void => undefined };

/** What the flags allow a run to send. */
export const limitsOf = (flags: ConformanceFlags): Limits => ({
  ...flags,
  givenAccounts: flags.accounts === "given",
});
