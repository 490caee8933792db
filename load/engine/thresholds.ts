import { WrongUse } from "../../cli/exit.ts";
import type { Figures } from "./figures.ts";

/** A condition on the exit status, such as `p99<50ms`, `p50(discover)<=20ms`, `errors=0` or `rate>=500`. */
export interface Threshold {
  text: string;
  what: string;
  /** The step that it applies to; null for all. */
  step: string | null;
  relation: "<" | "<=" | ">" | ">=" | "=";
  /** Milliseconds for latencies, a plain number for everything else. */
  value: number;
}

export interface HeldThreshold extends Threshold {
  kept: boolean;
  /** The measured value; null if the scenario does not measure it. */
  measured: number | null;
}

const pattern =
  /^([a-z_]+|drift_p50|p\d+(?:\.\d+)?)(?:\(([^)]+)\))?\s*(<=|>=|<|>|=)\s*(\d+(?:\.\d+)?)\s*(us|ms|s|\/s)?$/;
const toMs: Readonly<Record<string, number>> = { us: 0.001, ms: 1, s: 1000 };
const examples =
  'right are "p99<50ms", "p50(discover)<=20ms", "mean<10ms", "errors=0", "findings=0" or "rate>=500"';

/** What every load measures besides latencies; `unfinished`: requests without an answer when it ended. */
const ofEveryLoad = ["errors", "findings", "unfinished", "lateness_ms"];

const isLatency = (what: string): boolean => /^p\d/.test(what) || what === "mean";

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
    if (!(unit in toMs)) return wrong(`wants a time in us, ms or s, such as ${what}${relation}${amount}ms`);
    if (what !== "mean" && Number(what.slice(1)) > 100) return wrong(`wants a percentile from p0 to p100`);
  } else {
    const known = [...ofEveryLoad, ...measured];
    if (!known.includes(what)) {
      return wrong(`speaks of ${what}, which is not measured; there are pNN, mean, ${known.join(", ")}`);
    }
    if (step !== null) return wrong(`wants no step: only pNN and mean are known step by step`);
    if (unit in toMs) return wrong(`wants a number without ${unit}`);
  }
  return {
    text: text.trim(),
    what,
    step,
    relation: relation as Threshold["relation"],
    value: Number(amount) * (isLatency(what) ? toMs[unit]! : 1),
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

/** Checks thresholds against the measurements. One on an unknown value is not met. */
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
  { what, step }: Threshold,
  figures: Figures,
  values: Readonly<Record<string, number>>,
): number | null {
  const latencies = step === null ? figures.merged() : figures.merged((name) => name === step);
  if (what === "mean") return latencies.totalCount === 0 ? null : latencies.mean / 1000;
  if (/^p\d/.test(what)) {
    return latencies.totalCount === 0 ? null : latencies.getValueAtPercentile(Number(what.slice(1))) / 1000;
  }
  if (what === "errors") return figures.errors;
  return values[what] ?? null;
}
