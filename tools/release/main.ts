import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { version } from "../../base/described.ts";
import { exitingWith, WrongUse } from "../../base/exit.ts";
import { yes } from "../../base/flag.ts";
import { requirementsFile, suiteReleases } from "../../base/pinned.ts";
import { verb } from "../../base/verb.ts";
import type { Pinned } from "../../conformance/report/requirements.ts";
import { checks } from "../../conformance/suite/checks.ts";
import { rules } from "../../conformance/suite/rules.ts";
import { longSentences, newestOf } from "./changelog.ts";

const repository = path.resolve(import.meta.dirname, "../..");

const git = (...args: string[]): string =>
  execFileSync("git", args, { cwd: repository, encoding: "utf8" }).trim();

/** Runs an npm script. @throws WrongUse when it fails: nothing is released then */
function npmRun(...words: string[]): void {
  console.log(`\nnpm ${words.join(" ")}`);
  const { status } = spawnSync("npm", words, { cwd: repository, stdio: "inherit" });
  if (status !== 0) throw new WrongUse(`npm ${words.join(" ")} failed: ${version} is not ready`);
}

/** What must hold before anything is built: what people read names this version. */
function requireReady(): void {
  if (git("status", "--porcelain") !== "") throw new WrongUse("commit everything first");
  const { heading, text } = newestOf(readFileSync(path.join(repository, "docs/CHANGELOG.md"), "utf8"));
  if (heading !== version) throw new WrongUse(`the changelog begins with ${heading}, not with ${version}`);
  const [long] = longSentences(text);
  if (long !== undefined) throw new WrongUse(`a sentence of the changelog is too long: ${long}`);
  for (const file of ["README.md", "docs/ci.md"])
    if (!readFileSync(path.join(repository, file), "utf8").includes(`@v${version}`))
      throw new WrongUse(`${file} does not name the action as @v${version}`);
  if (suiteReleases().includes(version)) throw new WrongUse(`${version} is pinned already`);
}

/** Pins the checks and rules that count for who keeps to this release. */
function pinRequirements(): void {
  const ids = [...checks, ...rules].map(({ id }) => id).toSorted();
  const pinned: Pinned = { commit: git("rev-parse", "HEAD"), ids };
  writeFileSync(requirementsFile(version), `${JSON.stringify(pinned, null, 2)}\n`);
}

const main = verb({
  flags: {
    prepared: yes("--prepared", "the table of servers and the figures are of today: do not renew them"),
  },
  about: `Prepares a release: checks, renews the table of servers, judges the last release's servers and recordings, packs and
proves both packages and the action, writes the site, pins the requirements, and commits. Publishes nothing.`,
  run({ prepared }) {
    requireReady();
    npmRun("run", "check");
    if (!prepared) npmRun("run", "servers");
    npmRun("test");
    // The last release's server and recording by today's suite, both packages, the action and the pages from tarballs.
    npmRun("run", "proofs", "--", "tools");
    npmRun("run", "pack");
    npmRun("run", "docs");
    pinRequirements();
    git("add", "--all");
    git("commit", "--quiet", "-m", `Release ${version}`);
    console.log(`
${version} is committed. What is left for a person:
  git tag v${version} && git push --follow-tags
  attach capability-contract-${version}.tgz and capability-contract-server-${version}.tgz to the release`);
    return Promise.resolve();
  },
});

await exitingWith(() => main.run("npm run release --", process.argv.slice(2)));
