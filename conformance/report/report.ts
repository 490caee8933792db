import { readFileSync } from "node:fs";
import { clauses } from "../../generated/clauses.ts";
import type { Exchange } from "../judge/exchange.ts";
import { curlOf } from "../judge/exchange.ts";
import { hashesOf, type Hashes } from "./hashes.ts";
import { contractVersion } from "../../generated/contract.ts";
import type { Choice } from "../judge/observer.ts";
import type { Finding, Run } from "../judge/finding.ts";
import type { Profile } from "../subject/profile.ts";
import type { Verdict } from "../judge/verdict.ts";
import { verdicts } from "../judge/verdict.ts";
import { coverageOf, type Coverage } from "./coverage.ts";

/** An exchange as a report shows it. `request` and `response` hold headers and body; secrets are masked. */
export interface ReportedExchange {
  method: string;
  url: string;
  /** Who sent it: the label of an account, or null without a credential. */
  account: string | null;
  /** ISO 8601. */
  started_at: string;
  /** Null when no answer came. */
  status: number | null;
  duration_ms: number;
  request: { headers: Record<string, string>; body: string | null };
  /** `cut_from`, where a body was cut, is the number of characters that it had. */
  response: { headers: Record<string, string>; body: string; cut_from?: number } | { error: string | null };
  curl: string;
}

export interface ReportedCheck {
  id: string;
  clauses: readonly string[];
  level: "must" | "should";
  title: string;
  verdict: Verdict;
  reason: string | null;
  expected: string | null;
  received: string | null;
  /** The profile line that would let it be verified. */
  remedy: string | null;
  duration_ms: number;
  exchanges: ReportedExchange[];
  /** Index of the exchange that disappointed; null when none can be named. */
  culprit: number | null;
  /** Of a rule: the check that sent the exchange at fault; null when none did. */
  sent_by?: string | null;
}

export interface ReportedClause {
  id: string;
  level: "must" | "should";
  text: string;
  source: string;
  verdict: Verdict;
  /** Ids of the checks and rules that speak to it. */
  checks: string[];
}

/** `conformance.json`. */
export interface Report {
  /** The version of the contract that the server was judged by. */
  contract_version: string;
  /** Set when the server announces another version: what the reader has to know before all else. */
  version_note?: string;
  suite_version: string;
  /** The base URL of the server that was judged. */
  target: string;
  /** Suite, contract and profile, by hash. */
  hashes: Hashes;
  /** Set when the rules were held against a report's exchanges once more: who had judged before. */
  judged_before?: { suite_version: string; hashes: Hashes };
  /** Set when others made the traffic: where it came from. Then there are rules only, and nothing can be run again. */
  recorded?: string;
  /** The arguments that choose the same server and profile again, for a shell; the target's address unless set. */
  again?: string;
  /** ISO 8601. */
  started_at: string;
  duration_ms: number;
  /** How many checks came to each verdict. */
  summary: Record<Verdict, number>;
  checks: ReportedCheck[];
  clauses: ReportedClause[];
  /** How much of the spec crossed the wire, counted from the spec. */
  coverage: Coverage;
  /** What the server chose where the contract leaves it open, as far as the exchanges show it. */
  readings: Choice[];
}

/** The command that runs one check of a report again, or the check that broke a rule; null where no check did. */
export function replayOf(report: Report, { id, sent_by: sender }: ReportedCheck): string | null {
  if (sender === null) return null;
  const server = report.again ?? `--base-url ${shellWord(report.target)}`;
  const what =
    sender === undefined
      ? `--replay ${shellWord(id)}`
      : `--only ${shellWord(sender)} --only ${shellWord(id)}`;
  return ["npm run conformance --", server, what].filter(Boolean).join(" ");
}

/** A word as a shell takes it: quoted, where it holds anything that a shell reads otherwise. */
export const shellWord = (text: string): string =>
  /^[\w./:@%+,=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;

/** Bodies longer than this are cut in a report, in characters. */
const longestBody = 65_536;

export const suiteVersion: string = (
  JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as { version: string }
).version;

/** Puts a run's findings into the form of `conformance.json`. */
export function reportOf(run: Run, profile: Profile): Report {
  return {
    contract_version: contractVersion,
    ...(run.version_note !== null && { version_note: run.version_note }),
    suite_version: suiteVersion,
    target: profile.base_url,
    hashes: hashesOf(profile),
    started_at: new Date(run.started_at).toISOString(),
    duration_ms: run.duration_ms,
    summary: summaryOf(run.findings),
    checks: run.findings.map((finding) => ({ ...finding, exchanges: finding.exchanges.map(reported) })),
    clauses: clausesOf(run.findings),
    coverage: coverageOf(run.exchanges),
    readings: run.choices,
  };
}

/** How many came to each verdict. */
export function summaryOf(judged: readonly { verdict: Verdict }[]): Record<Verdict, number> {
  const summary = Object.fromEntries(verdicts.map((verdict) => [verdict, 0])) as Record<Verdict, number>;
  for (const { verdict } of judged) summary[verdict] += 1;
  return summary;
}

/** The verdict on each clause that binds the server, or the client, drawn from what speaks to it. */
export function clausesOf(
  findings: readonly Pick<Finding, "id" | "clauses" | "verdict">[],
  party: "server" | "client" = "server",
): ReportedClause[] {
  return clauses.flatMap(({ id, level, text, source, ...clause }) => {
    if ("party" in clause !== (party === "client")) return [];
    const speaking = findings.filter((finding) => finding.clauses.includes(id));
    const verdict = together(speaking.map((finding) => finding.verdict));
    const checks = speaking.map((finding) => finding.id);
    return [
      {
        id,
        level,
        text,
        source,
        verdict: level === "should" && verdict === "fail" ? "warn" : verdict,
        checks,
      },
    ];
  });
}

/** The verdict on a clause: the worst that any check says, a proof of breakage first, and green only when one passed and none is in doubt. */
export function together(all: readonly Verdict[]): Verdict {
  for (const verdict of ["fail", "error", "warn", "blocked"] as const)
    if (all.includes(verdict)) return verdict;
  if (all.includes("pass")) return "pass";
  if (all.includes("not_applicable")) return "not_applicable";
  return "unverified";
}

/** An exchange as a report shows it. */
export function reported(exchange: Exchange): ReportedExchange {
  const { request, response, error, duration_ms, account, started_at } = exchange;
  return {
    method: request.method,
    url: request.url,
    account,
    started_at: new Date(started_at).toISOString(),
    status: response?.status ?? null,
    duration_ms,
    request: { headers: request.headers, body: request.body },
    response: response ? { headers: response.headers, ...cut(response) } : { error },
    curl: curlOf(exchange),
  };
}

function cut({ body, cut: whole }: NonNullable<Exchange["response"]>): { body: string; cut_from?: number } {
  const length = whole?.from ?? body.length;
  if (length <= longestBody) return { body };
  const sum = whole === undefined ? "" : `, SHA-256 ${whole.sha256}`;
  return { body: `${body.slice(0, longestBody)}… (${length} characters${sum})`, cut_from: length };
}
