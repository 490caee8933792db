import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { habits, habitsIn } from "./check-style.ts";

const page = readFileSync(new URL("../docs/style.md", import.meta.url), "utf8");

/** The rows of the table of habits: name, what to write, a bad example and a good one. */
const rows = page
  .slice(page.indexOf("| habit"))
  .split("\n\n")[0]!
  .split("\n")
  .slice(2)
  .map((row) => row.split("|").map((cell) => cell.trim()))
  .map(([, name, , bad, good]) => ({ name: name!, bad: bad!, good: good! }));

const names = (problems: readonly string[]): string[] =>
  problems.map((problem) => /\(([^()]*)\)$/.exec(problem)![1]!);

describe("the habits of docs/style.md", () => {
  it("are those that the check looks for", () => {
    expect(rows.map(({ name }) => name)).toEqual(habits.map(({ name }) => name));
    expect(rows).toHaveLength(20);
  });

  it.each(rows)("$name: the bad example is found, the good one is not", ({ name, bad, good }) => {
    expect(names(habitsIn("docs/page.md", `Some words.\n\n${bad}\n`))).toEqual([name]);
    expect(habitsIn("docs/page.md", `Some words.\n\n${good}\n`)).toEqual([]);
  });
});

describe("a text is read", () => {
  it("in comments, literals and templates of a source, with its line", () => {
    const source = 'const a = 1;\n/** The rest\n * is red. */\nsay(`${a} is no ${a}`, "mend it");\n';
    expect(habitsIn("cli/a.ts", source)).toEqual([
      'cli/a.ts:3: "is red" (red)',
      'cli/a.ts:4: "is no _" (is no)',
      'cli/a.ts:4: "mend" (mend)',
    ]);
  });

  it("in comments and sentences of YAML, but not in quotes", () => {
    const yaml = "# It stands here.\n- quote: the total is no number\n  text: The total is no number.\n";
    expect(habitsIn("spec/clauses/a.yaml", yaml)).toEqual([
      'spec/clauses/a.yaml:1: "stands" (stands)',
      'spec/clauses/a.yaml:3: "is no number" (is no)',
    ]);
  });

  it("across the lines of a page", () => {
    expect(habitsIn("docs/a.md", "The two\nare\ntold at last.\n")).toEqual([
      'docs/a.md:2: "are told" (told)',
    ]);
  });
});

describe("no alarm", () => {
  it.each([
    "There is no account.",
    "It is no longer sent, and no more than 3 are.",
    "`*` stands for anything.",
    "The two are all the same.",
    "The server answers 429; it answers with the error object.",
    "Run `npm run judge -- a.har`; the key `mended` stays.",
    "The client wants a full result.",
    "Are there any more rows?",
    "The two rows differ.",
  ])("%s", (text) => {
    expect(habitsIn("docs/a.md", `${text}\n`)).toEqual([]);
  });
});
