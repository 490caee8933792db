import { judgedQuestions, lastLine } from "../../base/judged.ts";
import { suiteVersion } from "../report/report.ts";
import { contractVersion } from "../../generated/contract.ts";
import type { ReportedAnomaly } from "./anomalies.ts";
import type { BalancePoint } from "./balance-course.ts";
import type { Reconciled } from "./reconcile.ts";
import type { Seen } from "./recording.ts";
import type { Held } from "./state.ts";

/** The report of a reconciliation, in the format of its JSON. */
export interface Reconciliation {
  contract_version: string;
  suite_version: string;
  target: string;
  started_at: string;
  duration_ms: number;
  /** Whether it was ended early, so that it covers a part of the window. */
  interrupted: boolean;
  /** Set when the server announces another version of the contract. */
  version_note: string | null;
  /** Null for an account without rows. */
  window: { start: string; end: string } | null;
  counts: { events: number; entries: number; requests: number };
  credits: { settled: number; consumed: number; granted: number };
  /** The balance over the ledger, in at most some hundred points; absent in reports of earlier versions. */
  balances?: BalancePoint[];
  held: Held[];
  recording: Seen | null;
  /** How many anomalies there are of each kind, and the first of them in full. */
  anomaly_counts: Record<string, number>;
  anomalies: ReportedAnomaly[];
}

export function reconciliationOf(target: string, done: Reconciled): Reconciliation {
  const iso = (ms: number): string => new Date(ms).toISOString();
  return {
    contract_version: contractVersion,
    suite_version: suiteVersion,
    target,
    started_at: iso(done.startedAt),
    duration_ms: done.durationMs,
    interrupted: done.interrupted,
    version_note: done.versionNote,
    window: done.window && { start: iso(done.window.start), end: iso(done.window.end) },
    counts: { events: done.events, entries: done.entries, requests: done.requests },
    credits: { settled: done.settled, consumed: done.consumed, granted: done.granted },
    balances: done.balances,
    held: done.held,
    recording: done.recording,
    anomaly_counts: Object.fromEntries(done.anomalies.counts),
    anomalies: done.anomalies.kept,
  };
}

export const anomalyCount = ({ anomaly_counts: counts }: Reconciliation): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);

/** Whether the run ends with status 1: for an anomaly; for one that only a `should` forbids, only if strict. */
export const isBroken = ({ anomalies }: Reconciliation, strict: boolean): boolean =>
  anomalies.some(({ level }) => strict || level === "must");

/** Why nothing was judged; null where something was. */
const whyEmpty = (report: Reconciliation): string | null =>
  report.window === null ? "the account shows no rows" : isEmpty(report) ? "the window holds no rows" : null;

/** Whether nothing was judged: there were no rows, and no answer contradicts the contract. */
export const isEmpty = (report: Reconciliation): boolean =>
  report.counts.events + report.counts.entries + anomalyCount(report) === 0;

/** The report in one line. */
export function headline(report: Reconciliation): string {
  const count = anomalyCount(report);
  const { events, entries } = report.counts;
  const part = report.interrupted ? ", as far as it got" : "";
  const empty = whyEmpty(report);
  if (empty !== null) return `Nothing was judged: ${empty}`;
  return count === 0
    ? `Nothing contradicts itself in ${events} events and ${entries} ledger entries${part}`
    : `${count} ${count === 1 ? "anomaly" : "anomalies"} in ${events} events and ${entries} ledger entries${part}`;
}

/** The last line of a report: which reads were held against the rows, and which were not. */
export function judgedLine(report: Reconciliation): string {
  const empty = whyEmpty(report);
  const reads = report.held.length > 0 ? report.held : [{ what: "the lists", why: empty }];
  const questions = reads.map(({ what, why }) => {
    const lack = why ?? empty;
    return { what, lack: lack === null ? null : { what: lack, by: "reason" as const } };
  });
  return lastLine(judgedQuestions(questions, "read"), empty === null ? headline(report) : null);
}

/** How much of something was checked against the lists, in words. */
export const heldWords = ({ what, rows, why }: Held, { counts }: Reconciliation): string => {
  if (why !== null) return `not checked${rows > 0 ? ` beyond ${rows} rows` : ""}: ${why}`;
  if (what === "balance") return "checked against the newest ledger entry";
  const all = /ledger|settlement/.test(what) ? counts.entries : counts.events;
  return rows < all && /export|feed|history/.test(what)
    ? `checked against ${rows} rows`
    : `checked against all ${rows} rows`;
};

/** The ids, the amounts and the time of an anomaly, as support asks for them. */
export const identifying = [
  "execution_id",
  "search_id",
  "session_id",
  "tool_id",
  "event_id",
  "ledger_entry_id",
  "settled_credits",
  "moved_credits",
  "created_at",
] as const satisfies (keyof ReportedAnomaly)[];

/** Columns of the CSV, in this order. */
const columns = [
  "kind",
  "clause",
  "level",
  ...identifying,
  "title",
  "expected",
  "received",
] as const satisfies (keyof ReportedAnomaly)[];

/** The anomalies as CSV (RFC 4180); a spreadsheet takes no cell for a formula. */
export const anomaliesCsv = ({ anomalies }: Reconciliation): string =>
  [columns, ...anomalies.map((anomaly) => columns.map((name) => anomaly[name]))]
    .map((row) => `${row.map(cell).join(",")}\r\n`)
    .join("");

function cell(value: string | number | null): string {
  if (value === null || typeof value === "number") return String(value ?? "");
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
