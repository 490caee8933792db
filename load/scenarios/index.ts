import { limitedOperations, type LimitedOperation } from "../../generated/contract.ts";
import type { Stage } from "../engine/schedule.ts";
import type { Threshold } from "../engine/thresholds.ts";
import type { Outcome } from "../outcome.ts";
import type { LoadRun } from "../run.ts";
import type { CpuSource } from "../server-cpu.ts";

export const scenarios = ["rate-limits", "throughput", "billing", "history", "soak", "limits"] as const;
export type Scenario = (typeof scenarios)[number];

/** The measurements of each scenario besides those of every load, by the names used in conditions. */
export const measuredBy: Readonly<Record<Scenario, readonly string[]>> = {
  "rate-limits": ["admitted", "refused"],
  throughput: [
    "rate",
    ...[...limitedOperations, "path"].flatMap((step) => [`rate_${step}`, `cpu_ms_${step}`]),
    "lawful_rate",
  ],
  billing: ["executed", "refused_for_credits", "settled"],
  history: ["operations", "unanswered", "stale"],
  soak: ["rate", "drift_p50", "memory_growth"],
  limits: [],
};

/** The scenarios that read an account's books, and must know how late these may be. */
export const bookReaders: ReadonlySet<Scenario> = new Set<Scenario>(["rate-limits", "billing", "history"]);

/** What `limits` finds. */
export const sought = ["quota", "rate"] as const;

/** The options of the scenarios; each reads its own. */
export interface Options {
  /** rate-limits, limits: the operations to test. */
  operations: readonly LimitedOperation[];
  /** Null: long enough for a p99. */
  seconds: number | null;
  /** Paths a second. */
  rate: number;
  stages: readonly Stage[];
  connections: number;
  accounts: number;
  workers: number;
  /** billing, history: Calls per account. */
  calls: number;
  /** history: further addresses of the server, the seed of its choices, and the share of answers to lose. */
  also: readonly string[];
  seed: number | null;
  lost: number;
  memoryUrl: string | null;
  /** throughput: where the server's CPU time is read. */
  cpu: CpuSource;
  /** limits: what is sought, and the conditions that a rate must keep. */
  find: (typeof sought)[number];
  conditions: readonly Threshold[];
}

export const usualOptions: Options = {
  operations: limitedOperations,
  seconds: null,
  rate: 50,
  stages: [],
  connections: 16,
  accounts: 8,
  workers: 1,
  calls: 60,
  also: [],
  seed: null,
  lost: 0.1,
  memoryUrl: null,
  cpu: {},
  find: "quota",
  conditions: [],
};

/** Runs a scenario against the server of the run. */
export async function perform(scenario: Scenario, run: LoadRun, options: Options): Promise<Outcome> {
  switch (scenario) {
    case "rate-limits":
      return (await import("./rate-limits.ts")).rateLimits(run, options);
    case "throughput":
      return (await import("./throughput.ts")).throughput(run, options);
    case "billing":
      return (await import("./billing.ts")).billing(run, options);
    case "history":
      return (await import("./history.ts")).history(run, options);
    case "soak":
      return (await import("./soak.ts")).soak(run, { ...options, seconds: options.seconds! });
    case "limits":
      return options.find === "quota"
        ? (await import("./find-quota.ts")).findQuota(run, options)
        : (await import("./find-rate.ts")).findRate(run, { ...options, seconds: options.seconds! });
  }
}
