import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { releaseFile, releasedVersions } from "../base/pinned.ts";
import { clauses } from "../generated/clauses.ts";
import { operations } from "../generated/contract.ts";
import { changedFacts, factsNote, statusesOf } from "./check-facts.ts";
import { readSpec } from "./generate.ts";

interface Facts {
  operations: {
    discover: { rateLimit: { requests: number; windowSeconds: number } };
    listUsage: { query: object };
  };
  answers: { call: { 200: { path: string }[] } };
  eventTypes: string[];
}

interface Paths {
  "/agent/claim-verify": { post: { responses: Record<string, unknown> } };
}

const released = JSON.parse(
  readFileSync(releaseFile(releasedVersions().at(-1)!, "facts.json"), "utf8"),
) as Facts;

/** The note on one change of the released facts. */
function noteOf(
  change: (facts: Facts) => unknown,
  cited: readonly string[] = clauses.map(({ id }) => id),
): string[] {
  const now = structuredClone(released);
  change(now);
  return factsNote(changedFacts(released, now), clauses, new Set(cited));
}

describe("the note of facts", () => {
  it("is empty where nothing differs", () => {
    expect(noteOf(() => undefined)).toEqual([]);
  });

  it("names a quota, the clause that judges it, and the sentences that keep the old one", () => {
    const [head, judged, ...stale] = noteOf((facts) => (facts.operations.discover.rateLimit.requests = 7));
    const old = operations.discover.rateLimit.requests;
    expect(head).toBe(`operations.discover.rateLimit.requests: ${old} is now 7`);
    expect(judged).toContain("LIMI-01");
    expect(stale.join("\n")).toMatch(new RegExp(`^  spec/\\S+:\\d+ still says: .*${old} requests`, "m"));
  });

  it("finds the minutes of a window in prose", () => {
    const [, judged, ...stale] = noteOf((facts) => (facts.operations.discover.rateLimit.windowSeconds = 30));
    expect(judged).toContain("LIMI-06");
    expect(stale.some((line) => line.includes("spec/clauses/limits.yaml"))).toBe(true);
  });

  it("says so when nothing judges a parameter, a member or a word", () => {
    const nothing = "  judged by nothing: no clause names it that a check or a rule cites";
    for (const [change, head] of [
      [
        (facts: Facts) =>
          (facts.operations.listUsage.query = { ...facts.operations.listUsage.query, shoe_size: {} }),
        "operations.listUsage.query.shoe_size: nothing is now {}",
      ],
      [
        (facts: Facts) => facts.answers.call[200].push({ path: "place" }),
        'answers.call.200.place: nothing is now {"path":"place"}',
      ],
      [(facts: Facts) => facts.eventTypes.push("nap"), 'eventTypes.nap: nothing is now "nap"'],
    ] as const)
      expect(noteOf(change)).toEqual([head, nothing]);
  });

  it("names a status that an operation gains", async () => {
    const now = structuredClone(await readSpec());
    const verify = (now.paths as unknown as Paths)["/agent/claim-verify"].post;
    verify.responses["409"] = verify.responses["422"]!;
    const changed = changedFacts(statusesOf(await readSpec()), statusesOf(now), "operations");
    expect(changed).toEqual([{ name: "operations.verifyClaim.statuses.409", old: undefined, now: "409" }]);
  });

  it("names a member that is gone, and what judged it", () => {
    const note = noteOf(
      ({ answers: { call } }) => (call[200] = call[200].filter(({ path }) => path !== "cost")),
    );
    expect(note[0]).toMatch(/^answers\.call\.200\.cost: .* is now nothing$/);
    expect(note[1]).toMatch(/^ {2}judged by CALL-\d\d/);
  });
});
