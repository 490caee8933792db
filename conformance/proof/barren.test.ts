import { expect, test } from "vitest";
import { openBarren } from "./barren.ts";
import { mutants } from "./mutants.ts";
import { specMutants } from "./spec/index.ts";

test("every mutant that a barren stage may hide exists and is named once", () => {
  const names = Object.values(openBarren).flat();
  const known = [
    ...mutants.map(({ clause, name }) => `${clause} ${name}`),
    ...specMutants.map(({ id }) => id),
  ];
  expect(names.filter((name) => !known.includes(name))).toEqual([]);
  expect(new Set(names).size).toBe(names.length);
});
