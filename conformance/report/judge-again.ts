import { gunzipSync } from "node:zlib";
import { areaOf } from "../judge/area.ts";
import type { Exchange } from "../judge/exchange.ts";
import { byWeight, causesIn, exchangeOf, type Cause } from "./causes.ts";
import { current } from "./earlier.ts";
import { hashesOf } from "./hashes.ts";
import { contractVersion } from "../../generated/contract.ts";
import { currentId } from "../judge/renamed.ts";
import type { Rule } from "../judge/rule.ts";
import { coverageOf } from "./coverage.ts";
import {
  clausesOf,
  factIn,
  reported,
  suiteVersion,
  summaryOf,
  type Report,
  type ReportedCheck,
} from "./report.ts";
import { judgeExchanges } from "../judge/judge-exchanges.ts";
import { defaultProfile } from "../server/profile.ts";
import type { Verdict } from "../judge/verdict.ts";
import { WrongUse } from "../../base/exit.ts";
import { givenBytes } from "../../base/read.ts";

/**
 * Applies the current rules to the exchanges in a report, without a server. Findings of checks are unchanged: a check
 * is a conversation and cannot be replayed from a file. A rule that no exchange in the file exercises keeps its verdict
 * too, because a report does not contain all traffic. Of a part of the suite, only rules of its areas are applied.
 * @param before a report; exchanges with truncated bodies are skipped, since those are no longer JSON
 */
export function judgeAgain(before: Report, rules: readonly Rule[]): Report {
  const exchanges = exchangesOf(before);
  const earlier = new Map(before.checks.map((check) => [check.id, check]));
  const ruleIds = new Set(rules.map(({ id }) => id));
  const wasRule = (check: ReportedCheck): boolean => ruleIds.has(check.id);
  const areas = new Set(before.checks.map(({ id }) => areaOf(id)));
  const asked = before.part === undefined ? rules : rules.filter(({ id }) => areas.has(areaOf(id)));
  const judged = judgeExchanges(asked, exchanges).flatMap((finding): ReportedCheck[] => {
    const old = earlier.get(finding.id);
    if (finding.verdict === "unverified" && old !== undefined) return [old];
    return [{ ...finding, ...factIn(finding), exchanges: finding.exchanges.map(reported) }];
  });
  const checks = [...before.checks.filter((check) => !wasRule(check)), ...judged];
  return {
    ...before,
    causes: causesAgain(before, checks),
    contract_version: contractVersion,
    suite_version: suiteVersion,
    hashes: { ...hashesOf(defaultProfile(before.target)), profile: before.hashes.profile },
    judged_before: before.judged_before ?? { suite_version: before.suite_version, hashes: before.hashes },
    summary: summaryOf(checks),
    checks,
    clauses: clausesOf(checks),
    coverage: before.coverage ?? coverageOf(exchanges),
    readings: before.readings ?? [],
  };
}

/**
 * The causes of what is still wrong: those of the report in its words, which rest on all the traffic of its run, then
 * those of what the rules find now.
 */
function causesAgain({ causes = [], target }: Report, checks: readonly ReportedCheck[]): Cause[] {
  const wrong = new Set(checks.filter(({ verdict }) => wrongs.includes(verdict)).map(({ id }) => id));
  const still = (ids: readonly string[]): string[] => ids.filter((id) => wrong.has(id));
  const kept = causes
    .filter(({ lead }) => wrong.has(lead))
    .map((cause) => ({ ...cause, checks: still(cause.checks), blocks: still(cause.blocks) }));
  const named = new Set(kept.flatMap((cause) => [...cause.checks, ...cause.blocks]));
  return [...kept, ...causesIn({ target, checks: checks.filter(({ id }) => !named.has(id)) })].sort(byWeight);
}

const wrongs: readonly Verdict[] = ["error", "fail", "warn", "blocked"];

/** The complete exchanges of a report, without duplicates, in sending order. */
export function exchangesOf({ checks, target }: Report): Exchange[] {
  const once = new Map<string, Exchange>();
  for (const exchange of checks.flatMap(({ exchanges }) => exchanges)) {
    if ("cut_from" in exchange.response) continue;
    const key = [
      exchange.started_at,
      exchange.method,
      exchange.url,
      exchange.duration_ms,
      exchange.account,
    ].join(" ");
    if (!once.has(key)) once.set(key, exchangeOf(exchange, target));
  }
  return [...once.values()].sort((one, other) => one.started_at - other.started_at);
}

/** What is read of a report: the longest text of V8 has as many characters. */
const mostBytes = 512 * 2 ** 20;

/** Reads a report from a file; checks have the ids of today. @throws WrongUse when the file is not one */
export async function readReport(file: string): Promise<Report> {
  let text: string;
  try {
    const bytes = await givenBytes(file, mostBytes);
    text = (file.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8");
  } catch (error) {
    if (error instanceof WrongUse) throw error;
    throw new WrongUse(`${file} cannot be read; it should be a report that --json has written`);
  }
  let content: unknown;
  try {
    content = JSON.parse(text, (_, value: unknown) => (typeof value === "string" ? currentId(value) : value));
  } catch {
    throw new WrongUse(`${file} is not JSON; it should be a report written by --json`);
  }
  const report = content as Partial<Report> | null;
  if (typeof report?.target !== "string" || !Array.isArray(report.checks) || report.hashes === undefined) {
    throw new WrongUse(
      `${file} is not a report of this suite, or is an old one: it lacks target, checks or hashes`,
    );
  }
  return current(report as Report);
}
