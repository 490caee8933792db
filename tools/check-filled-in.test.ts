import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { withTemporaryFolder } from "../base/temporary-folder.ts";
import { leftToFillIn } from "./check-filled-in.ts";

it("names each place that was scaffolded and not filled in", () =>
  withTemporaryFolder((folder) => {
    const put = (file: string, text: string): void => {
      mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
      writeFileSync(path.join(folder, file), text);
    };
    put("spec/clauses/call.yaml", 'clauses:\n  - id: CALL-44\n    text: "TODO: what a server does."\n');
    put("conformance/suite/call/a.checks.ts", 'check("CALL-44", "TODO: what it shows");\n');
    put("conformance/suite/call/b.checks.ts", 'check("CALL-44", "a call is free");\n');
    expect(leftToFillIn(folder)).toEqual([
      'conformance/suite/call/a.checks.ts:1 is not filled in: replace check("CALL-44", "TODO: what it shows");',
      'spec/clauses/call.yaml:3 is not filled in: replace text: "TODO: what a server does."',
    ]);
    return Promise.resolve();
  }));

it("finds nothing left in this repository", () => {
  expect(leftToFillIn()).toEqual([]);
});
