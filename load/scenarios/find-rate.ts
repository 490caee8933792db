import { lawfulRate, pathOf, sendersOf } from "../agent-path.ts";
import { answersFor, Figures } from "../engine/figures.ts";
import { findRate as search, type Trial } from "../engine/find-rate.ts";
import { steady } from "../engine/schedule.ts";
import { hold, isKept, type Threshold } from "../engine/thresholds.ts";
import type { Outcome } from "../outcome.ts";
import { speedQuestions } from "../questions.ts";
import type { LoadRun } from "../run.ts";

/** Paths a second of the first trial, and the most that is tried. */
const firstRate = 10;
const maxRate = 100_000;
/** Share of the quotas to use, so that no account is refused by chance. */
const careful = 0.8;
/** The longest trial, in seconds. */
const maxSeconds = 30;
/** A trial whose own starts are later than this says nothing about the server. */
const maxLateMs = 100;

/** Finds the highest rate of whole paths that keeps some conditions. */
export async function findRate(
  run: LoadRun,
  { seconds, conditions }: { seconds: number; conditions: readonly Threshold[] },
): Promise<Outcome> {
  const { profile, leases, say } = run;
  const quotas = profile.features.rate_limits === undefined;
  const max = quotas ? careful * lawfulRate(leases.length, profile) : maxRate;
  const texts = conditions.map(({ text }) => text).join(", ");
  const outcome = { notes: [] as string[], values: {} as Record<string, number>, warnings: [] as string[] };
  const judged = (): Outcome => ({ ...outcome, questions: speedQuestions(run.figures.steps) });
  run.soFar.outcome = judged;
  const attempt = async (rate: number): Promise<Trial> => {
    say(`${rate.toFixed(1)} paths a second`);
    const trial = await tried(
      run,
      rate,
      Math.min(maxSeconds, Math.max(seconds, wantedAnswers(conditions) / (4 * rate))),
      conditions,
    );
    outcome.notes.push(`${rate.toFixed(1)} paths a second: ${trial.says}`);
    return trial;
  };
  const { highest, lowestMissed, endedBy } = await search({ attempt, first: firstRate, max });
  outcome.values["rate"] = highest?.rate ?? 0;
  outcome.notes.push(
    highest === null
      ? `no rate ${lowestMissed === null ? "was found that keeps" : "kept"} ${texts}`
      : `highest rate that kept ${texts}: ${highest.rate.toFixed(1)} paths a second, ${(4 * highest.rate).toFixed(0)} requests${lowestMissed === null ? "" : `; ${lowestMissed.rate.toFixed(1)} did not`}`,
  );
  if (endedBy !== null)
    outcome.warnings.push(
      `the search ended early: ${endedBy}${quotas && highest !== null && highest.rate >= max ? `, by the quotas of ${leases.length} accounts; --accounts raises that` : ""}`,
    );
  return judged();
}

/** Answers that the strictest percentile of some conditions needs. */
const wantedAnswers = (conditions: readonly Threshold[]): number =>
  Math.max(
    ...conditions.map(({ what }) =>
      /^p\d/.test(what) && what !== "p100" ? answersFor(Number(what.slice(1))) : 0,
    ),
  );

async function tried(
  { share, leases, profile, figures }: LoadRun,
  rate: number,
  seconds: number,
  conditions: readonly Threshold[],
): Promise<Trial> {
  const ofTrial = new Figures();
  const paths = sendersOf(leases).map((sender) => pathOf(sender, profile));
  const { leftOut } = await share(
    { kind: "open", paths, stages: steady(rate, seconds), suffix: "" },
    ofTrial,
  );
  figures.add(ofTrial.pack());
  const { lateness, failed } = ofTrial;
  const refused = ofTrial.count(({ status }) => status === 429 || status === 402);
  const held = hold(conditions, ofTrial, { lateness_ms: lateness?.max_ms ?? 0, rate });
  const says = [
    ...held.map(
      ({ text, measured, kept }) =>
        `${text} ${kept ? "kept" : "missed"}, measured ${measured?.toFixed(1) ?? "nothing"}`,
    ),
    ...(leftOut > 0 ? [`${leftOut} paths not begun`] : []),
    ...(failed > 0 ? [`${failed} requests without an expected answer`] : []),
  ].join("; ");
  const invalid =
    refused > 0
      ? `${refused} requests were refused for lack of quota or credits at ${rate.toFixed(1)} paths a second`
      : (lateness?.max_ms ?? 0) > maxLateMs
        ? `this load started requests up to ${lateness!.max_ms.toFixed(0)} ms late at ${rate.toFixed(1)} paths a second; --workers raises what it can send`
        : undefined;
  const kept = held.every(isKept) && leftOut + failed === 0;
  return { rate, kept, says, ...(invalid === undefined ? {} : { invalid }) };
}
