import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { onAnswers, onPath, withStatus, type Change } from "../../changes/mutant.ts";
import { openStage, type Stage } from "../../proof/stage.ts";
import { variations } from "../../proof/variations/index.ts";
import type { Change as Difference } from "../change.ts";
import { readSource } from "../source.ts";
import { driftLive } from "./live.ts";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

const ours = await readSource("generated/openapi.json");

/** The breaking differences that `drift live` reports of a changed reference server. */
const breakingOf = async (change: Change): Promise<Difference[]> => {
  const { changes } = await stage.perform({ parts: (parts) => parts, ...change }, (profile) =>
    driftLive(profile, ours, { today: "2026-11-20" }),
  );
  return changes.filter((difference) => difference.class === "breaking");
};

describe("a lawful server breaks nothing", () => {
  test.for([...variations])("$name", async ({ change }) => {
    expect(await breakingOf(change)).toEqual([]);
  });
});

test("the reference server does not drift, seen with a profile", async () => {
  const { changes } = await stage.perform({}, (profile) => driftLive(profile, ours, { today: "2026-11-20" }));
  expect(changes.map(({ kind, where, new: found }) => [kind, where, found])).toEqual([]);
});

test.for<[kind: string, change: Change]>([
  ["live_type_differs", onPath("call", "success", () => "true")],
  ["live_type_differs", onPath("listLedger", "data.items.*.amount_credits", () => true)],
  ["live_field_missing", onPath("call", "execution_id", () => undefined)],
  ["live_enum_value_undocumented", onPath("listUsage", "data.items.*.charge_outcome", () => "waived")],
  ["live_value_differs", onPath("listUsage", "data.items.*.created_at", () => "yesterday")],
  ["live_status_undocumented", onAnswers(({ operation }) => operation === "discover", withStatus(202))],
])("%s of a server that breaks the contract is breaking", async ([kind, change]) => {
  expect((await breakingOf(change)).map((difference) => difference.kind)).toContain(kind);
});
