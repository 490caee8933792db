import { WrongUse } from "../base/exit.ts";
import { several, text } from "../base/flag.ts";
import { givenText } from "../base/read.ts";
import { verb } from "../base/verb.ts";
import { requireWritable } from "../base/write.ts";
import type { Question } from "../base/judged.ts";
import { Secrets } from "../conformance/server/secrets.ts";
import { Figures } from "./engine/figures.ts";
import { hold, parseThreshold } from "./engine/thresholds.ts";
import { Judgement } from "./judgement.ts";
import { loadStatus, type LoadReport } from "./report/load-report.ts";
import { publish } from "./report/publish.ts";
import { measuredBy, type Scenario } from "./scenarios/index.ts";

/** Values of one machine that say nothing about several: they are left out. */
const ofOneMachine = /^(drift_|memory_|cpu_ms_|lateness_)/;

/**
 * One report from those of several machines that loaded one server: histograms and counts are added, not averaged.
 * @param conditions to hold in addition to those of the first report
 * @throws WrongUse if they are of different loads, lack their histograms, or one is given twice
 */
export function merged(reports: readonly LoadReport[], conditions: readonly string[] = []): LoadReport {
  const [first, ...others] = reports as [LoadReport, ...LoadReport[]];
  for (const { scenario, target } of others) {
    if (scenario !== first.scenario || target !== first.target)
      throw new WrongUse(
        `reports of one load can be merged, not ${first.scenario} of ${first.target} and ${scenario} of ${target}`,
      );
  }
  if (first.windows !== null || (first.limits ?? []).length > 0)
    throw new WrongUse(
      `${first.scenario} judges the windows of its own accounts: its reports stand for themselves`,
    );
  const thresholds = conditions.map((text) => parseThreshold(text, measuredBy[first.scenario as Scenario]));
  const twice = reports.findIndex((report, index) =>
    reports.slice(0, index).some((other) => isSame(report, other)),
  );
  if (twice >= 0) throw new WrongUse(`report ${twice + 1} is the same as one before it: each is added once`);
  const figures = new Figures();
  const judgement = new Judgement(new Secrets());
  const values: Record<string, number> = {};
  for (const report of reports) {
    if (report.figures?.busy_ms === undefined)
      throw new WrongUse(
        "a report without its histograms (figures) cannot be merged: it is of an earlier version",
      );
    figures.add(report.figures);
    judgement.merge(report.findings, report.judged);
    for (const [name, value] of Object.entries(report.values))
      if (!ofOneMachine.test(name)) values[name] = (values[name] ?? 0) + value;
  }
  const { lateness, unfinished, answers, expected, failed, unanswered, steps, seconds } = figures;
  const { findings, judged } = judgement;
  Object.assign(values, { findings: findings.length, ...(lateness && { lateness_ms: lateness.max_ms }) });
  const each = (of: (report: LoadReport) => readonly string[] | undefined): string[] => [
    ...new Set(reports.flatMap((report, index) => (of(report) ?? []).map((text) => `${index + 1}: ${text}`))),
  ];
  const began = reports.map(({ started_at }) => Date.parse(started_at));
  const ended = reports.map(({ duration_ms }, index) => began[index]! + duration_ms);
  return {
    ...first,
    started_at: new Date(Math.min(...began)).toISOString(),
    duration_ms: Math.max(...ended) - Math.min(...began),
    ended: reports.find((report) => report.ended != null)?.ended ?? null,
    judged,
    answers,
    expected,
    failed,
    unanswered,
    unfinished,
    lateness,
    questions: mergedQuestions(reports),
    notes: [`${reports.length} reports merged`, ...each(({ notes }) => notes)],
    warnings: each(({ warnings }) => warnings),
    values,
    thresholds: hold([...first.thresholds, ...thresholds], figures, values),
    findings,
    steps,
    seconds,
    phases: [],
    memory: null,
    figures: figures.pack(),
  };
}

/** What any of the machines judged is judged. */
function mergedQuestions(reports: readonly LoadReport[]): Question[] {
  const all = reports.flatMap(({ questions = [] }) => questions);
  return [...Map.groupBy(all, ({ what }) => what).values()].map(
    (same) => same.find(({ lack }) => lack === null) ?? same[0]!,
  );
}

/** Whether two reports are of one run on one machine. */
const isSame = (one: LoadReport, other: LoadReport): boolean =>
  one.started_at === other.started_at && JSON.stringify(one.figures) === JSON.stringify(other.figures);

/** What is read of a report. */
const mostBytes = 512 * 2 ** 20;

async function readReport(file: string): Promise<LoadReport> {
  try {
    const report = JSON.parse(await givenText(file, mostBytes)) as LoadReport;
    if (typeof report.scenario !== "string" || !Array.isArray(report.findings))
      throw new Error("it is not a load report");
    return report;
  } catch (error) {
    throw new WrongUse(`${file} cannot be merged: ${(error as Error).message}`, { cause: error });
  }
}

export default verb({
  flags: {
    expect: several("--expect <CONDITION...>", 'held too, such as "p99<50ms" or "failed<1%"'),
    json: text("--json <FILE>", "writes the merged report as JSON"),
    html: text("--html <FILE>", "writes it as an HTML page"),
    junit: text("--junit <FILE>", "writes findings and conditions as JUnit XML"),
  },
  takes: { "files...": "reports that load --json wrote, one for each machine" },
  about: "Conditions are checked again, against what all machines measured together.",
  async run({ "files...": files, expect, ...reports }) {
    await requireWritable(reports.json, reports.html, reports.junit);
    const report = merged(await Promise.all(files.map(readReport)), expect);
    await publish(report, reports);
    return loadStatus(report);
  },
});
