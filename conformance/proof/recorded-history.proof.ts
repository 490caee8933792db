import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { withTemporaryFolder } from "../../base/temporary-folder.ts";
import type { Change } from "../changes/mutant.ts";
import { History } from "../books/history/history.ts";
import { levelOf } from "../judge/level.ts";
import { run } from "../run/run.ts";
import { checks } from "../suite/checks.ts";
import { readHar, surveyOf, type Traffic } from "../traffic/har.ts";
import { tell } from "../traffic/judge.ts";
import { writeHar } from "../traffic/write-har.ts";
import { answered } from "./spec/judge.ts";
import { openStage, type Stage } from "./stage.ts";
import { variations } from "./variations/index.ts";

let stage: Stage;
const recorded: Traffic[] = [];

beforeAll(async () => {
  stage = await openStage();
  const { exchanges } = await stage.perform({}, (profile) =>
    run(profile, { checks, rules: [], fast: true, anyKind: true }),
  );
  await withTemporaryFolder(async (folder) => {
    const file = join(folder, "suite.har");
    writeHar(file, exchanges);
    for await (const traffic of readHar(file, await surveyOf(file))) recorded.push(traffic);
  });
}, 600_000);
afterAll(() => stage.close());

/** The contradictions in a history of the recording, with answers as a variation would give them. */
async function foundIn(change: Change, isComplete: boolean): Promise<string[]> {
  // Concurrently, since a variation may answer late.
  const changed = await Promise.all(
    recorded.map(async (traffic) => ({
      ...traffic,
      exchange: (await answered(change, traffic.exchange)) ?? traffic.exchange,
    })),
  );
  const history = new History({ lagSeconds: 5, isComplete, isRecorded: true });
  for (const traffic of changed) tell(history, traffic);
  return history
    .judge()
    .contradictions.filter(({ clauses }) => levelOf(clauses) === "must")
    .map(({ name }) => name);
}

describe("the recording of a lawful server", () => {
  const onWire = variations.filter(({ change }) => change.wire && !change.operations && !change.parts);
  test.for([{ name: "changes nothing", change: {} }, ...onWire])(
    "that $name contradicts nothing",
    async ({ change }) => {
      expect(await foundIn(change, true), "complete").toEqual([]);
      expect(await foundIn(change, false), "not complete").toEqual([]);
    },
  );
});
