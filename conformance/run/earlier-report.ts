import { WrongUse } from "../../base/exit.ts";
import { causeNamed } from "../report/agent.ts";
import { causesIn, type Cause } from "../report/causes.ts";
import { readReport } from "../report/judge-again.ts";
import type { Report } from "../report/report.ts";
import type { ConformanceFlags } from "./flags.ts";

/** The ids of an earlier report to run again: what was not right, or one cause, with what it blocks. */
export async function selected(flags: ConformanceFlags): Promise<string[]> {
  if (flags.verify !== undefined) {
    const { report, cause } = await saved(flags.verify, flags.report);
    requireServerOf(report, flags);
    return [...new Set([cause.lead, ...cause.checks, ...cause.blocks])];
  }
  if (flags.failed === undefined) return flags.only;
  const report = await readReport(flags.failed);
  requireServerOf(report, flags);
  const wrong = wrongIn(report);
  if (wrong.length === 0) throw new WrongUse(`${flags.failed} shows nothing that is not right`);
  return wrong;
}

/** @throws WrongUse where the reference server would be judged instead of a report's */
function requireServerOf({ again, target }: Report, { baseUrl, profile }: ConformanceFlags): void {
  if (again && baseUrl === undefined && profile === undefined)
    throw new WrongUse(`the report is of ${target}: to judge that again, add ${again}`);
}

/** The ids of the findings that a report shows as not right. */
export const wrongIn = (report: Report): string[] => [
  ...new Set(causesIn(report).flatMap(({ checks, blocks }) => [...checks, ...blocks])),
];

/** A cause of a saved report. @throws WrongUse when there is none of this name */
export async function saved(
  name: string,
  file: string | undefined,
): Promise<{ report: Report; cause: Cause }> {
  if (file === undefined)
    throw new WrongUse("--show and --verify need --report FILE, a report that --json has written");
  const report = await readReport(file);
  const cause = causeNamed(report, name);
  if (cause === undefined)
    throw new WrongUse(`${name} is not a cause, check or clause of what is wrong in ${file}`);
  return { report, cause };
}
