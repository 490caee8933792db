import { expectedWords, receivedWords } from "../../judge/fact.ts";
import type { Finding } from "../../judge/finding.ts";
import { levelOf } from "../../judge/level.ts";
import type { HistoryVerdict } from "./history.ts";
import { barsAsText } from "./picture.ts";
import { strengths } from "./reads.ts";

/** The contradictions of a history as findings, each with its operations in their order. */
export const findingsOf = ({ contradictions }: HistoryVerdict): Finding[] =>
  contradictions.map(({ name, clauses, title, fact, lawful, bars, exchanges, count }) => {
    const level = levelOf(clauses);
    return {
      id: `${clauses[0]}/history-${name}`,
      clauses,
      level,
      title,
      verdict: level === "must" ? "fail" : "warn",
      reason: [`Operations that contradict each other (${count} times):`, ...barsAsText(bars)].join("\n"),
      fact,
      expected: `${expectedWords(fact)}; lawful: ${lawful}`,
      received: receivedWords(fact),
      remedy: null,
      duration_ms: 0,
      exchanges,
      culprit: 0,
    };
  });

/** What a history shows besides its contradictions, in sentences. */
export function notesOf({ strength, reads, unanswered, unverified, acts, writes }: HistoryVerdict): string[] {
  const { charged, uncharged, undecided } = unanswered;
  const older = (["newest", "shared", "own", "lag"] as const)
    .filter((name) => reads.older[name] > 0)
    .map((name) => `${reads.older[name]} of ${reads.reads} do not show that ${strengths[name]}`);
  return [
    ...unverified.map((text) => `unverified: ${text}`),
    ...(reads.reads > 0 && reads.due === 0
      ? [
          "unverified: no Call was older than audit_lag while others used the accounts: reads may lack them all",
        ]
      : []),
    `${acts} operations on the books, ${writes} of them Calls`,
    ...(charged + uncharged + undecided === 0
      ? []
      : [
          `without an answer: ${charged} charged once, ${uncharged} not charged${undecided > 0 ? `, ${undecided} undecided` : ""}`,
        ]),
    strength === null
      ? "no read could show how fresh reads are"
      : strength === "none"
        ? "reads keep no promise"
        : `the reads show that ${strengths[strength]}`,
    ...older,
  ];
}
