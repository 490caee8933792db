import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { afterAll, expect, test } from "vitest";

const folder = mkdtempSync(join(tmpdir(), "capability-contract-completion-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const binary = join(folder, "capability-contract");
writeFileSync(
  binary,
  `#!/bin/sh\nexec "${process.execPath}" "${resolve(import.meta.dirname, "cli.ts")}" "$@"\n`,
);
chmodSync(binary, 0o755);

/** What bash offers after some words, the last of them begun; the package bash-completion supplies the words. */
function offered(lines: readonly (readonly string[])[]): string[][] {
  const asked = lines.map(
    (words) => `
    _get_comp_words_by_ref() { words=(capability-contract ${words.map((word) => `'${word}'`).join(" ")}); cur='${words.at(-1)}'; }
    COMPREPLY=()
    __capability_contract_complete 2>/dev/null
    echo "$(IFS=,; echo "\${COMPREPLY[*]}")"`,
  );
  const script = `eval "$(capability-contract complete bash)"\n${asked.join("\n")}`;
  const env = { ...process.env, PATH: `${folder}${delimiter}${process.env["PATH"]}` };
  return execFileSync("bash", ["-c", script], {
    encoding: "utf8",
    env,
    cwd: resolve(import.meta.dirname, "../base"),
  })
    .split("\n")
    .slice(0, -1)
    .map((line) => line.split(","));
}

const completions = [
  [["con"], ["conformance"]],
  [["conformance", "--max"], ["--max-requests"]],
  [
    ["conformance", "--trace", ""],
    ["failures", "all"],
  ],
  [["drift", "s"], ["spec"]],
  [["drift", "spec", "--jun"], ["--junit"]],
  [["judge", "esc"], ["escaped.ts"]],
  [["conformance", "--html", "ya"], ["yaml/"]],
  [["drift", "spec", "yaml/near"], ["yaml/nearest.ts"]],
  [["conformance", "--json", "nowhere/"], [""]],
] as const;

test("bash completes verbs, flags, values and files", () => {
  const expected = completions.map(([, words]) => words);
  expect(offered(completions.map(([words]) => words))).toEqual(expected);
});
