import {
  build,
  decodeFromCompressedBase64,
  encodeIntoCompressedBase64,
  type Histogram,
} from "hdr-histogram-js";
import type { Came } from "./planned.ts";

/** The percentiles that reports show. */
export const percentiles = [50, 90, 95, 99, 99.9, 100] as const;

/** The step of a whole path: its latency is that of several requests, which are counted each for itself. */
const wholePath = "whole path";
const isRequest = (step: string): boolean => !step.startsWith(wholePath);

/** Latencies in milliseconds: how many, their mean, and each percentile by its name, such as `p99`. */
export interface Latency {
  count: number;
  mean_ms: number;
  [percentile: `p${number}_ms`]: number;
}

/** One second of a load. */
export interface Second {
  /** Epoch milliseconds of its beginning. */
  at: number;
  admitted: number;
  refused: number;
  errors: number;
  p50_ms: number | null;
  p99_ms: number | null;
}

/** The figures of one step, or of all. */
export interface StepFigures {
  step: string;
  all: Latency;
  by_status: Record<string, Latency>;
  /** The latency below which each share of the answers lies, for the plot. */
  curve: { percentile: number; ms: number }[];
}

/** What crosses from a worker process: histograms, not averages. */
export interface PackedFigures {
  histograms: Record<string, string>;
  seconds: { at: number; admitted: number; refused: number; errors: number; latencies: string }[];
  errors: number;
}

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

/** Counts answers and their latencies, in microseconds, by step and status, and second by second. */
export class Figures {
  readonly #histograms = new Map<string, Histogram>();
  readonly #seconds = new Map<number, Moment>();
  #errors = 0;
  /** Seconds that one point of the course in time stands for; a long load wants more than 1. */
  grain = 1;

  get errors(): number {
    return this.#errors;
  }

  /** Answers counted. */
  get answers(): number {
    return this.merged().totalCount;
  }

  take({ planned, exchange, sentAt, answeredAt }: Came): void {
    const second = this.#second(Math.floor(answeredAt / 1000));
    const status = exchange.response?.status;
    if (status === undefined) {
      this.failed(1, second);
      return;
    }
    const micros = microsOf(answeredAt - sentAt);
    this.#record(`${planned.step} ${status}`, micros);
    second.latencies.recordValue(micros);
    if (status === 429) second.refused += 1;
    else second.admitted += 1;
  }

  /**
   * Counts a path of several requests that has ended with a status.
   * @param suffix told behind the name of the step
   */
  takeWhole(status: number, milliseconds: number, suffix: string): void {
    this.#record(`${wholePath}${suffix} ${status}`, microsOf(milliseconds));
  }

  #record(name: string, micros: number): void {
    let latencies = this.#histograms.get(name);
    if (latencies === undefined) this.#histograms.set(name, (latencies = histogram(3)));
    latencies.recordValue(micros);
  }

  /** Counts requests that got no answer. */
  failed(count: number, second = this.#second(Math.floor(Date.now() / 1000))): void {
    this.#errors += count;
    second.errors += count;
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

  /** The histograms of some steps and statuses as one. */
  merged(fits: (step: string, status: string) => boolean = isRequest): Histogram {
    const sum = histogram(3);
    for (const [name, one] of this.#histograms) {
      const at = name.lastIndexOf(" ");
      if (fits(name.slice(0, at), name.slice(at + 1))) sum.add(one);
    }
    return sum;
  }

  /** The figures of every step, and of all steps together in front where there are several. */
  get steps(): StepFigures[] {
    const names = [
      ...new Set([...this.#histograms.keys()].map((name) => name.slice(0, name.lastIndexOf(" ")))),
    ];
    const of = (step: string, wanted: string | null): StepFigures => {
      const statuses = [...this.#histograms.keys()].map((name) => name.slice(name.lastIndexOf(" ") + 1));
      const fits = (name: string): boolean => (wanted === null ? isRequest(name) : name === wanted);
      const all = this.merged(fits);
      const by: Record<string, Latency> = {};
      for (const status of [...new Set(statuses)].sort()) {
        const some = this.merged((name, other) => fits(name) && other === status);
        if (some.totalCount > 0) by[status] = latencyOf(some);
      }
      return { step, all: latencyOf(all), by_status: by, curve: curveOf(all) };
    };
    const each = names.map((name) => of(name, name));
    return each.length > 1 ? [of("all", null), ...each] : each;
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
      histograms: Object.fromEntries(
        [...this.#histograms].map(([name, one]) => [name, encodeIntoCompressedBase64(one)]),
      ),
      seconds: [...this.#seconds].map(([at, { latencies, ...counts }]) => ({
        at,
        ...counts,
        latencies: encodeIntoCompressedBase64(latencies),
      })),
      errors: this.#errors,
    };
  }

  /** Adds what another process has counted. */
  add({ histograms, seconds, errors }: PackedFigures): void {
    for (const [name, packed] of Object.entries(histograms)) {
      let mine = this.#histograms.get(name);
      if (mine === undefined) this.#histograms.set(name, (mine = histogram(3)));
      mine.add(decodeFromCompressedBase64(packed));
    }
    for (const { at, latencies, ...counts } of seconds) {
      const second = this.#second(at);
      second.admitted += counts.admitted;
      second.refused += counts.refused;
      second.errors += counts.errors;
      second.latencies.add(decodeFromCompressedBase64(latencies));
    }
    this.#errors += errors;
  }
}

const microsOf = (milliseconds: number): number => Math.max(1, Math.round(milliseconds * 1000));

const latencyOf = (one: Histogram): Latency => {
  const latency: Latency = { count: one.totalCount, mean_ms: one.totalCount === 0 ? 0 : one.mean / 1000 };
  for (const percentile of percentiles) {
    latency[`p${percentile}_ms`] = one.totalCount === 0 ? 0 : one.getValueAtPercentile(percentile) / 1000;
  }
  return latency;
};

/** Points that stand ever closer to 100 %, as the eye wants them on an axis of nines. */
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
