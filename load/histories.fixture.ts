import type { Change } from "../conformance/changes/mutant.ts";
import { openStage, type Stage } from "../conformance/proof/stage.ts";
import { load } from "./load.ts";
import type { LoadReport } from "./report/load-report.ts";

const options = { connections: 16, accounts: 2, calls: 60 };

/** A fault that a reader must meet at the right moment may take another seed. */
const maxRuns = 3;

/** Loads changed servers while clients read what others write. */
export async function openHistories() {
  const stage: Stage = await openStage();

  const perform = (
    change: Change,
    scenario: "history" | "billing" = "history",
    calls = options.calls,
  ): Promise<LoadReport> =>
    stage.perform({ parts: (parts) => parts, ...change }, (profile) =>
      load(profile, { scenario, options: { ...options, calls }, thresholds: [] }),
    );

  return {
    stage,
    perform,
    /** The names of what is found: in one load, or in a few until one that is wanted is among them. */
    async found(change: Change, ...wanted: string[]): Promise<string[]> {
      const names: string[] = [];
      for (let run = 1; run <= maxRuns && !wanted.some((name) => names.includes(name)); run += 1)
        names.push(...(await perform(change)).findings.map((finding) => finding.name));
      return names;
    },
  };
}
