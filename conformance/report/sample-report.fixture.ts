import type { Cause } from "./causes.ts";
import { contractVersion } from "../../generated/contract.ts";
import { clauses as contractClauses } from "../../generated/clauses.ts";
import { clausesOf, summaryOf, type Report, type ReportedCheck, type ReportedExchange } from "./report.ts";

/** An exchange for tests of the reports: by default an answered Call. */
export function sampleExchange(members: Partial<ReportedExchange> = {}): ReportedExchange {
  return {
    method: "POST",
    url: "https://api.example.test/api/v1/tools/execute",
    account: "account 1",
    started_at: "2026-11-20T09:30:01.000Z",
    status: 200,
    duration_ms: 14,
    request: {
      headers: { authorization: "Bearer «account»", "content-type": "application/json" },
      body: '{"tool_id":"weather.current","parameters":{"city":"Lisbon"},"session_id":"s-1"}',
    },
    response: {
      headers: { "content-type": "application/json", "x-service-api-version": contractVersion },
      body: '{"status":"success","data":{"execution_id":"e-1","success":true,"cost":0.10,"results":[]}}',
    },
    curl: `curl -i -X POST 'https://api.example.test/api/v1/tools/execute' -H "Authorization: Bearer $API_KEY" --data-raw '{"tool_id":"weather.current"}'`,
    ...members,
  };
}

/** A check for tests of the reports: passed by default. */
export function sampleCheck(members: Partial<ReportedCheck> = {}): ReportedCheck {
  const clauses = members.clauses ?? ["CALL-01"];
  return {
    id: `${clauses[0]}/sample`,
    clauses,
    level: "must",
    title: "an executed Call names its execution",
    verdict: "pass",
    reason: null,
    expected: null,
    received: null,
    remedy: null,
    duration_ms: 31,
    exchanges: [sampleExchange()],
    culprit: null,
    ...members,
  };
}

/** A report with these checks, each with a unique id, and the counts and clause verdicts derived from them. */
export function sampleReport(sampled: ReportedCheck[], members: Partial<Report> = {}): Report {
  const ids = new Set<string>();
  const checks = sampled.map((check, index) => {
    const id = ids.has(check.id) ? `${check.id}-${index}` : check.id;
    ids.add(id);
    return { ...check, id };
  });
  return {
    contract_version: contractVersion,
    suite_version: "0.1.0",
    target: "https://api.example.test/api/v1",
    hashes: { suite: "5a".repeat(32), contract: "c0".repeat(32), profile: "9f".repeat(32) },
    started_at: "2026-11-20T09:30:00.000Z",
    duration_ms: 64_210,
    summary: summaryOf(checks),
    checks,
    clauses: clausesOf(checks),
    coverage: {
      counts: {
        status: { documented: 97, observed: 68, unreachable: 28 },
        header: { documented: 281, observed: 160, unreachable: 120 },
        value: { documented: 30, observed: 27, unreachable: 3 },
      },
      unseen: ["call 402", "call 402 X-Service-Api-Version"],
      unreachable: [
        {
          point: "entry_type consume_tool_search",
          reason: "Only a deployment that charges Discover shows it; most do not.",
        },
      ],
    },
    readings: [
      {
        reading: "R-012",
        title: "Errors and envelopes",
        question: "How is an unknown event or entry answered, and one of another account?",
        answers: [
          { answer: "404", meaning: "404 with the envelope `failure`, the same for both.", exchanges: 12 },
        ],
        pinned: null,
      },
    ],
    ...members,
  };
}

/** The area of a clause. */
const areaOf = (clause: string): string => clause.split("-")[0]!;

/**
 * A realistic run against an unfinished server: most of 800 checks pass, and every other verdict occurs.
 * @param areas those whose checks are in the report, by default all
 */
export function sampleRun(areas?: readonly string[]): Report {
  const server = contractClauses.filter((clause) => !("party" in clause));
  const checks = Array.from({ length: 800 }, (_, index) => {
    const clause = server[index % server.length]!;
    const clauses = index % 9 === 0 ? [clause.id, server[(index + 1) % server.length]!.id] : [clause.id];
    const exchanges = Array.from({ length: 2 + (index % 7) }, () => sampleExchange());
    const title = clause.text
      .replaceAll("`", "")
      .replace(/\.$/, "")
      .replace(/^./, (first) => first.toLowerCase());
    return sampleCheck({ id: `${clause.id}/check-${index}`, clauses, title, exchanges, ...outcomeOf(index) });
  });
  return sampleReport(checks.filter(({ clauses: [first] }) => areas?.includes(areaOf(first!)) ?? true));
}

function outcomeOf(index: number): Partial<ReportedCheck> {
  if (index % 61 === 60) {
    return {
      verdict: "fail",
      reason: "expected charge_outcome failed_not_charged, received charged",
      expected: 'charge_outcome "failed_not_charged" and actual_amount_credits 0',
      received: '{"charge_outcome":"charged","actual_amount_credits":0.25}',
      culprit: 1,
    };
  }
  if (index % 23 === 22) {
    const role = ["provider_error", "timeout", "partial_success", "large_result"][index % 4]!;
    return {
      verdict: "unverified",
      reason: `there is no tool for the role ${role}`,
      remedy: `tools: {${role}: TOOL_ID}`,
      exchanges: [],
    };
  }
  if (index % 151 === 150)
    return { verdict: "warn", reason: "expected a hint", expected: "a hint", received: "none", culprit: 0 };
  if (index % 211 === 210)
    return { verdict: "blocked", reason: "the Call that it builds on was answered with 500", culprit: 0 };
  if (index % 97 === 96)
    return { verdict: "not_applicable", reason: "object storage is not offered", exchanges: [] };
  if (index === 399) return { verdict: "error", reason: "TypeError: Cannot read properties of undefined" };
  return {};
}

/** A cause of one check; with an operation, one that a profile can declare as off. */
export const sampleCause = ({ id, verdict }: ReportedCheck, operation?: string): Cause => ({
  what: operation === undefined ? "sample" : `${operation} is not implemented (404)`,
  verdict,
  lead: id,
  clauses: [],
  places: [],
  checks: [id],
  blocks: [],
  ...(operation !== undefined && { declare: `features: {${operation}: {off: not implemented yet}}` }),
});
