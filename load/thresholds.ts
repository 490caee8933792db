import { WrongUse } from "../conformance/verdict.ts";
import type { Figures } from "./figures.ts";

/** A condition of the exit status, such as `p99<50ms`, `p50(discover)<=20ms`, `errors=0` or `rate>=500`. */
export interface Threshold {
  text: string;
  what: string;
  /** The step that it speaks of; null for all. */
  step: string | null;
  relation: "<" | "<=" | ">" | ">=" | "=";
  /** Latencies in milliseconds, everything else as a number. */
  value: number;
}

export interface HeldThreshold extends Threshold {
  kept: boolean;
  /** What was measured; null where the scenario does not know it. */
  measured: number | null;
}

const pattern =
  /^([a-z_]+|p\d+(?:\.\d+)?)(?:\(([^)]+)\))?\s*(<=|>=|<|>|=)\s*(\d+(?:\.\d+)?)\s*(us|ms|s|%|\/s)?$/;
const toMs: Readonly<Record<string, number>> = { us: 0.001, ms: 1, s: 1000 };

/** @throws WrongUse for a text that is no threshold */
export function parseThreshold(text: string): Threshold {
  const [, what, step = null, relation, amount, unit = ""] = pattern.exec(text.trim()) ?? [];
  const isLatency = /^p\d/.test(what ?? "") || what === "mean";
  if (what === undefined || (isLatency && !(unit in toMs)) || (!isLatency && unit in toMs)) {
    throw new WrongUse(
      `--expect ${JSON.stringify(text)} is no threshold; right are "p99<50ms", "p50(discover)<=20ms", "mean<10ms", "errors=0", "findings=0" or "rate>=500"`,
    );
  }
  return {
    text: text.trim(),
    what,
    step,
    relation: relation as Threshold["relation"],
    value: Number(amount) * (isLatency ? toMs[unit]! : 1),
  };
}

const holds: Record<Threshold["relation"], (one: number, other: number) => boolean> = {
  "<": (one, other) => one < other,
  "<=": (one, other) => one <= other,
  ">": (one, other) => one > other,
  ">=": (one, other) => one >= other,
  "=": (one, other) => one === other,
};

/** Holds thresholds against what was measured. One that speaks of something unknown is not kept. */
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
