import { limitedOperations, type LimitedOperation } from "../../generated/contract.ts";
import type { Outcome } from "../outcome.ts";
import type { LoadRun } from "../run.ts";
import type { CpuSource } from "../server-cpu.ts";

export const scenarios = ["rate-limits", "throughput", "billing", "soak"] as const;
export type Scenario = (typeof scenarios)[number];

/** The measurements of each scenario besides latencies, errors and findings, by the names used in conditions. */
export const measuredBy: Readonly<Record<Scenario, readonly string[]>> = {
  "rate-limits": ["admitted", "refused"],
  throughput: [
    "rate",
    ...[...limitedOperations, "path"].flatMap((step) => [`rate_${step}`, `cpu_ms_${step}`]),
    "lawful_rate",
  ],
  billing: ["executed", "refused_for_credits", "settled"],
  soak: ["rate", "drift_p50", "memory_growth"],
};

/** The options of the scenarios; each reads its own. */
export interface Options {
  /** rate-limits: the operations to test. */
  operations: readonly LimitedOperation[];
  seconds: number;
  /** In requests per second. */
  rate: number;
  connections: number;
  accounts: number;
  workers: number;
  /** Calls per account in a billing storm. */
  calls: number;
  memoryUrl: string | null;
  /** throughput: where the server's CPU time is read. */
  cpu: CpuSource;
}

/** Runs a scenario against the server of the run. */
export async function perform(scenario: Scenario, run: LoadRun, options: Options): Promise<Outcome> {
  switch (scenario) {
    case "rate-limits":
      return (await import("./rate-limits.ts")).rateLimits(run, options);
    case "throughput":
      return (await import("./throughput.ts")).throughput(run, options);
    case "billing":
      return (await import("./billing.ts")).billing(run, options);
    case "soak":
      return (await import("./soak.ts")).soak(run, options);
  }
}
