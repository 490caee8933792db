import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WrongUse } from "../base/exit.ts";
import { variations } from "../conformance/proof/variations/index.ts";
import { openHistories } from "./histories.fixture.ts";
import { everywhere, historyMutants, soon } from "./history-mutants.fixture.ts";

let histories: Awaited<ReturnType<typeof openHistories>>;
beforeAll(async () => {
  histories = await openHistories();
});
afterAll(() => histories.stage.close());

const rows: { name: string; billing: string; history: string }[] = [];

/** What is found on the unaltered server proves nothing. */
test("a storm and a history of the unaltered server find nothing", async () => {
  for (const scenario of ["history", "billing"] as const)
    expect((await histories.perform(soon, scenario)).findings).toEqual([]);
});

describe("a history names what is wrong", () => {
  test.for(historyMutants())("$name: $caughtBy", async ({ name, names, ...fault }) => {
    const change = everywhere(fault);
    const { findings } = await histories.perform(change, "billing");
    const found = {
      billing: findings.map((finding) => finding.name),
      history: await histories.found(change, ...names),
    };
    rows.push({ name, billing: found.billing.join(", "), history: found.history.join(", ") });
    console.info(`${name} | ${found.billing.join(", ") || "survives"} | ${found.history.join(", ")}`);
    expect(
      names.some((name) => found.history.includes(name)),
      found.history.join(),
    ).toBe(true);
  });

  test("it sees at least eight faults that a storm of billing does not see", () => {
    const survivors = rows.filter(({ billing, history }) => billing === "" && history !== "");
    expect(survivors.length).toBeGreaterThanOrEqual(8);
  });
});

describe.for(["history", "billing"] as const)("a load %s of a lawful server finds nothing", (scenario) => {
  test.for([...variations])("$name", async ({ change }) => {
    const findings = await histories.perform(change, scenario, 20).then(
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
