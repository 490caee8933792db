import {
  build,
  decodeFromCompressedBase64,
  encodeIntoCompressedBase64,
  type Histogram,
} from "hdr-histogram-js";
import { Unfinished, type Request, type Sent } from "./request.ts";

/** The percentiles shown in reports. */
export const percentiles = [50, 90, 95, 99, 99.9, 100] as const;

/**
 * The name of the step for a whole path: its latency spans several requests, each of which is also counted by itself.
 */
const wholePath = "whole path";
const isRequest = (step: string): boolean => !step.startsWith(wholePath);

/** Latencies in milliseconds: count, mean, and each percentile by name, such as `p99`. */
export interface Latency {
  count: number;
  mean_ms: number;
  [percentile: `p${number}_ms`]: number;
}

/** One second of a load. */
export interface Second {
  /** Epoch milliseconds of its start. */
  at: number;
  admitted: number;
  refused: number;
  errors: number;
  p50_ms: number | null;
  p99_ms: number | null;
}

/** The figures of one step, or of all steps. */
export interface StepFigures {
  step: string;
  all: Latency;
  by_status: Record<string, Latency>;
  /** The latency at each share of the answers, for the plot. */
  curve: { percentile: number; ms: number }[];
}

/** How late a load started its own work, in milliseconds. */
export interface Lateness {
  starts: number;
  p99_ms: number;
  max_ms: number;
}

/** The figures of one process or machine: histograms, which can be merged, not averages. */
export interface PackedFigures {
  /** Status 0: the load ended before the answer arrived. */
  histograms: { step: string; status: number; latencies: string }[];
  seconds: { at: number; admitted: number; refused: number; errors: number; latencies: string }[];
  answers: number;
  errors: number;
  unfinished: number;
  lateness: string;
}

/** In place of the status of an answer that had not arrived when the load ended. */
export const unfinishedStatus = 0;

const histogram = (digits: 2 | 3): Histogram =>
  build({
    bitBucketSize: 32,
    autoResize: true,
    lowestDiscernibleValue: 1,
    highestTrackableValue: 60_000_000,
    numberOfSignificantValueDigits: digits,
  });

interface Moment {
  admitted: number;
  refused: number;
  errors: number;
  latencies: Histogram;
}

/** Counts answers and their latencies in microseconds, by step, by status and by second. */
export class Figures {
  /** By step, then by status. */
  readonly #histograms = new Map<string, Map<number, Histogram>>();
  readonly #seconds = new Map<number, Moment>();
  readonly #lateness = histogram(3);
  #answers = 0;
  #errors = 0;
  #unfinished = 0;
  /** Seconds per point of the time series; a long load needs more than 1. */
  grain = 1;

  get errors(): number {
    return this.#errors;
  }

  /** The number of answers counted. */
  get answers(): number {
    return this.#answers;
  }

  /** The number of requests that had no answer when the load ended; they count in the latencies with their age. */
  get unfinished(): number {
    return this.#unfinished;
  }

  /** How late the load's own starts were; null if none was timed. */
  get lateness(): Lateness | null {
    const late = this.#lateness;
    if (late.totalCount === 0) return null;
    return {
      starts: late.totalCount,
      p99_ms: late.getValueAtPercentile(99) / 1000,
      max_ms: late.getValueAtPercentile(100) / 1000,
    };
  }

  take({ request: { step }, sentAt, answeredAt, answer }: Sent<Request>): void {
    const second = this.#second(Math.floor(answeredAt / 1000));
    const micros = microsOf(answeredAt - sentAt);
    if (answer instanceof Unfinished) {
      this.#unfinished += 1;
      this.#of(step, unfinishedStatus).recordValue(micros);
      return;
    }
    if (answer instanceof Error) {
      this.#errors += 1;
      second.errors += 1;
      return;
    }
    this.#answers += 1;
    this.#of(step, answer.status).recordValue(micros);
    second.latencies.recordValue(micros);
    if (answer.status === 429) second.refused += 1;
    else second.admitted += 1;
  }

  /** Counts a start of the load's own, and by how many milliseconds it was late. */
  started(lateMs: number): void {
    this.#lateness.recordValue(microsOf(lateMs));
  }

  /**
   * Counts a finished path of several requests under its final status.
   * @param suffix appended to the name of the step
   */
  takeWhole(status: number, milliseconds: number, suffix: string): void {
    this.#of(wholePath + suffix, status).recordValue(microsOf(milliseconds));
  }

