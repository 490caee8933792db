import { expect, it } from "vitest";
import { importsFrom, undeclaredImports } from "./check-packages.ts";

it("finds what a program imports on its way, up to the room that its package leaves out", () => {
  const files: Record<string, string[]> = {
    "cli/cli.ts": ["node:fs", "../suite/a.ts", "../server/s.ts"],
    "suite/a.ts": ["fast-check", "@scope/name/part.js", "../cli/cli.ts"],
    "server/s.ts": ["express"],
  };
  const imported = (without?: string) => importsFrom(["cli/cli.ts"], without, (file) => files[file]!);
  expect(imported("server/")).toEqual([
    ["suite/a.ts", "fast-check"],
    ["suite/a.ts", "@scope/name"],
  ]);
  expect(imported()).toContainEqual(["server/s.ts", "express"]);
});

it("finds no import that a package does not name", () => {
  expect(undeclaredImports()).toEqual([]);
});
