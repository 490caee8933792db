import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { inSequence, waiting } from "./sequence.ts";

it("begins files that wait early and apart from each other, and keeps a project's files together", () => {
  const files = [..."abcdefghi", "W1", "sqlite", ..."jk", "W2"].map((name) => ({
    name,
    project: name === "sqlite" ? "Node's SQLite" : "tests",
    isWaiting: name.startsWith("W"),
  }));
  expect(inSequence(files, (file) => file).map(({ name }) => name)).toEqual([
    "W1",
    ..."abcdefg",
    "W2",
    ..."hijk",
    "sqlite",
  ]);
});

it("names files that exist", () => {
  for (const name of waiting) expect(existsSync(join(import.meta.dirname, "..", name)), name).toBe(true);
});
