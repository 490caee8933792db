import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { demo } from "../../conformance/run/demo/demo.ts";
import { repository } from "./pages.ts";

/** The commands of a page, as a reader copies them one after another. */
const commandsOf = (page: string): string =>
  [...readFileSync(path.join(repository, "docs", page), "utf8").matchAll(/^```sh\n([\s\S]*?)^```$/gm)]
    .map(([, commands]) => commands)
    .join("");

/** A folder in which the package is installed: its binary is that of this clone. */
function readersFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), "capability-contract-reader-"));
  const binary = path.join(folder, "node_modules/.bin/capability-contract");
  mkdirSync(path.dirname(binary), { recursive: true });
  writeFileSync(binary, `#!/bin/sh\nexec "${process.execPath}" "${repository}/cli/cli.ts" "$@"\n`);
  chmodSync(binary, 0o755);
  return folder;
}

test.each([
  ["implementers.md", /clauses shown to be kept/],
  ["ci.md", /clauses shown to be kept/],
  ["load-testers.md", /nothing failed: billing/],
  ["clients.md", /FLOW-15/],
  ["reconcile.md", /Nothing contradicts itself/],
])("the commands of %s do what the page says, as they are written", async (page, said) => {
  const folder = readersFolder();
  try {
    const { stdout } = await demo(({ base_url: SERVER }) =>
      promisify(execFile)("bash", ["-euc", commandsOf(page)], {
        cwd: folder,
        env: { ...process.env, SERVER },
        maxBuffer: 64 * 1024 * 1024,
      }),
    );
    expect(stdout).toMatch(said);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
