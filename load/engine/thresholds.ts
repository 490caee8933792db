import { WrongUse } from "../../base/exit.ts";
import { unfinishedStatus, type Ending, type Figures } from "./figures.ts";

/** A condition on the exit status, such as `p99<50ms`, `p50(discover)<=20ms`, `failed<1%`, `429=0` or `rate>=500`. */
export interface Threshold {
  text: string;
  what: string;
  /** The step that it applies to; null for all. */
  step: string | null;
  relation: "<" | "<=" | ">" | ">=" | "=";
  /** Milliseconds for latencies, a share in percent, a plain number for everything else. */
  value: number;
  /** Whether a count is meant as a share of all requests, in percent. */
  isShare?: boolean;
}

export interface HeldThreshold extends Threshold {
  kept: boolean;
  /** The measured value; null if there was nothing to measure. */
  measured: number | null;
}

const pattern =
  /^([a-z_]+|drift_p50|p\d+(?:\.\d+)?|[1-5](?:\d\d|xx))(?:\(([^)]+)\))?\s*(<=|>=|<|>|=)\s*(\d+(?:\.\d+)?)\s*(us|ms|s|\/s|%)?$/;
const toMs: Readonly<Record<string, number>> = { us: 0.001, ms: 1, s: 1000 };
const examples =
  'right are "p99<50ms", "p50(discover)<=20ms", "mean<10ms", "failed<1%", "429=0", "5xx<1%", "findings=0" or "rate>=500"';

/** What every load measures besides latencies and statuses. */
const ofEveryLoad = ["failed", "errors", "findings", "unfinished", "lateness_ms"];

const isLatency = (what: string): boolean => /^p\d/.test(what) || what === "mean";
const isStatus = (what: string): boolean => /^\d/.test(what);
/** `errors` is what other tools call `failed`. */
export const isOfFailures = ({ what }: Pick<Threshold, "what">): boolean =>
  what === "failed" || what === "errors";
/** Whether requests are counted, so that a step and a share make sense. */
const isCount = (what: string): boolean => isStatus(what) || isOfFailures({ what }) || what === "unfinished";

/**
 * Parses a threshold.
 * @param measured the names that the scenario measures besides those of every load
 * @param flag the flag that gave it
 * @throws WrongUse that says what is wrong, and what would be right
 */
export function parseThreshold(text: string, measured: readonly string[], flag = "--expect"): Threshold {
  const wrong = (why: string): never => {
    throw new WrongUse(`${flag} ${JSON.stringify(text)} ${why}`);
  };
  const [, what, step = null, relation, amount, unit = ""] = pattern.exec(text.trim()) ?? [];
  if (what === undefined) return wrong(`is not a threshold; ${examples}`);
  if (isLatency(what)) {
    if (!(unit in toMs)) return wrong(`needs a time in us, ms or s, such as ${what}${relation}${amount}ms`);
    if (what !== "mean" && Number(what.slice(1)) > 100) return wrong(`needs a percentile from p0 to p100`);
  } else {
    const known = [...ofEveryLoad, ...measured];
    if (!isStatus(what) && !known.includes(what)) {
      return wrong(
        `speaks of ${what}, which is not measured; there are pNN, mean, statuses such as 429 or 5xx, ${known.join(", ")}`,
      );
    }
    if (step !== null && !isCount(what))
      return wrong(`takes no step: only latencies, failed and statuses are known step by step`);
    if (unit in toMs || (unit === "%" && !isCount(what))) return wrong(`needs a number without ${unit}`);
  }
  return {
    text: text.trim(),
    what,
    step,
    relation: relation as Threshold["relation"],
    value: Number(amount) * (isLatency(what) ? toMs[unit]! : 1),
    ...(unit === "%" && { isShare: true }),
  };
}

const holds: Record<Threshold["relation"], (one: number, other: number) => boolean> = {
  "<": (one, other) => one < other,
  "<=": (one, other) => one <= other,
  ">": (one, other) => one > other,
  ">=": (one, other) => one >= other,
  "=": (one, other) => one === other,
};

export const isKept = ({ kept }: HeldThreshold): boolean => kept;

/** Checks thresholds against the measurements. One that has nothing to hold on to is not met. */
export function hold(
  thresholds: readonly Threshold[],
  figures: Figures,
  values: Readonly<Record<string, number>>,
): HeldThreshold[] {
  return thresholds.map((threshold) => {
    const measured = measure(threshold, figures, values);
    return {
      ...threshold,
      measured,
      kept: measured !== null && holds[threshold.relation](measured, threshold.value),
    };
  });
}

function measure(
  { what, step, isShare = false }: Threshold,
  figures: Figures,
  values: Readonly<Record<string, number>>,
): number | null {
  if (isLatency(what)) {
    const latencies = figures.latencies(step);
    if (latencies.totalCount === 0) return null;
    return (what === "mean" ? latencies.mean : latencies.getValueAtPercentile(Number(what.slice(1)))) / 1000;
  }
  if (!isCount(what)) return values[what] ?? null;
  const sent = figures.count((ending) => step === null || ending.step === step);
  if (sent === 0) return null;
  const counted = figures.count((ending) => (step === null || ending.step === step) && counts(what, ending));
  return isShare ? (100 * counted) / sent : counted;
}

/** Whether a request that ended so belongs to what is counted. */
function counts(what: string, { status, expected }: Pick<Ending, "status" | "expected">): boolean {
  if (what === "unfinished") return status === unfinishedStatus;
  if (isOfFailures({ what })) return !expected;
  return what.endsWith("xx") ? Math.floor(status / 100) === Number(what[0]) : status === Number(what);
}
