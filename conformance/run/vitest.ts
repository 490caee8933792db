import { beforeAll, describe, it } from "vitest";
import { checks as allChecks } from "../suite/checks.ts";
import { judge, type JudgeOptions } from "./library.ts";
import { explanation } from "../report/explained.ts";
import type { Report, ReportedCheck } from "../report/report.ts";
import { rules as allRules } from "../suite/rules.ts";
import { select } from "./select.ts";
import type { Profile } from "../server/profile.ts";

export interface ConformanceTestOptions extends JudgeOptions {
  /** Also fails on warnings and unverified checks; unverified checks are skipped by default. */
  strict?: boolean;
  /** Time limit of the whole run, in milliseconds; 15 minutes by default. */
  timeout?: number;
}

/** The base URL or profile of a server, or a function that returns it once the server is running. */
export type Target = string | Profile | (() => string | Profile | Promise<string | Profile>);

/**
 * Declares one test for each check and rule of the contract. The server is judged once, before the first test; a
 * function as its address lets your `beforeAll` start it.
 * @throws WrongUse during test collection when `only` selects nothing
 */
export function conformanceTests(target: Target, options: ConformanceTestOptions = {}): void {
  const { strict = false, timeout = 15 * 60_000, ...judged } = options;
  const chosen = select(allChecks, allRules, judged.only);
  describe("conformance to the contract", () => {
    let report: Report | undefined;
    beforeAll(async () => {
      report = await judge(typeof target === "function" ? await target() : target, judged);
    }, timeout);

    for (const [area, tests] of Map.groupBy([...chosen.checks, ...chosen.rules], areaOf)) {
      describe(area, () => {
        for (const { id, clauses, title } of tests) {
          it(`${clauses.join(" ")} ${title}`, ({ skip }) => {
            const check = report?.checks.find((check) => check.id === id);
            if (check === undefined) throw new Error("the run came to no verdict on this");
            expectGood(check, report!, strict, skip);
          });
        }
      });
    }
    it("answers the contract's open questions as its profile promises", ({ skip }) => {
      const isPromised = ({ id, verdict }: ReportedCheck): boolean =>
        id.endsWith("/pinned") && (strict || verdict !== "unverified");
      const promised = report?.checks.filter(isPromised) ?? [];
      for (const check of promised) expectGood(check, report!, strict, skip);
    });
  });
}

/** Fails or skips a test according to the verdict of its check. */
function expectGood(
  check: ReportedCheck,
  report: Report,
  strict: boolean,
  skip: (why: string) => void,
): void {
  const { verdict } = check;
  if (verdict === "pass" || (verdict === "warn" && !strict)) return;
  if (verdict === "not_applicable" || verdict === "known" || (verdict === "unverified" && !strict))
    return skip(reasonOf(check));
  throw new Disappointment(check, report);
}

const areaOf = ({ clauses }: { clauses: readonly string[] }): string => clauses[0]!.split("-")[0]!;

const reasonOf = ({ reason, remedy }: ReportedCheck): string =>
  [reason, remedy && `the profile line that would verify it: ${remedy}`].filter(Boolean).join("; ");

/** A check's failure as a test message, without a stack, since the fault is not in the suite's code. */
class Disappointment extends Error {
  constructor(check: ReportedCheck, report: Report) {
    const culprit = check.culprit === null ? undefined : check.exchanges[check.culprit];
    const clauses = report.clauses.filter(({ id }) => check.clauses.includes(id));
    const lines = [
      `${check.verdict}: ${check.title}`,
      ...clauses.map(({ id, level, text, source }) => `${id} ${level}: ${text} (${source})`),
      ...(check.expected === null
        ? [`because   ${reasonOf(check)}`]
        : [`expected  ${check.expected}`, `received  ${check.received ?? "nothing"}`]),
      ...(culprit ? [`repeat    ${culprit.curl}`] : []),
      explanation(check),
    ];
    super(lines.join("\n"));
    this.name = "Disappointment";
    this.stack = `${this.name}: ${this.message}`;
  }
}
