import { kept } from "../base/data.ts";
import type { Change } from "../conformance/changes/mutant.ts";
import { openStage } from "../conformance/proof/stage.ts";
import type { LimitedOperation } from "../generated/contract.ts";
import { goingBy, jumpingClock } from "./jumping-clock.fixture.ts";
import { load } from "./load.ts";
import type { LoadReport } from "./report/load-report.ts";
import type { Scenario } from "./scenarios/index.ts";

/** The smallest load. */
export const smallest = { seconds: 1, rate: 5, connections: 12, accounts: 1, calls: 24 };

/** The phase of a minute at which the loads begin: windows must be recognised at any phase. */
export const phase = Number(process.env["LOAD_PHASE"] ?? Math.floor(Math.random() * 60_000));

/** Loads changed servers. Where windows are awaited, both sides use a clock that jumps over pauses. */
export async function openLoads() {
  const stage = await openStage();
  const known = new Map<string, Promise<readonly string[]>>();

  function perform(change: Change, scenario: Scenario, operation: LimitedOperation): Promise<LoadReport> {
    const clock = scenario === "rate-limits" ? jumpingClock(phase) : undefined;
    const task = { scenario, options: { ...smallest, operations: [operation] }, thresholds: [] };
    return stage.perform(clock === undefined ? change : goingBy(clock, change), (profile) =>
      load(profile, task, {}, clock),
    );
  }

  return {
    stage,
    perform,
    /** The names of the findings on the unaltered server: such a finding proves nothing. */
    findingsUnaltered: ({ config, profile }: Change, scenario: Scenario, operation: LimitedOperation) =>
      kept(known, `${scenario} ${operation} ${JSON.stringify(config)}`, async () => {
        const right = { ...(config && { config }), ...(profile && { profile }) };
        return (await perform(right, scenario, operation)).findings.map(({ name }) => name);
      }),
  };
}
