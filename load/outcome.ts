import type { RateLimitFacts } from "../conformance/limits/facts.ts";
import type { Kind } from "../conformance/limits/kind.ts";
import type { Question } from "../base/judged.ts";

/** A point in the plot of a window, from one answer. */
export interface WindowPoint {
  /** Epoch milliseconds. */
  at: number;
  operation: string;
  account: string;
  admitted: boolean;
  remaining: number | null;
  reset: number | null;
}

/** A part of a load, in epoch milliseconds. */
export interface Phase {
  name: string;
  from: number;
  to: number;
  /** Of a saturating part: its connections, and how many requests were under way on average. */
  connections?: number;
  under_way?: number;
}

/** The result of a scenario besides its findings and figures. */
export interface Outcome {
  /** Notes for people: what was observed, and what could not be observed. */
  notes: string[];
  /** What makes the figures less than they seem. */
  warnings?: string[];
  /** What the scenario exists to judge, and what it could not judge of it. */
  questions?: Question[];
  /** Numbers by name, for thresholds and reports. */
  values: Record<string, number>;
  /** What was seen of the limit of each operation. */
  limits?: RateLimitFacts[];
  windows?: { kind: Kind; seconds: number; points: WindowPoint[] };
  /** The parts of the load, in epoch milliseconds. */
  phases?: Phase[];
  /** The server's memory over time in bytes, if it exposes it. */
  memory?: { at: number; bytes: number }[];
}
