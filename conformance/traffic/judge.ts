import { createWriteStream } from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { baseUrl, text, whole, yes } from "../../base/flag.ts";
import { fromPipe } from "../../base/read.ts";
import { withTemporaryFolder } from "../../base/temporary-folder.ts";
import { verb, type Values } from "../../base/verb.ts";
import { paintFor } from "../../base/paint.ts";
import { terminalReport } from "../report/terminal.ts";
import { OtherVersion, WrongUse } from "../../base/exit.ts";
import { judgedVersion } from "../run/judged-version.ts";
import { findingsOf, notesOf } from "../books/history/findings.ts";
import { History } from "../books/history/history.ts";
import { longestLagSeconds } from "../books/finality.ts";
import { inReasons, readHar, surveyOf, type Traffic } from "./har.ts";
import type { RecordingCounts } from "../report/report.ts";
import { TrafficJudge } from "./traffic-judge.ts";
import { statusOf, unanswered, writeReports } from "./write-reports.ts";

const flags = {
  client: yes("--client", "check the client's half of the contract instead of the server's"),
  baseUrl: baseUrl(),
  complete: yes(
    "--complete",
    "the recording holds all that its clients did, from start to end: also check what they left undone",
  ),
  history: yes("--history", "also check what was shown of each account's books against one order of events"),
  auditLag: whole("--audit-lag <SECONDS>", "for --history: how late the server's records may be", {
    least: 0,
  }).or(longestLagSeconds),
  strict: yes("--strict", "warnings count as failures"),
  json: text("--json <FILE>", "where the report goes as JSON"),
  html: text("--html <FILE>", "where the report goes as a page"),
};

export default verb({
  flags,
  takes: { file: "what browsers and proxies save as HAR, plain or gzip; - for the standard input" },
  about: `Checks recorded traffic against the contract, without a server. The server's address is found in the recording unless
--base-url names it. Other hosts are ignored, secrets are masked while reading, and a clause that the recording cannot show
is unverified.`,
  run: ({ file: name, ...flags }) => onDisk(name, (file) => judged(file, name, flags)),
});

/**
 * Provides a file that can be read twice: piped input is stored until it is judged.
 * @param name a file, a named pipe, or - for the standard input
 */
async function onDisk(name: string, use: (file: string) => Promise<number>): Promise<number> {
  const isPipe = name === "-" || (await stat(name).catch(() => null))?.isFIFO() === true;
  if (!isPipe) return use(name);
  return withTemporaryFolder(async (folder) => {
    const file = join(folder, "recording.har");
    try {
      await pipeline(name === "-" ? process.stdin : fromPipe(name), createWriteStream(file));
      return await use(file);
    } catch (error) {
      // A pipe cannot be read again.
      if (error instanceof OtherVersion) throw new WrongUse(error.message, { cause: error });
      if (!(error instanceof WrongUse)) throw error;
      const called = name === "-" ? "The standard input" : name;
      throw new WrongUse(error.message.replaceAll(file, called), { cause: error });
    }
  });
}

/** Judges a file and reports. @returns the exit status */
async function judged(file: string, name: string, values: Values<typeof flags>): Promise<number> {
  const survey = await surveyOf(file, values.baseUrl);
  const { baseUrl } = survey;
  const versionNote = judgedVersion(undefined, survey.announced);
  const judge = new TrafficJudge(values.client ? "client" : "server", values.complete);
  const history = values.history
    ? new History({ lagSeconds: values.auditLag, isComplete: values.complete, isRecorded: true })
    : null;
  for await (const traffic of readHar(file, survey)) {
    judge.see(traffic);
    if (history !== null) tell(history, traffic);
  }
  const { counts, incomplete } = judge;
  if (counts.judged === 0) throw new WrongUse(`${file} holds no request to ${baseUrl}`);
  const recording: RecordingCounts = {
    entries: survey.entries,
    judged: counts.judged,
    others: counts.foreign,
    incomplete,
    skipped: Object.fromEntries(survey.skipped),
  };
  const verdict = history?.judge() ?? null;
  const report = {
    ...judge.report(baseUrl, name === "-" ? "the standard input" : name, [
      ...judge.findings(),
      ...(verdict === null ? [] : findingsOf(verdict)),
    ]),
    recording,
    ...(versionNote !== null && { version_note: versionNote }),
  };
  const remarks = [
    ...entriesInWords(recording),
    ...(verdict === null ? [] : notesOf(verdict)),
    ...unanswered(counts),
  ];
  console.log(terminalReport(report, paintFor(process.stdout), { remarks }));
  await writeReports(report, values);
  return statusOf(report, counts, values.strict);
}

/** Adds an exchange to a history, unless only its order is known. */
export function tell(history: History, { exchange, isCut = false, doubtMs = 0 }: Traffic): void {
  if (!Number.isFinite(doubtMs)) return;
  const { started_at: begin, duration_ms } = exchange;
  const known = isCut ? { ...exchange, response: null } : exchange;
  history.take(known, { begin: begin - doubtMs, end: Math.ceil(begin + duration_ms) + 1 + doubtMs });
}

/** What became of every entry of a recording, in sentences. */
function entriesInWords({ judged, others, incomplete, skipped }: RecordingCounts): string[] {
  const without = (counts: Record<string, number>): string => inReasons(new Map(Object.entries(counts)));
  return [
    `${judged} exchanges of the API; ${others} others`,
    ...(Object.keys(incomplete).length === 0
      ? []
      : [`judged without what was not recorded: ${without(incomplete)}`]),
    ...(Object.keys(skipped).length === 0 ? [] : [`not judged: ${without(skipped)}`]),
  ];
}
