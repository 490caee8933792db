/** One figure: what was measured, against which ceiling of the same run, and what it should reach. */
export interface Figure {
  name: string;
  /** What the value is, for people. */
  says: string;
  value: number;
  /** The same by CPU time, which a busy machine disturbs less: for throughputs a ratio, for the proxy milliseconds. */
  byCpuTime?: number;
  unit: "ratio" | "ms" | "MB";
  /** `least`: the value must not be below; `most`: not above. Null for a figure printed for comparison. */
  target: { kind: "least" | "most"; value: number } | null;
  /** What it was made of, by name: throughputs a second, latencies in ms, bytes. */
  measured: Readonly<Record<string, number>>;
}

/** Whether a figure reaches its target; a figure without one always does. */
export function reached({ value, target }: Figure): boolean {
  if (target === null) return true;
  return target.kind === "least" ? value >= target.value : value <= target.value;
}

/** A bench: one subject, one or more figures. `say` tells what is being done. */
export interface Bench {
  name: string;
  run(options: { rounds: number; say: (text: string) => void }): Promise<Figure[]>;
}
