import { readFileSync } from "node:fs";
import { clauses } from "../../generated/clauses.ts";
import type { Exchange } from "../exchange.ts";
import { curlOf } from "../exchange.ts";
import { contractVersion } from "../rules/general.ts";
import type { Finding, Run } from "../runner/run.ts";
import type { Verdict } from "../verdict.ts";
import { verdicts } from "../verdict.ts";

/** An exchange as a report shows it. `request` and `response` hold headers and body; secrets are masked. */
export interface ReportedExchange {
  method: string;
  url: string;
  /** Null when no answer came. */
  status: number | null;
  duration_ms: number;
  request: { headers: Record<string, string>; body: string | null };
  response: { headers: Record<string, string>; body: string } | { error: string | null };
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
  contract_version: string;
  suite_version: string;
  /** The base URL of the server that was judged. */
  target: string;
  /** ISO 8601. */
  started_at: string;
  duration_ms: number;
  /** How many checks came to each verdict. */
  summary: Record<Verdict, number>;
  checks: ReportedCheck[];
  clauses: ReportedClause[];
}

/** Bodies longer than this are cut in a report, in characters. */
const longestBody = 65_536;

export const suiteVersion: string = (
  JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as { version: string }
).version;

/** Puts a run's findings into the form of `conformance.json`. */
export function reportOf(run: Run, target: string): Report {
  const summary = Object.fromEntries(verdicts.map((verdict) => [verdict, 0])) as Record<Verdict, number>;
  for (const { verdict } of run.findings) summary[verdict] += 1;
  return {
    contract_version: contractVersion,
    suite_version: suiteVersion,
    target,
    started_at: new Date(run.started_at).toISOString(),
    duration_ms: run.duration_ms,
    summary,
    checks: run.findings.map((finding) => ({ ...finding, exchanges: finding.exchanges.map(reported) })),
    clauses: clausesOf(run.findings),
  };
}

function clausesOf(findings: readonly Finding[]): ReportedClause[] {
  return clauses.flatMap(({ id, level, text, source, ...clause }) => {
    if ("party" in clause) return [];
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

function reported(exchange: Exchange): ReportedExchange {
  const { request, response, error, duration_ms } = exchange;
  return {
    method: request.method,
    url: request.url,
    status: response?.status ?? null,
    duration_ms,
    request: { headers: request.headers, body: request.body },
    response: response ? { headers: response.headers, body: cut(response.body) } : { error },
    curl: curlOf(exchange),
  };
}

const cut = (body: string): string =>
  body.length <= longestBody ? body : `${body.slice(0, longestBody)}… (${body.length} characters)`;
