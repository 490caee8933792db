import { allSteps, isRequest, unfinishedStatus } from "../engine/figures.ts";
import type { LoadReport } from "./load-report.ts";

/** Share by which times that were rounded may miss an exact bound. */
const rounding = 0.01;

type Checked = Pick<LoadReport, "steps" | "seconds" | "answers" | "expected" | "failed" | "phases">;

/**
 * What contradicts itself in a report: each request ended in one way, in one second, and by Little's law no more of them
 * were under way at a time than there are connections. A report that contradicts itself says nothing about a server.
 */
export function contradictionsOf({
  steps,
  seconds,
  answers,
  expected,
  failed,
  phases = [],
}: Checked): string[] {
  const of = (fits: (response: { status: number; expected: boolean }) => boolean): number =>
    steps
      .filter(({ step }) => isRequest(step) && step !== allSteps)
      .flatMap(({ by_status }) => by_status.filter(fits))
      .reduce((sum, { count }) => sum + count, 0);
  const each = (count: (second: LoadReport["seconds"][number]) => number): number =>
    seconds.reduce((sum, second) => sum + count(second), 0);
  const unfinished = of(({ status }) => status === unfinishedStatus);
  return [
    ...differing(
      "answers by status",
      of(({ status }) => status > 0),
      answers,
    ),
    ...differing(
      "expected answers by status",
      of((response) => response.expected),
      expected,
    ),
    ...differing(
      "expected answers by second",
      each((second) => second.expected),
      expected,
    ),
    ...differing(
      "failed requests by status",
      of((response) => !response.expected),
      failed,
    ),
    ...differing(
      "failed requests by second",
      each((second) => second.refused + second.failed) + unfinished,
      failed,
    ),
    ...steps.flatMap((step) =>
      differing(
        `latencies of ${step.step}`,
        step.by_status
          .filter((some) => some.expected || some.status === unfinishedStatus)
          .reduce((sum, { count }) => sum + count, 0),
        step.expected.count,
      ),
    ),
    ...phases.flatMap(({ name, connections, under_way: mean }) =>
      mean === undefined || connections === undefined || mean <= connections * (1 + rounding)
        ? []
        : [`${name}: ${mean.toFixed(1)} requests under way on average over ${connections} connections`],
    ),
  ];
}

const differing = (what: string, sum: number, total: number): string[] =>
  sum === total ? [] : [`${what} add up to ${sum}, not ${total}`];
