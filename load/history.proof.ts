import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Change } from "../conformance/changes/mutant.ts";
import { WrongUse } from "../base/exit.ts";
import { openStage, type Stage } from "../conformance/proof/stage.ts";
import { variations } from "../conformance/proof/variations/index.ts";
import { historyMutants } from "./history-mutants.fixture.ts";
import { load } from "./load.ts";
import type { LoadReport } from "./report/load-report.ts";

const options = { connections: 16, accounts: 2, calls: 60 };

const maxRuns = 3;

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

const perform = (
  change: Change,
  scenario: "history" | "billing",
  calls = options.calls,
): Promise<LoadReport> =>
  stage.perform({ parts: (parts) => parts, ...change }, (profile) =>
    load(profile, { scenario, options: { ...options, calls }, thresholds: [] }),
  );

const rows: { name: string; billing: string; history: string }[] = [];

/** What is found on the unaltered server proves nothing. */
test("a storm and a history of the unaltered server find nothing", async () => {
  const { profile } = historyMutants[0]!.change;
  for (const scenario of ["history", "billing"] as const)
    expect((await perform({ ...(profile && { profile }) }, scenario)).findings).toEqual([]);
});

describe("a history names what is wrong", () => {
  test.for(historyMutants)("$name: $caughtBy", async ({ name, caughtBy, change }) => {
    const names = async (scenario: "history" | "billing"): Promise<string[]> =>
      (await perform(change, scenario)).findings.map((finding) => finding.name);
    const found = { billing: await names("billing"), history: await names("history") };
    // A fault that a reader must meet at the right moment may take another seed.
    for (let run = 2; run <= maxRuns && !found.history.includes(caughtBy); run += 1)
      found.history = await names("history");
    rows.push({ name, billing: found.billing.join(", "), history: found.history.join(", ") });
    console.info(`${name} | ${found.billing.join(", ") || "survives"} | ${found.history.join(", ")}`);
    expect(found.history).toContain(caughtBy);
  });

  test("it sees at least eight faults that a storm of billing does not see", () => {
    const survivors = rows.filter(({ billing, history }) => billing === "" && history !== "");
    expect(survivors.length).toBeGreaterThanOrEqual(8);
  });
});

describe.for(["history", "billing"] as const)("a load %s of a lawful server finds nothing", (scenario) => {
  test.for([...variations])("$name", async ({ change }) => {
    const findings = await perform(change, scenario, 20).then(
      (report) => report.findings.filter(({ verdict }) => verdict === "fail"),
      (error: unknown) => {
        // A server may show no tool that charges.
        if (error instanceof WrongUse) return [];
        throw error;
      },
    );
    expect(findings).toEqual([]);
  });
});
