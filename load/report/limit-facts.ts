/** What a load saw of one operation's rate limit. */
export interface LimitFacts {
  operation: string;
  /** Null if nobody declared it. */
  declared: { quota: number; window_seconds: number } | null;
  /** Requests that one window admitted up to the first refusal, or that a bucket held; null if nothing was refused. */
  measured_quota: number | null;
  /** The time after which a quota that was used up was admitted again: it lies between these. */
  measured_window_seconds: { least: number; most: number } | null;
  /**
   * The most requests admitted within one window of the server; of a server without fixed windows, those surely admitted
   * within the declared time. Null if the window is not known.
   */
  fullest_window: number | null;
  first_refusal: { after_admitted: number; status: number } | null;
  /** Requests sent when Retry-After had passed, and those of them that were admitted. */
  waits: { asked: number; kept: number };
  /** Whether the keys of an account share the quota; null if that was not seen. */
  keys_shared: boolean | null;
  /** Whether another account was served while this one was refused; null if that was not seen. */
  other_account_served: boolean | null;
  /** Variations that have a quota of their own, such as `User-Agent`. */
  counted_apart: string[];
  /** The kind of the limiter, and what this rests on. */
  kind: string;
  kind_words: string;
  kind_rests_on: string;
  /** Requests that a bucket gives back each second. */
  refill_per_second?: number;
}

/** The head of the table of limits, and the row of an operation. */
export const limitHead = [
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

export function limitRow(facts: LimitFacts): string[] {
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
    quota === null ? "never refused" : `${quota}${window === null ? "" : ` in ${spanOf(window)}`}`,
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

/** A span of seconds; its middle where that is all that matters. */
function spanOf({ least, most }: { least: number; most: number }): string {
  const doubt = (most - least) / 2;
  return doubt <= 0.5
    ? `${((least + most) / 2).toFixed(1)} s`
    : `${least.toFixed(1)} to ${most.toFixed(1)} s`;
}
