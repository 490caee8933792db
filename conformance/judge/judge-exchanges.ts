import type { Exchange } from "./exchange.ts";
import { speakingOf, type Judgement, type Rule } from "./rule.ts";
import { seenOf, type Seen } from "./seen.ts";
import type { Verdict } from "./verdict.ts";
import { levelOf } from "./level.ts";
import { missed, type Finding, type Missed } from "./finding.ts";
import { NotRecorded } from "./missing.ts";

/** Default number of exchanges that a report shows for one broken rule. */
const maxShown = 10;

/**
 * Checks every exchange against every rule, with one finding per rule. A rule that no exchange exercised is
 * `unverified`.
 */
export function judgeExchanges(rules: readonly Rule[], exchanges: readonly Exchange[]): Finding[] {
  const judging = new Judging(rules);
  for (const exchange of exchanges) judging.look(exchange);
  return judging.findings();
}

/** How a report identifies a rule. */
export type Ruled = Pick<Rule, "id" | "clauses" | "title" | "field">;

/** The result of one rule over some exchanges; keeps a few that break it and counts the rest. */
export class Tally {
  readonly #rule: Ruled;
  readonly #shown: number;
  readonly #breaking: Exchange[] = [];
  #kept = 0;
  #broken = 0;
  #first: Missed | null = null;
  #stumble: string | null = null;

  constructor(rule: Ruled, shown = maxShown) {
    this.#rule = rule;
    this.#shown = shown;
  }

  /**
   * Runs the rule. A rule that needs a part that was not recorded does not apply; any other exception is a fault of the
   * suite and must not discard the other verdicts.
   */
  note(judge: () => Judgement, exchange: Exchange, recognised: boolean): Missed | null {
    if (this.#stumble !== null) return null;
    try {
      const judgement = judge();
      if (judgement === true) this.#kept += Number(recognised);
      else if (judgement !== null) {
        const breach = missed(judgement);
        this.#first ??= breach;
        this.#broken += 1;
        if (this.#breaking.length < this.#shown) this.#breaking.push(exchange);
        return breach;
      }
    } catch (error) {
      if (error instanceof NotRecorded) return null;
      this.#stumble = error instanceof Error ? error.stack! : String(error);
    }
    return null;
  }

  /** @param serves whether any request succeeded: a server that refuses everything must not get credit */
  finding(serves: boolean): Finding {
    const kept = serves ? this.#kept : 0;
    if (this.#stumble !== null) return findingOf(this.#rule, { verdict: "error", reason: this.#stumble });
    if (this.#first !== null) {
      const share = { wrong: this.#broken, of: this.#broken + kept };
      return findingOf(this.#rule, {
        verdict: levelOf(this.#rule.clauses) === "must" ? "fail" : "warn",
        reason: `expected ${this.#first.expected} (${share.wrong} of ${share.of} exchanges)`,
        ...this.#first,
        share,
        exchanges: this.#breaking,
        culprit: 0,
      });
    }
    if (kept > 0) return findingOf(this.#rule, { verdict: "pass" });
    return findingOf(this.#rule, { verdict: "unverified", reason: "not observed in this run" });
  }
}

/** Checks exchanges against rules one by one, in constant memory. */
export class Judging {
  readonly #tallies: ReadonlyMap<Rule, Tally>;
  readonly #speakingTo: ReturnType<typeof speakingOf>;
  #serves = false;

  constructor(rules: readonly Rule[], shown?: number) {
    this.#tallies = new Map(rules.map((rule) => [rule, new Tally(rule, shown)]));
    this.#speakingTo = speakingOf(rules);
  }

  /** Checks one answered exchange against every rule. */
  look(exchange: Exchange): void {
    const seen = seenOf(exchange);
    if (seen !== null) this.hold(seen);
  }

  /**
   * Checks one exchange against every rule and returns the rules it breaks.
   * @param shown the exchange as a report shows it, if shorter than the one judged
   */
  hold(seen: Seen, shown: Exchange = seen.exchange): { rule: Rule; breach: Missed }[] {
    this.#serves ||= seen.recognised && seen.status === 200;
    const breaches: { rule: Rule; breach: Missed }[] = [];
    for (const rule of this.#speakingTo(seen.operation, seen.status)) {
      const breach = this.#tallies.get(rule)!.note(() => rule.judge(seen), shown, seen.recognised);
      if (breach !== null) breaches.push({ rule, breach });
    }
    return breaches;
  }

  /** One finding per rule, over all exchanges so far. */
  findings(): Finding[] {
    return [...this.#tallies.values()].map((tally) => tally.finding(this.#serves));
  }
}

const findingOf = (rule: Ruled, facts: Partial<Finding> & { verdict: Verdict }): Finding => ({
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
  rule: { field: rule.field ?? null },
  ...facts,
});
