import { baseUrl, number, oneOf, several, text, wait, whole, yes } from "../../base/flag.ts";
import type { Values } from "../../base/verb.ts";

/** The flags of `conformance`. */
export const flags = {
  baseUrl: baseUrl(),
  profile: text("--profile <FILE>", "what your server is and has: credentials, tools, features (YAML)"),
  only: several("--only <WHAT>", "one area or clause: DISC, CALL-07; can be given several times"),
  replay: text("--replay <CHECK>", "one check, with everything that crossed the wire"),
  fast: yes("--fast", "leave out checks that wait for a rate-limit window to end"),
  strict: yes("--strict", "warnings and unverified checks count as failures"),
  concurrency: whole(
    "--concurrency <N>",
    "checks that run at the same time; 16, or up to 32 where the profile gives as many accounts",
  ),
  github: yes("--github", "annotations for GitHub Actions; the default where GITHUB_ACTIONS is set"),
  judgeAgain: text(
    "--judge-again <FILE>",
    "the rules over the exchanges of an earlier --json report, without a server",
  ),
  trace: oneOf(
    "--trace <WHAT>",
    "whose exchanges the report keeps: failures, or all (FILE.gz where --json says FILE)",
    ["failures", "all"],
  ).or("failures"),
  plan: yes(
    "--plan",
    "send nothing: print what a run would send, cost and leave behind (--json FILE: as JSON)",
  ),
  budget: number(
    "--budget <CREDITS>",
    "the most that Calls may cost together, by the prices that the server names",
  ),
  maxRequests: whole("--max-requests <N>", "the most requests to send"),
  rate: number("--rate <N>", "the most requests a second"),
  readOnly: yes("--read-only", "send nothing that moves credits or changes accounts"),
  failFast: yes("--fail-fast", "end with the first check that fails"),
  failed: text(
    "--failed <FILE>",
    "only what an earlier --json report shows as not right, and what it waits for",
  ),
  watch: yes("--watch", "judge what was not right again, each time the server has been started again"),
  known: text("--known <FILE>", "a list of failures that may stay for a while, with reason and date (YAML)"),
  updateKnown: yes("--update-known", "write what fails now to the file of --known"),
  requirements: text(
    "--requirements <VERSION>",
    "the release of the suite whose checks and rules count; what is newer is shown and fails nothing",
  ),
  base: text("--base <FILE>", "the base branch's --json report: what failed there as well is inherited"),
  waitForServer: whole("--wait-for-server <SECONDS>", "wait for a server that is still starting"),
  format: oneOf("--format <FOR>", "who reads what is printed: people, or a coding agent, in few words", [
    "people",
    "agent",
  ]).or("people"),
  show: text("--show <ID>", "one cause of a saved report, in few words (with --report)"),
  verify: text("--verify <ID>", "judge again what belongs to one cause of a saved report (with --report)"),
  report: text("--report <FILE>", "the saved --json report for --show and --verify"),
  quiet: yes("--quiet", "print no progress, and of the report only the counts"),
  accounts: oneOf("--accounts <WHICH>", "given: only those of the profile; any: trial accounts too", [
    "given",
    "any",
  ]).or("any"),
  wait: wait(),
  json: text("--json <FILE>", "where the report goes as JSON"),
  html: text("--html <FILE>", "where the report goes as a page"),
  junit: text("--junit <FILE>", "where the report goes as JUnit XML"),
  badge: text("--badge <FILE>", "where the badge goes (SVG)"),
};

export type ConformanceFlags = Values<typeof flags>;
