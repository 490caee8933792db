import { baseUrl, number, oneOf, several, text, wait, whole, yes } from "../../base/flag.ts";
import type { Values } from "../../base/verb.ts";

/** The flags of `conformance`. */
export const flags = {
  baseUrl: baseUrl(),
  profile: text("--profile <FILE>", "what your server is and has: credentials, tools, features (YAML)"),
  only: several("--only <WHAT>", "one area or clause: DISC, CALL-07; can be given several times"),
  replay: several(
    "--replay <CHECK>",
    "one check or rule, with its requests and responses in full, and a script that shows a failure; can be given several times",
  ),
  fast: yes("--fast", "skip checks that wait for a rate-limit window to end"),
  strict: yes("--strict", "warnings and unverified checks count as failures"),
  concurrency: whole(
    "--concurrency <N>",
    "checks that run at the same time; 16, or up to 32 if the profile has as many accounts",
  ),
  github: yes("--github", "annotations for GitHub Actions; the default where GITHUB_ACTIONS is set"),
  judgeAgain: text(
    "--judge-again <FILE>",
    "the rules over the exchanges of an earlier --json report, without a server",
  ),
  trace: oneOf(
    "--trace <WHAT>",
    "which exchanges the report keeps: failures, or all (as FILE.gz for --json FILE)",
    ["failures", "all"],
  ).or("failures"),
  plan: yes(
    "--plan",
    "send nothing: print what a run would send, cost and leave behind (--json FILE: as JSON)",
  ),
  budget: number("--budget <CREDITS>", "the total price of Calls, by the prices that the server names"),
  maxRequests: whole("--max-requests <N>", "the most requests to send"),
  rate: number("--rate <N>", "the most requests a second"),
  readOnly: yes("--read-only", "send nothing that moves credits or changes accounts"),
  failFast: yes("--fail-fast", "end at the first failure"),
  failed: text(
    "--failed <FILE>",
    "only checks that did not pass in an earlier --json report, and those that they need",
  ),
  watch: yes("--watch", "repeat what did not pass, each time the server restarts"),
  known: text("--known <FILE>", "a list of accepted failures, each with reason and expiry date (YAML)"),
  updateKnown: yes("--update-known", "write today's failures to the file of --known"),
  requirements: text(
    "--requirements <VERSION>",
    "the release of the suite whose checks and rules count; newer ones are shown and fail nothing",
  ),
  base: text("--base <FILE>", "the base branch's --json report, the baseline: failures in it are inherited"),
  waitForServer: whole("--wait-for-server <SECONDS>", "wait for a server that is still starting"),
  format: oneOf("--format <FOR>", "for people, or short for a coding agent", ["people", "agent"]).or(
    "people",
  ),
  show: text("--show <ID>", "one cause of a saved report, in short (with --report)"),
  verify: text("--verify <ID>", "check one cause of a saved report again (with --report)"),
  report: text("--report <FILE>", "the saved --json report for --show and --verify"),
  quiet: yes("--quiet", "print only the counts"),
  accounts: oneOf("--accounts <WHICH>", "given: only the profile's; any: trial accounts too", [
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
