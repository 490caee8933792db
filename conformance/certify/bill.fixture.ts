import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { RightClient } from "../traffic/clients/right-client.ts";
import { wrongClients } from "../traffic/clients/wrong-clients.ts";
import { tasks } from "../traffic/clients/tasks.fixture.ts";
import type { Bill } from "./bill.ts";
import { certificateOf } from "./certificate.ts";
import { certify } from "./certify.ts";
import { costlyClients } from "./costly-clients.fixture.ts";
import { inProcess } from "./in-process.fixture.ts";
import { scenariosOf } from "./scenarios.ts";
import { openStage, type Stage } from "./stage.ts";

const scenarios = scenariosOf({ patient: false }).filter(({ id }) =>
  ["lost@1", "lost@2", "limited@1"].includes(id),
);

/** Two tasks, of 1 and 2 credits; each loses its answer once, and the first is limited once. */
const careful: Partial<Bill> = {
  runs: 3,
  tasks: 6,
  finished: 4,
  credits: 9,
  credits_per_finished_task: { median: 3, p95: 3, worst: 3 },
  paid_twice: 0,
  paid_unused: 3,
  refused_although_safe: 0,
  budget_for_95_percent: null,
  limited_requests: 1,
};
const replaying: Partial<Bill> = {
  ...careful,
  finished: 6,
  credits: 12,
  credits_per_finished_task: { median: 2, p95: 2.5, worst: 2.5 },
  paid_twice: 3,
  paid_unused: 0,
  budget_for_95_percent: 5,
};

const givesUp = class extends RightClient {
  protected override waitAsAsked(): Promise<void> {
    throw new Error("too many requests");
  }
};

/** What each client pays, by its name. */
export const bills: Record<string, readonly [Client: typeof RightClient, Partial<Bill>]> = {
  "looks up": [RightClient, careful],
  "ends with a 429": [
    givesUp,
    {
      ...careful,
      finished: 2,
      credits: 6,
      credits_per_finished_task: { median: 3, p95: 3, worst: 3 },
      refused_although_safe: 1,
    },
  ],
  "sends a lost Call again": [wrongClients["FLOW-15"] as typeof RightClient, replaying],
  ...costing("decodes strictly", careful),
  ...costing("knows a closed list of units", careful),
  ...costing("never looks", careful),
  ...costing("has its own timeout, and tries again", replaying),
  ...costing("begins again with another session and search", replaying),
  ...costing("looks where the audit cannot show it", replaying),
  ...costing("tries again after more than a minute", replaying),
  ...costing("trusts a failed look-up", replaying),
  // Two equal queries of 1.5 credits; it does not send again what is limited.
  ...costing("sends a capability query again", {
    ...replaying,
    finished: 5,
    credits: 10.5,
    credits_per_finished_task: { median: 2.25, p95: 2.25, worst: 2.25 },
    refused_although_safe: 1.5,
    budget_for_95_percent: null,
  }),
  // Another tool, of 0.025 credits, in the place of each lost one.
  ...costing("takes another tool for the same", {
    ...careful,
    credits: 9.05,
    credits_per_finished_task: { median: 3.025, p95: 3.025, worst: 3.025 },
    paid_twice: 0.05,
  }),
};

function costing(name: string, bill: Partial<Bill>): typeof bills {
  return { [name]: [costlyClients[name]!.Client as typeof RightClient, bill] };
}

/** Shows that the bills of clients are exact. */
export function proveBills(names: readonly string[]): void {
  let folder: string;
  let stage: Stage;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "capability-contract-bill-"));
    stage = await openStage(folder);
  });
  afterAll(async () => {
    await stage.close();
    await rm(folder, { recursive: true, force: true });
  });

  it.each(names.map((name) => [name, ...bills[name]!] as const))(
    "the bill of the client that %s is exact",
    async (_, Client, bill) => {
      const run = inProcess(Client, tasks.slice(0, 2));
      const certified = await certify({ stage, run, scenarios, parallel: 3 });
      const { with_faults, without_faults } = certificateOf(certified, {
        command: ["client"],
        options: [],
        startedAt: 0,
      }).bill;
      expect(with_faults).toMatchObject(bill);
      expect(without_faults).toMatchObject({
        runs: 2,
        tasks: 4,
        finished: 4,
        credits: 6,
        credits_per_finished_task: { median: 1.5, p95: 1.5, worst: 1.5 },
        paid_twice: 0,
        paid_unused: 0,
        budget_for_95_percent: 3,
      });
    },
  );
}
