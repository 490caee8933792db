import { appendFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";
import { jsonText } from "../../base/described.ts";
import { WrongUse } from "../../base/exit.ts";
import { writeFiles } from "../../base/write.ts";
import { agentPage } from "../report/agent.ts";
import { badge } from "../report/badge.ts";
import { exitStatus } from "../report/exit.ts";
import { githubAnnotations, githubOutputs, githubSummary } from "../report/github.ts";
import { htmlReport } from "../report/html.ts";
import { junitReport } from "../report/junit.ts";
import type { Report } from "../report/report.ts";
import { paintFor } from "../../base/paint.ts";
import { terminalReport } from "../report/terminal.ts";
import type { ConformanceFlags } from "./flags.ts";

/** Prints the report and writes it where the flags say. @returns the exit status */
export async function publish(report: Report, flags: ConformanceFlags): Promise<number> {
  if (flags.format === "agent") console.log(agentPage(report, flags.json));
  else
    console.log(terminalReport(report, paintFor(process.stdout), { show: flags.quiet ? "counts" : "all" }));
  if (flags.github || process.env["GITHUB_ACTIONS"] === "true")
    for (const line of githubAnnotations(report)) console.log(line);
  const text = (): string => jsonText("report", report);
  const status = exitStatus(report, flags.strict);
  if (flags.github) await tellGithub(report, status);
  const files = writeFiles([
    flags.json !== undefined && flags.trace === "all"
      ? [`${flags.json.replace(/\.gz$/, "")}.gz`, () => gzipSync(text())]
      : [flags.json, text],
    [flags.html, () => htmlReport(report)],
    [flags.junit, () => junitReport(report)],
    [flags.badge, () => badge(report)],
  ]);
  return files.then(
    () => status,
    (error: unknown) => {
      if (!(error instanceof WrongUse)) throw error;
      console.error(error.message);
      return status === 0 ? 2 : status;
    },
  );
}

/** Adds to the summary and the outputs of the job's step, where a runner names their files. */
async function tellGithub(report: Report, status: number): Promise<void> {
  const { GITHUB_STEP_SUMMARY: summary, GITHUB_OUTPUT: outputs } = process.env;
  if (summary) await appendFile(summary, githubSummary(report));
  if (outputs) await appendFile(outputs, githubOutputs(report, status));
}