  #of(step: string, status: number): Histogram {
    let ofStep = this.#histograms.get(step);
    if (ofStep === undefined) this.#histograms.set(step, (ofStep = new Map()));
    let latencies = ofStep.get(status);
    if (latencies === undefined) ofStep.set(status, (latencies = histogram(3)));
    return latencies;
  }

  #second(epochSecond: number): Moment {
    const at = epochSecond - (epochSecond % this.grain);
    let second = this.#seconds.get(at);
    if (second === undefined) {
      second = { admitted: 0, refused: 0, errors: 0, latencies: histogram(2) };
      this.#seconds.set(at, second);
    }
    return second;
  }

  /** Merges the histograms of some steps and statuses. */
  merged(fits: (step: string, status: number) => boolean = isRequest): Histogram {
    const sum = histogram(3);
    for (const { step, status, latencies } of this.histograms()) if (fits(step, status)) sum.add(latencies);
    return sum;
  }

  /** The latencies in microseconds of each step and status. */
  *histograms(): Iterable<{ step: string; status: number; latencies: Histogram }> {
    for (const [step, ofStep] of this.#histograms)
      for (const [status, latencies] of ofStep) yield { step, status, latencies };
  }

  /** The figures of every step, preceded by those of all steps together if there are several. */
  get steps(): StepFigures[] {
    const statuses = [...new Set([...this.#histograms.values()].flatMap((ofStep) => [...ofStep.keys()]))];
    const of = (step: string, fits: (step: string) => boolean): StepFigures => {
      const all = this.merged(fits);
      const by: Record<string, Latency> = {};
      for (const status of statuses.sort()) {
        const some = this.merged((name, other) => fits(name) && other === status);
        if (some.totalCount > 0) by[status] = latencyOf(some);
      }
      return { step, all: latencyOf(all), by_status: by, curve: curveOf(all) };
    };
    const each = [...this.#histograms.keys()].map((name) => of(name, (other) => other === name));
    return each.length > 1 ? [of("all", isRequest), ...each] : each;
  }

  get seconds(): Second[] {
    const ms = (one: Histogram, percentile: number): number | null =>
      one.totalCount === 0 ? null : one.getValueAtPercentile(percentile) / 1000;
    return [...this.#seconds]
      .sort(([one], [other]) => one - other)
      .map(([at, { latencies, ...counts }]) => ({
        at: 1000 * at,
        ...counts,
        p50_ms: ms(latencies, 50),
        p99_ms: ms(latencies, 99),
      }));
  }

  pack(): PackedFigures {
    return {
      histograms: [...this.histograms()].map(({ latencies, ...of }) => ({
        ...of,
        latencies: encodeIntoCompressedBase64(latencies),
      })),
      seconds: [...this.#seconds].map(([at, { latencies, ...counts }]) => ({
        at,
        ...counts,
        latencies: encodeIntoCompressedBase64(latencies),
      })),
      answers: this.#answers,
      errors: this.#errors,
      unfinished: this.#unfinished,
      lateness: encodeIntoCompressedBase64(this.#lateness),
    };
  }

  /** Forgets all counts. */
  clear(): void {
    this.#histograms.clear();
    this.#seconds.clear();
    this.#lateness.reset();
    this.#answers = this.#errors = this.#unfinished = 0;
  }

  /** Adds the counts of another process or machine. */
  add({ histograms, seconds, answers, errors, unfinished, lateness }: PackedFigures): void {
    for (const { step, status, latencies } of histograms) {
      this.#of(step, status).add(decodeFromCompressedBase64(latencies));
    }
    for (const { at, latencies, ...counts } of seconds) {
      const second = this.#second(at);
      second.admitted += counts.admitted;
      second.refused += counts.refused;
      second.errors += counts.errors;
      second.latencies.add(decodeFromCompressedBase64(latencies));
    }
    this.#answers += answers;
    this.#errors += errors;
    this.#unfinished += unfinished;
    this.#lateness.add(decodeFromCompressedBase64(lateness));
  }
}

/** Answers needed beyond a percentile before it can be trusted. */
const answersBeyond = 10;

/** The number of answers from which a percentile can be trusted: 1,000 for p99. */
export const answersFor = (percentile: number): number =>
  Math.ceil(answersBeyond / (1 - percentile / 100) - 1e-6);

/** Whether a percentile rests on enough answers. The greatest value always does. */
export const isTrusted = (percentile: number, answers: number): boolean =>
  percentile === 100 || answers >= answersFor(percentile);

const microsOf = (milliseconds: number): number => Math.max(1, Math.round(milliseconds * 1000));

const latencyOf = (one: Histogram): Latency => {
  const latency: Latency = { count: one.totalCount, mean_ms: one.totalCount === 0 ? 0 : one.mean / 1000 };
  for (const percentile of percentiles) {
    latency[`p${percentile}_ms`] = one.totalCount === 0 ? 0 : one.getValueAtPercentile(percentile) / 1000;
  }
  return latency;
};

/** Points that get denser towards 100 %, for an axis of nines. */
function curveOf(one: Histogram): StepFigures["curve"] {
  const points: StepFigures["curve"] = [];
  if (one.totalCount === 0) return points;
  for (let nines = 0; nines <= 5.001; nines += 0.05) {
    const percentile = 100 * (1 - 10 ** -nines);
    points.push({ percentile, ms: one.getValueAtPercentile(percentile) / 1000 });
    if (10 ** nines > one.totalCount) break;
  }
  return points;
}
