import { expect, test } from "vitest";
import { sentenceOf, staleFigure, type Figure } from "./publish.ts";

const figure: Figure = {
  day: "2026-11-22",
  mutants: 3,
  killed: 3,
  clauses: 2,
  checksWithoutKill: 0,
  variations: 1,
  quietVariations: 1,
  impostors: 4,
  praisedImpostors: 0,
};
const readmeWith = (sentence: string): string =>
  `# X\n\n<!-- figure of the mutants -->\n\n${sentence}\n\n<!-- end of the figure -->\n`;

test("a figure is fresh while the README shows it and as much is proved", () => {
  expect(staleFigure(readmeWith(sentenceOf(figure)), figure, figure)).toEqual([]);
});

test("a figure is stale when the README shows another, or a mutant has come since", () => {
  const old = readmeWith(sentenceOf({ ...figure, killed: 2 }));
  expect(staleFigure(old, figure, { ...figure, mutants: 4 })).toEqual([
    expect.stringMatching(/^README\.md shows another figure/),
    expect.stringMatching(/counts 3 mutants and there are 4: run npm run mutants -- --publish$/),
  ]);
});
