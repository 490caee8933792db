import { expect, test } from "vitest";
import type { Lawful } from "./lawful/results.ts";
import type { Reasons } from "./dispositions.ts";
import { fatesOf, figureText, sharesOf, type Fates } from "./figures.ts";
import { staleIn } from "./page.ts";
import type { Results } from "./store.ts";

const hand: Results = {
  day: "2026-11-22",
  subjects: 8,
  killed: ["CALL-07 one", "CALL-07 two", "CALL-08 three"],
  survived: [],
  unmet: [],
  quiet: ["an oddity"],
  alarmed: [],
  seenThrough: ["a", "b", "c", "d"],
  praised: [],
  excused: [],
};
const fates: Fates = { mutants: 9, killed: 4, excused: 1, unreached: 1, holes: 2, unrun: 1 };
const lawful: Lawful = {
  day: "2026-11-22",
  seed: "1",
  points: 5,
  met: 4,
  servers: 3,
  pairs_covered: 0.955,
  judged: { a1: 8, b2: 10 },
  pairs_judged: 0.61,
  alarms: [],
  unfinished: [],
  unmet: ["x"],
};
const text = figureText(hand, { spec: fates, code: fates }, lawful, 0);
const readmeWith = (shown: string): string =>
  `# X\n\n<!-- figure of the mutants -->\n\n${shown}\n\n<!-- end of the figure -->\n`;

test("a survivor without a reason is a hole; a mutant that is never reached counts by its reason, if any", () => {
  const results = { killed: ["a", "b"], survived: ["c one", "c two", "d"], unmet: ["c one more", "e"] };
  const reasons: Reasons = {
    dispositions: [
      { of: "c one.*", is: "permitted", because: "it may", quote: "…" },
      { of: "c two", is: "hole", because: "nobody looks" },
    ],
    excused: new Set(["c one", "c one more", "c two"]),
  };
  expect(fatesOf(8, results, reasons)).toEqual({
    mutants: 8,
    killed: 2,
    excused: 2,
    unreached: 1,
    holes: 2,
    unrun: 1,
  });
  // A new mutant that only matches a reason is not excused by it.
  expect(fatesOf(8, results, { ...reasons, excused: new Set(["c two"]) })).toMatchObject({
    excused: 0,
    holes: 3,
    unreached: 2,
  });
});

test("the shares are of all mutants, and of those that are judged", () => {
  expect(sharesOf({ ...fates, mutants: 8, killed: 4, holes: 1 })).toEqual({
    ofAll: "50.0 %",
    ofJudged: "80.0 %",
  });
});

test("the figure says how many lawful variations were judged, and how", () => {
  expect(text).toContain("**3 of 3 mutants** of 2 clauses killed");
  expect(text).toContain("**0 of 4 impostors** praised");
  expect(text).toContain("**4 lawful variations**");
  expect(text).toContain("2 of 3 servers of many variations each tried");
  expect(text).toContain("cover 61.0 % of the pairs: **0 false alarms**");
});

test("a figure is fresh while the README shows it and all is proved", () => {
  expect(staleIn(readmeWith(text), text, [], [])).toEqual([]);
});

test("a figure is stale when the README shows another, or a mutant was added since", () => {
  const old = readmeWith(
    figureText({ ...hand, killed: ["CALL-07 one"] }, { spec: fates, code: fates }, lawful, 0),
  );
  const field = "field call 200 cost constant";
  expect(staleIn(old, text, ["CALL-07 charges twice", "a lawful oddity"], [field])).toEqual([
    expect.stringMatching(/^README\.md shows other figures/),
    "no stored result: CALL-07 charges twice. Run npm run mutants -- --publish --only CALL-07",
    "no stored result: a lawful oddity. Run npm run mutants -- --publish --only 'a lawful oddity'",
    expect.stringMatching(/^survives for no recorded reason: field call .* --only '.*' --excuse$/),
  ]);
});
