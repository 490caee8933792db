import type { RateLimitFacts } from "../../conformance/limits/facts.ts";

/** The table of limits: its head, and a row for each operation. */
export const limitTable = (
  limits: readonly RateLimitFacts[],
): { head: readonly string[]; rows: string[][] } =>
  // Where limits are only looked for, nothing is varied.
  limits.every(({ doubts }) => doubts !== undefined)
    ? { head: foundHead, rows: limits.map(foundRow) }
    : { head: limitHead, rows: limits.map(limitRow) };

const foundHead = ["limit", "declared", "measured", "first refusal", "kind", "sure"] as const;

function foundRow(facts: RateLimitFacts): string[] {
  const [operation, declared, measured, , refusal] = limitRow(facts);
  const doubts = facts.doubts ?? [];
  return [
    operation!,
    declared!,
    measured!,
    refusal!,
    limitRow(facts).at(-1)!,
    doubts.length === 0 ? "yes" : "NO",
  ];
}

const limitHead = [
  "limit",
  "declared",
  "measured",
  "fullest window",
  "first refusal",
  "waits kept",
  "keys share",
  "other served",
  "kind",
] as const;

function limitRow(facts: RateLimitFacts): string[] {
  const {
    declared,
    measured_quota: quota,
    measured_window_seconds: window,
    first_refusal: refusal,
    waits,
  } = facts;
  const yesNo = (seen: boolean | null): string => (seen === null ? "not seen" : seen ? "yes" : "NO");
  const apart = facts.counted_apart.length > 0 ? `, apart by ${facts.counted_apart.join(", ")}` : "";
  return [
    facts.operation,
    declared === null ? "–" : `${declared.quota} in ${declared.window_seconds} s`,
    quota === null
      ? refusal === null
        ? "never refused"
        : "–"
      : `${quota}${window === null ? "" : ` in ${spanOf(window)}`}`,
    facts.fullest_window === null
      ? "–"
      : `${facts.fullest_window}${facts.refill_per_second === undefined ? "" : " with refills"}`,
    refusal === null ? "none" : `${refusal.status} after ${refusal.after_admitted}`,
    waits.asked === 0 ? "not seen" : `${waits.kept} of ${waits.asked}`,
    `${yesNo(facts.keys_shared)}${apart}`,
    yesNo(facts.other_account_served),
    facts.refill_per_second === undefined
      ? facts.kind
      : `${facts.kind}, ${facts.refill_per_second.toPrecision(2)}/s`,
  ];
}

/** The grounds for the kinds of the limiters, once where they are the same. */
export const kindNotes = (limits: readonly RateLimitFacts[]): { operations: string; words: string }[] =>
  [...Map.groupBy(limits, wordsOf)].map(([words, alike]) => ({
    operations: alike.map(({ operation }) => operation).join(", "),
    words,
  }));

const wordsOf = ({ kind_words, kind_rests_on, doubts = [] }: RateLimitFacts): string =>
  [kind_words, kind_rests_on, ...doubts.map((doubt) => `unsure: ${doubt}`)].join("; ");

/** A span of seconds; its middle where that is all that matters. */
function spanOf({ least, most }: { least: number; most: number }): string {
  const doubt = (most - least) / 2;
  return doubt <= 0.5
    ? `${((least + most) / 2).toFixed(1)} s`
    : `${least.toFixed(1)} to ${most.toFixed(1)} s`;
}
