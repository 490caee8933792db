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
/** The name of the figures of all steps together. */
export const allSteps = "all";
export const isRequest = (step: string): boolean => !step.startsWith(wholePath);

/** Latencies in milliseconds: count, mean, and each percentile by name, such as `p99`. */
export interface Latency {
  count: number;
  mean_ms: number;
  [percentile: `p${number}_ms`]: number;
}

/** One second of a load: the answers that were expected, and what came in their place; latencies are of the expected. */
export interface Second {
  /** Epoch milliseconds of its start. */
  at: number;
  expected: number;
  /** Answers with status 429 that were not expected. */
  refused: number;
  /** Every other answer that was not expected, and requests without an answer. */
  failed: number;
  p50_ms: number | null;
  p99_ms: number | null;
}

/** What requests ended in, under one status. */
export interface StatusFigures extends Latency {
  /** 0: unfinished when the load ended; -1: no answer. */
  status: number;
  /** Whether this is what the requests were sent for. */
  expected: boolean;
}

/** The figures of one step, or of all steps. */
export interface StepFigures {
  step: string;
  /** The expected answers, and requests that were unfinished when the load ended, with the time that they had waited. */
  expected: Latency;
  /** Everything that the requests ended in. */
  by_status: StatusFigures[];
  /** The latency at each share of the expected answers, for the plot. */
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
  histograms: { step: string; status: number; expected: boolean; latencies: string }[];
  seconds: { at: number; expected: number; refused: number; failed: number; latencies: string }[];
  lateness: string;
  /** The sum of the times of all requests. */
  busy_ms: number;
}

/** In place of the status of an answer that had not arrived when the load ended, and of one that never will. */
export const unfinishedStatus = 0;
export const unansweredStatus = -1;

const histogram = (digits: 2 | 3): Histogram =>
  build({
    bitBucketSize: 32,
    autoResize: true,
    lowestDiscernibleValue: 1,
    highestTrackableValue: 60_000_000,
    numberOfSignificantValueDigits: digits,
  });

interface Moment {
  expected: number;
  refused: number;
  failed: number;
  latencies: Histogram;
}

/** What the requests of a step ended in, with their latencies in microseconds. */
export interface Ending {
  step: string;
  status: number;
  expected: boolean;
  latencies: Histogram;
}

/** Whether an answer has a status of success. */
export const isSuccess = ({ answer }: Pick<Sent<Request>, "answer">): boolean =>
  !(answer instanceof Error) && answer.status >= 200 && answer.status < 300;

/** Counts what requests end in, and their latencies in microseconds: by step, by status and by second. */
export class Figures {
  /** By step, then by status and whether it was expected. */
  readonly #endings = new Map<string, Map<string, Ending>>();
  readonly #seconds = new Map<number, Moment>();
  readonly #lateness = histogram(3);
  #busyMs = 0;
  /** Seconds per point of the time series; a long load needs more than 1. */
  grain = 1;

  /** The number of requests of a kind; whole paths are none. */
  count(fits: (ending: Ending) => boolean): number {
    let sum = 0;
    for (const ending of this.endings())
      if (isRequest(ending.step) && fits(ending)) sum += ending.latencies.totalCount;
    return sum;
  }

  /** The number of requests that have ended. */
  get requests(): number {
    return this.count(() => true);
  }

  /** The number of answers, expected or not. */
  get answers(): number {
    return this.count(({ status }) => status > 0);
  }

  /** The number of answers that were expected. */
  get expected(): number {
    return this.count(({ expected }) => expected);
  }

  /** The number of requests that did not get an expected answer. */
  get failed(): number {
    return this.count(({ expected }) => !expected);
  }

  /** The number of requests that got no answer. */
  get unanswered(): number {
    return this.count(({ status }) => status === unansweredStatus);
  }

  /** The number of requests that had no answer when the load ended; they count in the latencies with their age. */
  get unfinished(): number {
    return this.count(({ status }) => status === unfinishedStatus);
  }

  /** The sum of the times of all requests in milliseconds. */
  get busyMs(): number {
    return this.#busyMs;
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

  /** @param expected whether the answer is what the request was sent for; any success by default */
  take(sent: Sent<Request>, expected = isSuccess(sent)): void {
    const { request, sentAt, answeredAt, answer } = sent;
    const milliseconds = answeredAt - sentAt;
    this.#busyMs += milliseconds;
    const status = statusOf(answer);
    this.#of(request.step, status, expected).recordValue(microsOf(milliseconds));
    if (status === unfinishedStatus) return;
    const second = this.#second(Math.floor(answeredAt / 1000));
    if (expected) {
      second.expected += 1;
      second.latencies.recordValue(microsOf(milliseconds));
    } else second[status === 429 ? "refused" : "failed"] += 1;
  }

  /** Counts a start of the load's own, and by how many milliseconds it was late. */
  started(lateMs: number): void {
    this.#lateness.recordValue(microsOf(lateMs));
  }

  /**
   * Counts a path of several requests.
   * @param status of its first answer that was not expected, else of its last
   * @param suffix appended to the name of the step
   */
  takeWhole(status: number, expected: boolean, milliseconds: number, suffix: string): void {
    this.#of(wholePath + suffix, status, expected).recordValue(microsOf(milliseconds));
  }

  /** The number of whole paths whose answers were all expected. */
  get wholePaths(): number {
    let sum = 0;
    for (const { step, expected, latencies } of this.endings())
      if (!isRequest(step) && expected) sum += latencies.totalCount;
    return sum;
  }

  #of(step: string, status: number, expected: boolean): Histogram {
    let ofStep = this.#endings.get(step);
    if (ofStep === undefined) this.#endings.set(step, (ofStep = new Map()));
    const key = expected ? String(status) : `${status} failed`;
    let ending = ofStep.get(key);
    if (ending === undefined) ofStep.set(key, (ending = { step, status, expected, latencies: histogram(3) }));
    return ending.latencies;
  }

