import { readFileSync } from "node:fs";
import { clauses } from "../../generated/clauses.ts";
import type { Exchange } from "../judge/exchange.ts";
import { curlOf } from "../judge/exchange.ts";
import { causesOrEach } from "./causes.ts";
import { hashesOf } from "./hashes.ts";
import { contractVersion } from "../../generated/contract.ts";
import { shortened } from "../judge/fact.ts";
import type { Finding, Run } from "../judge/finding.ts";
import type { Profile } from "../server/profile.ts";
import type { Verdict } from "../judge/verdict.ts";
import { verdicts } from "../judge/verdict.ts";
import { coverageOf } from "./coverage.ts";
import { calling, explained } from "./explained.ts";
import type { Report, ReportedCheck, ReportedClause, ReportedExchange } from "./format.ts";

export type * from "./format.ts";

/**
 * The command that repeats one check of a report, or the check whose exchange broke a rule; null when there is none.
 */
export function replayOf(report: Report, { id, sent_by: sender }: ReportedCheck): string | null {
  if (sender === null) return null;
  const server = report.again ?? `--base-url ${shellWord(report.target)}`;
  const what = [...(sender === undefined ? [] : [sender]), id].map((name) => `--replay ${shellWord(name)}`);
  return [calling("conformance"), server, ...what].filter(Boolean).join(" ");
}

/** The curl line that repeats an exchange. A client's is not repeated: its Calls cost credits. */
export const repeatOf = (
  exchange: ReportedExchange | undefined,
  { party }: Pick<Report, "party">,
): string | undefined => (party === "client" ? undefined : exchange?.curl);

/** A word quoted for a shell, if necessary. */
export const shellWord = (text: string): string =>
  /^[\w./:@%+,=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;

/** Longer bodies are truncated in a report, in characters. */
const maxBody = 65_536;

export const suiteVersion: string = (
  JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as { version: string }
).version;

/**
 * Converts a run's findings to the format of `conformance.json`.
 * @param trace the checks whose exchanges the report keeps: all, or only those that need a look
 */
export function reportOf(run: Run, profile: Profile, trace: "all" | "failures" = "failures"): Report {
  return {
    contract_version: contractVersion,
    ...(run.version_note !== null && { version_note: run.version_note }),
    ...(run.gone !== null && { gone: run.gone }),
    suite_version: suiteVersion,
    target: profile.base_url,
    hashes: hashesOf(profile),
    started_at: new Date(run.started_at).toISOString(),
    duration_ms: run.duration_ms,
    sent: { ...run.sent, waited_ms: run.waited_ms },
    ...(run.audit_lag !== undefined && { audit_lag: run.audit_lag }),
    summary: summaryOf(run.findings),
    checks: run.findings.map((finding) => ({
      ...finding,
      ...factIn(finding),
      ...tracedOf(finding, trace === "all"),
    })),
    ...causesOrEach(run.findings, run),
    clauses: clausesOf(run.findings),
    coverage: coverageOf(run.exchanges),
    readings: run.choices,
  };
}

/** The fact of a finding as a report keeps it. */
export const factIn = ({ fact }: Finding): Pick<Finding, "fact"> => (fact ? { fact: shortened(fact) } : {});

function tracedOf(
  { verdict, exchanges }: Finding,
  all: boolean,
): Pick<ReportedCheck, "exchanges" | "exchanges_left_out"> {
  if (all || !["pass", "unverified", "not_applicable"].includes(verdict) || exchanges.length === 0)
    return { exchanges: exchanges.map(reported) };
  return { exchanges: [], exchanges_left_out: exchanges.length };
}

/** The number of findings by verdict. */
export function summaryOf(judged: readonly { verdict: Verdict }[]): Record<Verdict, number> {
  const summary = Object.fromEntries(verdicts.map((verdict) => [verdict, 0])) as Record<Verdict, number>;
  for (const { verdict } of judged) summary[verdict] += 1;
  return summary;
}

/** The verdict on each clause that binds the server (or the client), derived from the findings that cover it. */
export function clausesOf(
  findings: readonly Pick<Finding, "id" | "clauses" | "verdict">[],
  party: "server" | "client" = "server",
): ReportedClause[] {
  return clauses.flatMap(({ id, level, text, source, ...clause }) => {
    if ("party" in clause !== (party === "client")) return [];
    const speaking = findings.filter((finding) => finding.clauses.includes(id));
    const verdict = together(speaking.map((finding) => finding.verdict));
    const checks = speaking.map((finding) => finding.id);
    const { command, published } = explained(id);
    return [
      {
        id,
        level,
        text,
        source,
        explained: published ?? command,
        verdict: level === "should" && verdict === "fail" ? "warn" : verdict,
        checks,
      },
    ];
  });
}

/** The verdict on a clause: fail, error, warn, blocked or known if any check is, in this order; else pass if any passed. */
export function together(all: readonly Verdict[]): Verdict {
  for (const verdict of ["fail", "error", "warn", "blocked", "known"] as const)
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
  if (length <= maxBody) return { body };
  const sum = whole === undefined ? "" : `, SHA-256 ${whole.sha256}`;
  return { body: `${body.slice(0, maxBody)}… (${length} characters${sum})`, cut_from: length };
}
