import type { Exchange } from "../exchange.ts";
import type { Rule } from "../rules/rule.ts";
import { seenOf, type Seen } from "../rules/seen.ts";
import type { Verdict } from "../verdict.ts";
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
  try {
    return held(rule, seen, serves);
  } catch (error) {
    // A rule that stumbles is the suite's own fault, and must not take the other verdicts with it.
    return found(rule, { verdict: "error", reason: error instanceof Error ? error.stack! : String(error) });
  }
}

function held(rule: Rule, seen: readonly Seen[], serves: boolean): Finding {
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
  if (first !== null) {
    return found(rule, {
      verdict: levelOf(rule.clauses) === "must" ? "fail" : "warn",
      reason: `expected ${first.expected} (${breaking.length} of ${breaking.length + kept} exchanges)`,
      ...first,
      exchanges: breaking.slice(0, mostShown),
      culprit: 0,
    });
  }
  if (kept > 0) return found(rule, { verdict: "pass" });
  return found(rule, { verdict: "unverified", reason: "nothing that crossed the wire shows it" });
}

const found = (rule: Rule, given: Partial<Finding> & { verdict: Verdict }): Finding => ({
  id: rule.id,
  clauses: rule.clauses,
  level: levelOf(rule.clauses),
  title: rule.title,
  reason: null,
  expected: null,
  received: null,
  remedy: null,
  duration_ms: 0,
  exchanges: [],
  culprit: null,
  ...given,
});