  #second(epochSecond: number): Moment {
    const at = epochSecond - (epochSecond % this.grain);
    let second = this.#seconds.get(at);
    if (second === undefined) {
      second = { expected: 0, refused: 0, failed: 0, latencies: histogram(2) };
      this.#seconds.set(at, second);
    }
    return second;
  }

  /**
   * The latencies of expected answers, with requests that were unfinished when the load ended: left out, a server that
   * stalls would look fast.
   * @param step all requests by default
   */
  latencies(step: string | null = null): Histogram {
    const sum = histogram(3);
    for (const ending of this.endings()) {
      const fits = step === null ? isRequest(ending.step) : ending.step === step;
      if (fits && (ending.expected || ending.status === unfinishedStatus)) sum.add(ending.latencies);
    }
    return sum;
  }

  /** What the requests of each step ended in. */
  *endings(): Iterable<Ending> {
    for (const ofStep of this.#endings.values()) yield* ofStep.values();
  }

  /** The figures of every step, preceded by those of all steps together if there are several. */
  get steps(): StepFigures[] {
    const of = (step: string, endings: readonly Ending[]): StepFigures => {
      const latencies = this.latencies(step === allSteps ? null : step);
      const kinds = Map.groupBy(endings, ({ status, expected }) => `${status} ${expected}`);
      const by_status = [...kinds.values()].map((alike): StatusFigures => {
        const sum = histogram(3);
        for (const ending of alike) sum.add(ending.latencies);
        const [{ status, expected }] = alike as [Ending];
        return { status, expected, ...latencyOf(sum) };
      });
      by_status.sort(
        (one, other) => Number(other.expected) - Number(one.expected) || one.status - other.status,
      );
      return { step, expected: latencyOf(latencies), by_status, curve: curveOf(latencies) };
    };
    const endings = [...this.endings()];
    const each = [...Map.groupBy(endings, ({ step }) => step)].map(([step, some]) => of(step, some));
    return each.length > 1
      ? [
          of(
            allSteps,
            endings.filter(({ step }) => isRequest(step)),
          ),
          ...each,
        ]
      : each;
  }

  get seconds(): Second[] {
    const ms = (histogram: Histogram, percentile: number): number | null =>
      histogram.totalCount === 0 ? null : histogram.getValueAtPercentile(percentile) / 1000;
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
      histograms: [...this.endings()].map(({ latencies, ...of }) => ({
        ...of,
        latencies: encodeIntoCompressedBase64(latencies),
      })),
      seconds: [...this.#seconds].map(([at, { latencies, ...counts }]) => ({
        at,
        ...counts,
        latencies: encodeIntoCompressedBase64(latencies),
      })),
      lateness: encodeIntoCompressedBase64(this.#lateness),
      busy_ms: this.#busyMs,
    };
  }

  /** Forgets all counts. */
  clear(): void {
    this.#endings.clear();
    this.#seconds.clear();
    this.#lateness.reset();
    this.#busyMs = 0;
  }

  /** Adds the counts of another process or machine. */
  add({ histograms, seconds, lateness, busy_ms }: PackedFigures): void {
    for (const { step, status, expected, latencies } of histograms) {
      this.#of(step, status, expected).add(decodeFromCompressedBase64(latencies));
    }
    for (const { at, latencies, ...counts } of seconds) {
      const second = this.#second(at);
      second.expected += counts.expected;
      second.refused += counts.refused;
      second.failed += counts.failed;
      second.latencies.add(decodeFromCompressedBase64(latencies));
    }
    this.#lateness.add(decodeFromCompressedBase64(lateness));
    this.#busyMs += busy_ms;
  }
}

/** The status of an answer, or what came in its place. */
export const statusOf = (answer: Sent<Request>["answer"]): number => {
  if (answer instanceof Unfinished) return unfinishedStatus;
  return answer instanceof Error ? unansweredStatus : answer.status;
};

/** Answers needed beyond a percentile before it can be trusted. */
const answersBeyond = 10;

/** The number of answers from which a percentile can be trusted: 1,000 for p99. */
export const answersFor = (percentile: number): number =>
  Math.ceil(answersBeyond / (1 - percentile / 100) - 1e-6);

/** Whether a percentile rests on enough answers. The greatest value always does. */
export const isTrusted = (percentile: number, answers: number): boolean =>
  percentile === 100 || answers >= answersFor(percentile);

const microsOf = (milliseconds: number): number => Math.max(1, Math.round(milliseconds * 1000));

const latencyOf = (histogram: Histogram): Latency => {
  const latency: Latency = {
    count: histogram.totalCount,
    mean_ms: histogram.totalCount === 0 ? 0 : histogram.mean / 1000,
  };
  for (const percentile of percentiles) {
    latency[`p${percentile}_ms`] =
      histogram.totalCount === 0 ? 0 : histogram.getValueAtPercentile(percentile) / 1000;
  }
  return latency;
};

/** Points that get denser towards 100 %, for an axis of nines. */
function curveOf(histogram: Histogram): StepFigures["curve"] {
  const points: StepFigures["curve"] = [];
  if (histogram.totalCount === 0) return points;
  for (let nines = 0; nines <= 5.001; nines += 0.05) {
    const percentile = 100 * (1 - 10 ** -nines);
    points.push({ percentile, ms: histogram.getValueAtPercentile(percentile) / 1000 });
    if (10 ** nines > histogram.totalCount) break;
  }
  return points;
}
