import type { ClauseId } from "../generated/clauses.ts";
import type { Exchange } from "../conformance/exchange.ts";
import type { Rule } from "../conformance/rules/rule.ts";
import { rules as allRules } from "../conformance/rules/index.ts";
import { seenOf } from "../conformance/rules/seen.ts";
import { levelOf } from "../conformance/runner/level.ts";
import type { Secrets } from "../conformance/target/secrets.ts";
import type { Came } from "./planned.ts";

/** Something that the server does wrong, however often. */
export interface Finding {
  /** Names the fault; the same in every run. */
  name: string;
  clauses: readonly ClauseId[];
  /** `fail`: an obligation is broken; `warn`: a recommendation. */
  verdict: "fail" | "warn";
  title: string;
  expected: string;
  received: string;
  /** How often. */
  count: number;
  /** The first few exchanges that show it, without secrets. */
  exchanges: Exchange[];
}

export type Found = Omit<Finding, "verdict" | "count" | "exchanges"> & {
  verdict?: Finding["verdict"];
  count?: number;
  exchanges?: readonly Exchange[];
};

/** Exchanges kept for one finding. */
const mostKept = 3;

/** Holds the rules against every exchange of a load, and collects what a scenario finds beside. */
export class Judgement {
  readonly #rules: readonly Rule[];
  readonly #secrets: Secrets;
  readonly #found = new Map<string, Finding>();
  /** The rules that can have something to say about an operation's answer of one status. */
  readonly #speaking = new Map<string, readonly Rule[]>();
  /** Exchanges judged. */
  judged = 0;

  constructor(secrets: Secrets, rules: readonly Rule[] = allRules) {
    this.#secrets = secrets;
    this.#rules = rules;
  }

  /** Judges an exchange by the rules. One without an answer is not judged: it is counted as an error. */
  judge({ exchange, planned }: Pick<Came, "exchange"> & { planned?: Came["planned"] }): void {
    const key = planned?.sender.key ?? null;
    const { response } = exchange;
    if (response === null) return;
    // A key in an answer is told by its label; to look for one key is cheap, for all of them it is not.
    const open = key !== null && response.body.includes(key) ? this.#masked(exchange) : exchange;
    const seen = seenOf(open);
    if (seen === null) return;
    this.judged += 1;
    for (const rule of this.#rulesFor(seen.operation, seen.status)) {
      const judgement = rule.judge(seen);
      if (judgement === null || judgement === true) continue;
      const { expected, received } = judgement;
      const { id, clauses, title } = rule;
      this.find({ name: id, clauses, title, expected, received, exchanges: [open] });
    }
  }

  /** Notes a fault; one of the same name counts once more. */
  find({ name, clauses, title, expected, received, verdict, count = 1, exchanges = [] }: Found): void {
    const known = this.#found.get(name);
    if (known !== undefined) {
      known.count += count;
      if (known.exchanges.length < mostKept && exchanges[0]) known.exchanges.push(this.#masked(exchanges[0]));
      return;
    }
    this.#found.set(name, {
      name,
      clauses,
      verdict: verdict ?? (clauses.length === 0 || levelOf(clauses) === "must" ? "fail" : "warn"),
      title,
      expected,
      received,
      count,
      exchanges: exchanges.slice(0, mostKept).map((exchange) => this.#masked(exchange)),
    });
  }

  /** What another process has found is added to this. */
  merge(findings: readonly Finding[], judged: number): void {
    for (const finding of findings) this.find(finding);
    this.judged += judged;
  }

  /** Failures first, then by clause. */
  get findings(): Finding[] {
    const order = ({ verdict, clauses, name }: Finding): string =>
      `${verdict === "fail" ? 0 : 1} ${clauses[0] ?? ""} ${name}`;
    return [...this.#found.values()].sort((one, other) => (order(one) < order(other) ? -1 : 1));
  }

  #rulesFor(operation: Exchange["operation"], status: number): readonly Rule[] {
    const name = `${operation} ${status}`;
    let speaking = this.#speaking.get(name);
    if (speaking === undefined) {
      speaking = this.#rules.filter(
        ({ field }) =>
          field === undefined ||
          (operation !== null && field.operations.includes(operation) && field.status === status),
      );
      this.#speaking.set(name, speaking);
    }
    return speaking;
  }

  #masked(exchange: Exchange): Exchange {
    const text = JSON.stringify(exchange);
    return JSON.parse(this.#secrets.mask(text)) as Exchange;
  }
}
