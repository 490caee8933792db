import type { Exchange } from "../exchange.ts";
import type { Rule } from "../rules/rule.ts";
import { seenOf, type Seen } from "../rules/seen.ts";
import { levelOf } from "./level.ts";
import type { Finding } from "./run.ts";

/** Exchanges that a report shows for one broken rule. */
const mostShown = 10;

/** Holds every rule against every exchange: one finding a rule. A rule that nothing spoke to is `unverified`. */
export function judgeExchanges(rules: readonly Rule[], exchanges: readonly Exchange[]): Finding[] {
  const seen = exchanges.map(seenOf).filter((one) => one !== null);
  // A server that refuses everything keeps the rules on refusals, and must not be praised for it.
  const serves = seen.some((one) => one.recognised && one.status === 200);
  return rules.map((rule) => judged(rule, seen, serves));
}

function judged(rule: Rule, seen: readonly Seen[], serves: boolean): Finding {
  let kept = 0;
  let first: { expected: string; received: string } | null = null;
  const breaking: Exchange[] = [];
  for (const one of seen) {
    const judgement = rule.judge(one);
    if (judgement === true) kept += Number(serves && one.recognised);
    else if (judgement !== null) {
      first ??= judgement;
      breaking.push(one.exchange);
    }
  }
  const level = levelOf(rule.clauses);
  const broken = level === "must" ? "fail" : "warn";
  return {
    id: rule.id,
    clauses: rule.clauses,
    level,
    title: rule.title,
    verdict: first ? broken : kept > 0 ? "pass" : "unverified",
    reason: first
      ? `expected ${first.expected} (${breaking.length} of ${breaking.length + kept} exchanges)`
      : kept > 0
        ? null
        : "nothing that crossed the wire shows it",
    expected: first?.expected ?? null,
    received: first?.received ?? null,
    remedy: null,
    duration_ms: 0,
    exchanges: breaking.slice(0, mostShown),
    culprit: first ? 0 : null,
  };
}
