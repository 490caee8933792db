import { plain } from "../../base/plain.ts";
import { cutTo } from "./causes.ts";
import { isKnownFailure } from "./known.ts";
import type { Report } from "./report.ts";

/** What some clauses were not judged for want of. */
export interface Lack {
  /** The line of a profile that supplies it, or the reason where none would. */
  what: string;
  isProfile: boolean;
  /** How many clauses lack it. */
  clauses: number;
}

/** What a run judged and what it did not, in clauses. */
export interface Judged {
  kept: number;
  broken: number;
  /** Clauses that lack something, or are blocked by what is broken. */
  unjudged: number;
  /** Clauses that some check or rule of the run is about, and all of the contract. */
  asked: number;
  total: number;
  /** What would add most comes first, lines of a profile before other reasons. */
  lacks: Lack[];
}

type Shown = Pick<Report, "checks" | "clauses">;

/** Counts what a report's clauses show. */
export function judgedOf({ checks, clauses }: Shown): Judged {
  const asked = clauses.filter((clause) => clause.checks.length > 0);
  const verdicts = asked.map(({ verdict }) => verdict);
  const kept = verdicts.filter((verdict) => verdict === "pass").length;
  const broken = verdicts.filter((verdict) => verdict === "fail" || verdict === "warn").length;
  const unjudged = verdicts.filter((verdict) => verdict === "unverified" || verdict === "blocked").length;
  const lacks = lacksOf({ checks, clauses });
  return { kept, broken, unjudged, asked: asked.length, total: clauses.length, lacks };
}

function lacksOf({ checks, clauses }: Shown): Lack[] {
  const lacking = new Set(clauses.filter(({ verdict }) => verdict === "unverified").map(({ id }) => id));
  const groups = new Map<string, { isProfile: boolean; ids: Set<string> }>();
  for (const { verdict, remedy, reason, clauses: ids } of checks) {
    if (verdict !== "unverified") continue;
    const isProfile = remedy !== null;
    const group = groups.get(remedy ?? reason ?? "") ?? { isProfile, ids: new Set() };
    for (const id of ids) if (lacking.has(id)) group.ids.add(id);
    groups.set(remedy ?? reason ?? "", group);
  }
  return [...groups]
    .map(([what, { isProfile, ids }]) => ({ what, isProfile, clauses: ids.size }))
    .filter((lack) => lack.clauses > 0)
    .sort((one, other) => Number(other.isProfile) - Number(one.isProfile) || other.clauses - one.clauses);
}

/** Whether a run has judged nothing at all: no check passed, failed, or was blocked by what failed. */
export const judgedNothing = ({ summary, checks }: Pick<Report, "summary" | "checks">): boolean =>
  summary.pass + summary.fail + summary.warn + summary.blocked + summary.error === 0 &&
  !checks.some(isKnownFailure);

const counted = (count: number): string => `${count} ${count === 1 ? "clause" : "clauses"}`;

/** The line that ends a report: what was judged, what was not, and the line of a profile that would add most. */
export function judgedLine(report: Shown & Pick<Report, "summary">): string {
  const { kept, broken, unjudged, asked, total, lacks } = judgedOf(report);
  const [first] = lacks;
  const most =
    first === undefined
      ? ""
      : first.isProfile
        ? `; most would add ${cutTo(plain(first.what), 120)} to the profile: ${counted(first.clauses)}`
        : `, ${first.clauses} of them because ${cutTo(plain(first.what), 120)}`;
  const judged = judgedNothing(report)
    ? "Unverified: nothing was judged"
    : `Judged ${kept + broken} of ${counted(asked)}${asked < total ? ` asked, of ${total} in all` : ""}: ${kept} kept, ${broken} broken`;
  return `${judged}; ${unjudged} not judged${most}.`;
}
