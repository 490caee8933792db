import { counted, lacksOf, lastLine, type Judged, type Wanting } from "../../base/judged.ts";
import { isSetAside } from "./known.ts";
import type { ReportedCheck } from "./format.ts";
import type { Report } from "./report.ts";

type Shown = Pick<Report, "checks" | "clauses">;

/** What an unverified check lacks: a line of the profile, or what its reason says. */
export const wantingOf = ({ remedy, reason }: Pick<ReportedCheck, "remedy" | "reason">): Wanting => ({
  what: remedy ?? reason ?? "",
  by: remedy === null ? "reason" : "profile",
});

/** Counts what a report's clauses show. */
export function judgedOf({
  checks,
  clauses,
}: Shown): Judged & { kept: number; broken: number; known: number } {
  const asked = clauses.filter((clause) => clause.checks.length > 0);
  const verdicts = asked.map(({ verdict }) => verdict);
  const kept = verdicts.filter((verdict) => verdict === "pass").length;
  const known = verdicts.filter((verdict) => verdict === "known").length;
  const broken = known + verdicts.filter((verdict) => verdict === "fail" || verdict === "warn").length;
  const unjudged = verdicts.filter((verdict) => verdict === "unverified" || verdict === "blocked").length;
  const lacking = new Set(clauses.filter(({ verdict }) => verdict === "unverified").map(({ id }) => id));
  const lacks = lacksOf(
    checks
      .filter(({ verdict }) => verdict === "unverified")
      .flatMap(({ remedy, reason, clauses: ids }) =>
        ids.filter((id) => lacking.has(id)).map((id) => [id, wantingOf({ remedy, reason })]),
      ),
  );
  const of =
    counted(asked.length, "clause") +
    (asked.length < clauses.length ? ` asked, of ${clauses.length} in all` : "");
  return { unit: "clause", judged: kept + broken, unjudged, of, lacks, kept, broken, known };
}

/** Whether a run has judged nothing at all: no check passed, failed, or was blocked by what failed. */
export const judgedNothing = ({ summary, checks }: Pick<Report, "summary" | "checks">): boolean =>
  summary.pass + summary.fail + summary.warn + summary.blocked + summary.error === 0 &&
  !checks.some(isSetAside);

/** The last line of a report of the suite. */
export function judgedLine(report: Shown & Pick<Report, "summary">): string {
  const judged = judgedOf(report);
  const { kept, broken, known } = judged;
  const result = `${kept} kept, ${broken} broken${known > 0 ? ` (${known} known)` : ""}`;
  return lastLine(judged, judgedNothing(report) ? null : result);
}
