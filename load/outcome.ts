import type { WindowKind } from "./windows/kind.ts";

/** A point of the plot of one window: what an answer said of it. */
export interface WindowPoint {
  /** Epoch milliseconds. */
  at: number;
  operation: string;
  account: string;
  admitted: boolean;
  remaining: number | null;
  reset: number | null;
}

/** What a scenario has to say beside its findings and figures. */
export interface Outcome {
  /** Sentences for people: what was seen, what could not be. */
  notes: string[];
  /** Numbers by name, for thresholds and reports. */
  values: Record<string, number>;
  windows?: { kind: WindowKind; seconds: number; points: WindowPoint[] };
  /** The server's own memory over time, in bytes, where it exposes it. */
  memory?: { at: number; bytes: number }[];
}
