import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { certify } from "./certify.ts";
import { commandRun } from "./command.ts";
import { scenariosOf } from "./scenarios.ts";
import { openStage, type Stage } from "./stage.ts";

/** Right clients of `busy.mjs`. */
const clients = [
  "staggered",
  "together",
  "fan",
  "pool",
  "requeue",
  "processes",
  "chain",
  "slow",
  "hurried",
  "varying",
  "passing",
  "watching",
];
const names = [
  "lost@1",
  "lost@2",
  "cut@1",
  "error-503@1",
  "late@1",
  "limited@1",
  "limited-discover",
  "audit-empty@1",
  "unknown-members@1",
];
const scenarios = scenariosOf({ patient: false }).filter(({ id }) => names.includes(id));
const times = 5;
const file = new URL("right-clients/busy.mjs", import.meta.url).pathname;

let folder: string;
let stage: Stage;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "capability-contract-busy-"));
  stage = await openStage(folder);
});
afterAll(async () => {
  await stage.close();
  await rm(folder, { recursive: true, force: true });
});

describe.each([0, 12])("beside %i programs that keep the machine busy", (busy) => {
  const programs: ReturnType<typeof spawn>[] = [];
  beforeAll(() => {
    for (let count = 0; count < busy; count += 1)
      programs.push(spawn(process.execPath, ["-e", "for (;;) Math.random()"], { stdio: "ignore" }));
  });
  afterAll(() => programs.forEach((program) => program.kill()));

  it.each(clients)(
    "the right client %s has no finding, and the same verdicts in five runs",
    async (name) => {
      const run = commandRun([process.execPath, file, name], { envUrl: "BASE_URL", envKey: "API_KEY" });
      const runs: string[] = [];
      for (let time = 1; time <= times; time += 1) {
        const { judged, problems, idle } = await certify({ stage, run, scenarios, parallel: 3 });
        const found = judged.flatMap((run) =>
          run.problems.map((problem) => ({ id: run.scenario.id, ...problem })),
        );
        expect([...problems, ...found]).toEqual([]);
        expect(idle).toBeNull();
        runs.push(judged.map(({ scenario, verdict }) => `${scenario.id} ${verdict}`).join("\n"));
      }
      expect([...new Set(runs)]).toHaveLength(1);
    },
    1_800_000,
  );
});
