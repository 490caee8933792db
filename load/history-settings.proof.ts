import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { lagging } from "../conformance/changes/replica.ts";
import { onAnswers, withStatus, type Change } from "../conformance/changes/mutant.ts";
import { openBooked, reconciled, type Booked } from "../conformance/reconcile/booked.fixture.ts";
import { openHistories } from "./histories.fixture.ts";
import { everywhere, historyMutants, inOneProcess, type ProcessFault } from "./history-mutants.fixture.ts";

/** A server all of whose reads are late. */
const late =
  (lateMs: number) =>
  (fault: ProcessFault): Change =>
    lagging(lateMs, everywhere(fault));

/** Where a fault is harder to see. */
const settings = [
  { setting: "in one process of three", faults: historyMutants(), of: inOneProcess },
  { setting: "where all reads are 300 ms late", faults: historyMutants(300), of: late(300) },
];

let histories: Awaited<ReturnType<typeof openHistories>>;
beforeAll(async () => {
  histories = await openHistories();
});
afterAll(() => histories.stage.close());

test("one answer of three is of the process at fault", async () => {
  const atFault = onAnswers(() => true, withStatus(503));
  const statuses = await histories.stage.perform(
    inOneProcess({ change: atFault }),
    async ({ base_url: url }) => {
      const answers: number[] = [];
      for (let asked = 0; asked < 6; asked += 1) answers.push((await fetch(url)).status);
      return answers;
    },
  );
  expect(statuses.filter((status) => status === 503)).toHaveLength(2);
});

test.for([
  { setting: "with three processes", of: inOneProcess, isLate: false },
  { setting: "whose reads are 300 ms late", of: late(300), isLate: true },
  { setting: "whose reads are 2 s late", of: late(2_000), isLate: true },
])("a server without a fault $setting is not accused", async ({ of, isLate }) => {
  for (const scenario of ["history", "billing"] as const) {
    const { findings, values } = await histories.perform(of({ change: {} }), scenario);
    expect(findings).toEqual([]);
    if (isLate && scenario === "history") expect(values["stale"]).toBeGreaterThan(0);
  }
});

describe.for(settings)("a history $setting", ({ faults, of }) => {
  test.for([...faults])("names $name: $caughtBy", async ({ names, ...fault }) => {
    const found = await histories.found(of(fault), ...names);
    expect(
      names.some((name) => found.includes(name)),
      found.join(),
    ).toBe(true);
  });
});

const ofTheBalance = historyMutants().filter(({ caughtBy }) => /-at-rest$/.test(caughtBy));

describe("a fault of the balance in one process of three", () => {
  test.for(ofTheBalance)("a load of billing names it: $name: $caughtBy", async ({ caughtBy, ...fault }) => {
    const { findings } = await histories.perform(inOneProcess(fault), "billing");
    expect(findings.map(({ name }) => name)).toContain(caughtBy);
  });

  let booked: Booked;
  beforeAll(async () => void (booked = await openBooked(300)), 120_000);
  afterAll(() => booked.close());

  test.for([
    { name: "none", fault: { change: {} } },
    ...ofTheBalance.map((fault) => ({ name: fault.name, fault })),
  ])("reconciling the account shows it: $name", async ({ name, fault }) => {
    const { anomalies } = await booked.perform(inOneProcess(fault), (profile) =>
      reconciled(profile, booked.key),
    );
    expect(anomalies.total > 0).toBe(name !== "none");
  });
});
