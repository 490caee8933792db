import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { longSentences, newestOf } from "./changelog.ts";

test("a sentence of more than thirty words is too long; code and ids are words", () => {
  const words = (count: number): string => Array.from({ length: count }, () => "word").join(" ");
  expect(longSentences(`- ${words(30)}.\n- ${words(31)}.\n`)).toEqual([`${words(31)}.`]);
  expect(longSentences(`- ${words(20)}. \`a flag with words\` ${words(20)}.\n`)).toEqual([]);
});

test("the newest part of a changelog is the first with a heading", () => {
  expect(newestOf("# Changelog\n\n## 0.2.0\n\n- New.\n\n## 0.1.0\n\n- Old.\n")).toEqual({
    heading: "0.2.0",
    text: "\n- New.\n\n",
  });
});

test("the newest part of this changelog has no sentence that is too long", () => {
  const changelog = readFileSync(new URL("../../docs/CHANGELOG.md", import.meta.url), "utf8");
  expect(longSentences(newestOf(changelog).text)).toEqual([]);
});
