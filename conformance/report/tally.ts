import { verdicts, type Verdict } from "../judge/verdict.ts";
import { isNew } from "./known.ts";
import { marks } from "./marks.ts";
import type { Report } from "./report.ts";

/** How many checks and rules came to one end. */
interface Count {
  verdict: Verdict;
  count: number;
  words: string;
}

/** The checks and rules by verdict, those that are set aside by the reason for it; nothing that is none. */
export function tallyOf({
  checks,
  summary,
  requirements,
}: Pick<Report, "checks" | "summary" | "requirements">): Count[] {
  const newer = checks.filter(isNew).length;
  const counts = verdicts.map((verdict) => {
    const count = verdict === "not_applicable" ? summary[verdict] - newer : summary[verdict];
    return { verdict, count, words: count === 1 ? marks[verdict].word : marks[verdict].words };
  });
  const aside: Count[] = [{ verdict: "not_applicable", count: newer, words: `new since ${requirements}` }];
  return [...counts, ...aside].filter(({ count }) => count > 0);
}

/** The tally in words, such as "12 passed, 1 failed, 3 known failures". */
export const inNumbers = (report: Parameters<typeof tallyOf>[0]): string =>
  tallyOf(report)
    .map(({ count, words }) => `${count} ${words}`)
    .join(", ");
