import type { Report } from "../../conformance/report/report.ts";

/** One judged server, in a line of the table. */
export interface Row {
  name: string;
  /** The day of the run, such as 2026-11-30. */
  day: string;
  suite: string;
  /** The flags that selected a part of the suite. */
  part?: string;
  /** Clauses that some check or rule was about. */
  asked: number;
  shown: number;
  declined: number;
  wrong: number;
}

/**
 * The line of a report. What a server declines (it declares an operation off, or answers that it does not have it) and
 * what it answers wrongly are counted apart, and no sum is made of them.
 */
export function rowOf(name: string, report: Report): Row {
  const absent = new Set(
    (report.causes ?? [])
      .filter(({ declare }) => declare !== undefined)
      .flatMap(({ checks, blocks }) => [...checks, ...blocks]),
  );
  const verdicts = new Map(report.checks.map(({ id, verdict }) => [id, verdict]));
  const asked = report.clauses.filter(({ checks }) => checks.length > 0);
  const isWrong = (id: string): boolean =>
    !absent.has(id) && ["fail", "warn"].includes(verdicts.get(id) ?? "");
  const wrong = asked.filter(({ checks }) => checks.some(isWrong));
  const declined = asked.filter(
    ({ verdict, checks }) =>
      verdict !== "pass" &&
      !checks.some(isWrong) &&
      checks.some((id) => absent.has(id) || verdicts.get(id) === "not_applicable"),
  );
  return {
    name,
    day: report.started_at.slice(0, 10),
    suite: report.suite_version,
    ...(report.part !== undefined && { part: report.part }),
    asked: asked.length,
    shown: asked.filter(({ verdict }) => verdict === "pass").length,
    declined: declined.length,
    wrong: wrong.length,
  };
}
