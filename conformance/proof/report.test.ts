import { expect, test, vi } from "vitest";
import { fateOf, report } from "./report.ts";
import type { GeneratedKill } from "./kill.ts";
import type { Scope, Source } from "./source.ts";

const sourceOf = (name: "spec" | "code"): Source<GeneratedKill> => ({
  name,
  subjects: [],
  prove: () => Promise.resolve([]),
  becameOf: (kill) => ({ ...kill, fate: fateOf(kill) }),
  ...(name === "code" && { minKilled: 0.95 }),
});
const scope: Scope = { complete: true, everything: true, unfinished: [], lost: [] };
const killed: GeneratedKill = { id: "killed one", killed_by: ["CALL-07/some"], met: 1, blocked: [] };
const survived: GeneratedKill = { id: "nobody sees it", killed_by: [], met: 3, blocked: ["CALL-09/other"] };
const unmet: GeneratedKill = { id: "nobody meets it", killed_by: [], met: 0, blocked: [] };

/** Whether the report says that something is wrong, and what it prints. */
function reported(name: "spec" | "code", kills: readonly GeneratedKill[], its: Partial<Scope> = {}) {
  const print = vi.spyOn(console, "log").mockReturnValue();
  const isWrong = report(sourceOf(name), kills, { ...scope, ...its });
  const printed = print.mock.calls.map(([line]) => line as string);
  print.mockRestore();
  return { isWrong, printed };
}

test("a mutant of the spec that lives for no reason is wrong, whether it was met or not", () => {
  expect(reported("spec", [killed])).toEqual({ isWrong: false, printed: ["generated mutants: 1 killed"] });
  const { isWrong, printed } = reported("spec", [killed, survived, unmet]);
  expect(isWrong).toBe(true);
  expect(printed).toEqual([
    "✗ survived  nobody sees it  (not judged: CALL-09/other)",
    "✗ survived  nobody meets it",
    expect.stringContaining("a reason in dispositions.yaml"),
    "generated mutants: 1 killed, 1 unexplained, 1 unreached",
  ]);
});

test("of the code, the share killed of a complete run counts, and what nothing meets does not", () => {
  expect(reported("code", [killed, unmet]).isWrong).toBe(false);
  expect(reported("code", [killed, survived]).isWrong).toBe(true);
  expect(reported("code", [killed, survived], { complete: false }).isWrong).toBe(false);
});

test("a check at fault, a lost kill and what was not judged are wrong", () => {
  const blind = { ...killed, blind: ["CALL-07/some (no credits)"] };
  expect(reported("code", [blind])).toMatchObject({
    isWrong: true,
    printed: ["✗ passes blindly  killed one: CALL-07/some (no credits)", "generated mutants: 1 killed"],
  });
  expect(reported("code", [{ ...killed, unsound: ["CALL-09/other"] }]).isWrong).toBe(true);
  expect(reported("code", [killed], { lost: ["gone"] }).printed).toContain("✗ was killed before  gone");
  expect(reported("code", [killed], { unfinished: ["slow: late"] }).isWrong).toBe(true);
  expect(reported("code", [{ ...killed, first: "neither" }])).toMatchObject({
    isWrong: false,
    printed: [
      "! reported elsewhere  killed one",
      "first findings: 0 cite the clause, 0 the operation, 1 neither",
      "generated mutants: 1 killed",
    ],
  });
});
