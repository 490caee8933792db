/** One figure: a measurement, the ceiling of the same run that it is compared with, and its target. */
export interface Figure {
  name: string;
  /** The value as text for the report. */
  says: string;
  value: number;
  /** The same by CPU time, which a busy machine disturbs less. */
  byCpuTime?: number;
  /** The middle half of the rounds' values: their first and their third quartile. */
  spread?: readonly [number, number];
  unit: "ratio" | "MB";
  /** `least`: the smallest acceptable value; `most`: the largest. Null for a figure printed only for comparison. */
  target: { kind: "least" | "most"; value: number } | null;
  /** The measurements behind the value, by name: throughputs per second, CPU times in ms, bytes. */
  measured: Readonly<Record<string, number>>;
}

/** Whether a figure reaches its target; a figure without one always does. */
export function reached({ value, target }: Figure): boolean {
  if (target === null) return true;
  return target.kind === "least" ? value >= target.value : value <= target.value;
}

/** A bench: one subject, one or more figures. `say` reports progress. */
export interface Bench {
  name: string;
  run(options: { rounds: number; say: (text: string) => void }): Promise<Figure[]>;
}
