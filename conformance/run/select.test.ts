import { describe, expect, it } from "vitest";
import type { ClauseId } from "../../generated/clauses.ts";
import { check } from "./check.ts";
import renamed from "../judge/renamed.json" with { type: "json" };
import { rule } from "../judge/rule.ts";
import { WrongUse } from "../../base/exit.ts";
import { select } from "./select.ts";

const some = (clauses: ClauseId | ClauseId[], title: string) => check(clauses, title, async () => undefined);
const checks = [some("CALL-01", "one"), some(["CALL-02", "BILL-01"], "two"), some("DISC-01", "three")];
const rules = [rule("CALL-01", "always so", () => true), rule("HTTP-01", "everywhere", () => true)];

const chosen = (...names: string[]): string[] => {
  const selection = select(checks, rules, names);
  return [...selection.checks, ...selection.rules].map(({ id }) => id);
};

describe("what --only chooses", () => {
  it("is everything when nothing is named", () => {
    expect(chosen()).toHaveLength(5);
    expect(select(checks, rules, undefined).rules).toHaveLength(2);
  });

  it("is an area, a clause, a check or a rule, and any of several", () => {
    expect(chosen("CALL")).toEqual(["CALL-01/one", "CALL-02/two", "CALL-01/always"]);
    expect(chosen("BILL-01")).toEqual(["CALL-02/two"]);
    expect(chosen("bill-01")).toEqual(["CALL-02/two"]);
    expect(chosen("CALL-02/two")).toEqual(["CALL-02/two"]);
    expect(chosen("HTTP-01/always", "DISC")).toEqual(["DISC-01/three", "HTTP-01/always"]);
  });

  it("has the area's checks as witnesses of a clause that only rules judge", () => {
    const always = [rule("CALL-04", "always so", () => true)];
    const selection = select(checks, always, ["CALL-04"]);
    expect(selection.checks).toEqual([]);
    expect(selection.witnesses.map(({ id }) => id)).toEqual(["CALL-01/one", "CALL-02/two"]);
    expect(select(checks, rules, ["CALL-01"]).witnesses).toEqual([]);
  });

  it("is refused when a name chooses nothing, even along with one that does, and the areas are listed", () => {
    expect(() => chosen("CALL", "CALL-1")).toThrow(WrongUse);
    expect(() => chosen("CAL")).toThrow("areas are BILL, CALL, DISC, HTTP");
  });
});

describe("the ids of checks and rules", () => {
  it("each name only one, in the suite itself", async () => {
    const { checks: all } = await import("../suite/checks.ts");
    const { rules: always } = await import("../suite/rules.ts");
    const ids = [...all, ...always].map(({ id }) => id);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  });

  it("are found by the ids of earlier releases", async () => {
    const { checks: all } = await import("../suite/checks.ts");
    const { rules: always } = await import("../suite/rules.ts");
    const ids = new Set([...all, ...always].map(({ id }) => id));
    for (const [old, now] of Object.entries(renamed)) {
      expect([old, ids.has(old)]).toEqual([old, false]);
      expect([now, ids.has(now)]).toEqual([now, true]);
    }
    const selection = select(all, always, ["CALL-16/tool-id-in-the-query-alone-is-enough"]);
    expect(selection.checks.map(({ id }) => id)).toEqual(["CALL-16/tool-id-only-in-the-query-is-enough"]);
  });
});
