import { inLine } from "./plain.ts";

/** What would let more be judged: a line of a profile, a flag, or, where neither would, the reason. */
export interface Wanting {
  what: string;
  by: "profile" | "flag" | "reason";
}

/** Something that a verb exists to judge. */
export interface Question {
  /** Such as `the quota of discover`. */
  what: string;
  /** Null where it was judged. */
  lack: Wanting | null;
}

/** What some of the questions were not judged for want of. */
export interface Lack extends Wanting {
  /** How many questions lack it. */
  count: number;
}

/** How much of what a run asks it has judged. */
export interface Judged {
  /** What is counted, in the singular: clause, question, scenario. */
  unit: string;
  judged: number;
  unjudged: number;
  /** Words behind the number of all that was asked. */
  of: string;
  /** What would add most comes first, lines of a profile and flags before other reasons. */
  lacks: Lack[];
}

/** Counts what a run of another verb has judged. */
export function judgedQuestions(questions: readonly Question[], unit = "question"): Judged {
  const lacking = questions.flatMap(({ what, lack }): [string, Wanting][] =>
    lack === null ? [] : [[what, lack]],
  );
  return {
    unit,
    judged: questions.length - lacking.length,
    unjudged: lacking.length,
    of: counted(questions.length, unit),
    lacks: lacksOf(lacking),
  };
}

/** Groups what was not judged by what it lacks. @param lacking ids, each with what it lacks */
export function lacksOf(lacking: readonly (readonly [id: string, wanting: Wanting])[]): Lack[] {
  const groups = new Map<string, { wanting: Wanting; ids: Set<string> }>();
  for (const [id, wanting] of lacking) {
    const group = groups.get(wanting.what) ?? { wanting, ids: new Set() };
    group.ids.add(id);
    groups.set(wanting.what, group);
  }
  return [...groups.values()]
    .map(({ wanting, ids }) => ({ ...wanting, count: ids.size }))
    .sort(
      (one, other) => Number(one.by === "reason") - Number(other.by === "reason") || other.count - one.count,
    );
}

/** A number with its unit. */
export const counted = (count: number, unit: string): string => `${count} ${unit}${count === 1 ? "" : "s"}`;

/**
 * The line that ends a report of any verb and format: what was judged, what was not, and what would add most.
 * @param result what the judged ones came to; null where nothing was judged
 */
export function lastLine({ unit, judged, unjudged, of, lacks }: Judged, result: string | null): string {
  const [first] = lacks;
  const most = first === undefined ? "" : mostOf(first, unit);
  const said = result === null ? "Unverified: nothing was judged" : `Judged ${judged} of ${of}: ${result}`;
  return `${said}; ${unjudged} not judged${most}.`;
}

function mostOf({ what, by, count }: Lack, unit: string): string {
  const text = inLine(what, 120);
  if (by === "reason") return `, ${count} of them because ${text}`;
  return `; most would add ${text}${by === "profile" ? " to the profile" : ""}: ${counted(count, unit)}`;
}
