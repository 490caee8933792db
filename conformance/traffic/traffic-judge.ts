import type { Exchange } from "../judge/exchange.ts";
import { hashesOf } from "../report/hashes.ts";
import { CoverageCount } from "../report/coverage.ts";
import { clausesOf, factIn, reported, suiteVersion, summaryOf, type Report } from "../report/report.ts";
import { contractVersion } from "../../generated/contract.ts";
import { observers } from "../suite/readings.ts";
import { rules } from "../suite/rules.ts";
import { parts, recordedPartOf, type Missing, type Part } from "../judge/missing.ts";
import { Observing } from "../judge/observer.ts";
import type { Rule } from "../judge/rule.ts";
import { seenOf } from "../judge/seen.ts";
import { Judging, Tally, type Ruled } from "../judge/judge-exchanges.ts";
import { levelOf } from "../judge/level.ts";
import type { Finding, Missed } from "../judge/finding.ts";
import { defaultProfile } from "../server/profile.ts";
import type { Crossing, Ending, Follow, Passing } from "../judge/crossing.ts";
import { clientRules } from "../suite/crossing.ts";
import type { Traffic } from "./har.ts";
import { ClientMemory, paidCallOf } from "../judge/memory.ts";
import type { Row } from "../judge/rows.ts";
import { crossingRules } from "../suite/crossing.ts";

/** Whose obligations are judged. */
export type Party = "server" | "client";

/** A rule that an exchange has just broken. */
export interface Live {
  rule: Ruled;
  level: "must" | "should";
  breach: Missed;
  exchange: Exchange;
}

/** Whether enough was recorded of an answer to know what its client saw, and when. */
const showsClient = (missing: Missing): boolean => !missing.has("sent") && !missing.has("duration");

/** The amount of traffic. */
export interface Counts {
  /** Exchanges of this API that were judged, and how many of them are incomplete. */
  judged: number;
  partial: number;
  /** Those of them whose answer began to arrive. */
  answered: number;
  /** Exchanges, of this API or not, that were not judged. */
  missed: number;
  /** Exchanges that were not of this API. */
  foreign: number;
}

/** Exchanges kept per rule for the report, and characters of each body: this bounds memory. */
const shownExchanges = 3;
const shownBody = 8192;

interface Followed {
  rule: Crossing;
  tally: Tally;
  follow: Follow;
  end: (() => Iterable<Ending>) | null;
}

/**
 * Judges recorded traffic against the obligations of one side, exchange by exchange, in the order in which they ended.
 * Uses constant memory.
 */
export class TrafficJudge {
  readonly counts: Counts = { judged: 0, partial: 0, answered: 0, missed: 0, foreign: 0 };
  readonly #party: Party;
  readonly #memory: ClientMemory;
  readonly #judging: Judging;
  readonly #followed: Followed[];
  readonly #recording: { complete: boolean; memory: ClientMemory; audit: Map<string, readonly Row[]> };
  /** Accounts with Calls of unknown outcome, and when the first of these began. */
  readonly #unsure = new Map<string, number>();
  readonly #coverage = new CoverageCount();
  readonly #observing = new Observing(observers);
  readonly #missing = new Map<Part, number>();
  #serves = false;
  #first = Infinity;
  #last = 0;

  /** @param complete the traffic is everything its clients did, from start to end */
  constructor(party: Party, complete: boolean, passive: readonly Rule[] = rules) {
    this.#party = party;
    this.#memory = new ClientMemory(party === "client");
    this.#judging = new Judging(party === "server" ? passive : [], shownExchanges);
    this.#recording = { complete, memory: this.#memory, audit: new Map() };
    this.#followed = (party === "server" ? crossingRules : clientRules).map((rule) => {
      const begun = rule.begin(this.#recording);
      const { follow, end } = typeof begun === "function" ? { follow: begun, end: null } : begun;
      return { rule, tally: new Tally(rule, shownExchanges), follow, end };
    });
  }

  /** Judges one exchange and returns the rules it breaks. */
  see({ exchange, missing, isCut = false, doubtMs = 0 }: Traffic): Live[] {
    this.#count(exchange, missing);
    const answered = seenOf(exchange);
    const seen = answered && recordedPartOf(answered, missing);
    const isKnown = !isCut && !missing.has("body") && (this.#party === "server" || showsClient(missing));
    const passing: Passing = {
      exchange,
      seen: isKnown ? seen : null,
      lost: isCut || (exchange.response === null && !missing.has("body")),
      // Start times are truncated to milliseconds; without truncation, this end would seem later than the next start.
      ended: Math.floor(exchange.started_at + exchange.duration_ms),
      doubtMs: missing.has("duration") ? Infinity : doubtMs,
    };
    const live: Live[] = [];
    const shown = short(exchange);
    const note = (rule: Ruled, breach: Missed): void => {
      live.push({ rule, level: levelOf(rule.clauses), breach, exchange: shown });
    };
    if (seen !== null && exchange.operation !== null) {
      this.#serves ||= seen.recognised && seen.status === 200;
      if (this.#party === "server") this.#observing.look(seen);
      for (const { rule, breach } of this.#judging.hold(seen, shown)) note(rule, breach);
    }
    for (const { rule, tally, follow } of this.#followed) {
      const breach = tally.note(() => follow(passing), shown, true);
      if (breach !== null) note(rule, breach);
    }
    this.#memory.note(passing);
    this.#noteUnsure(passing);
    return live;
  }

  /** Records exchanges that were not judged: from now on no client's traffic counts as complete. */
  miss(count: number): void {
    this.counts.missed += count;
    this.#recording.complete = false;
    this.#memory.gap();
  }

  /** The accounts about whose Calls the audit may know more, and since when, in epoch milliseconds. */
  get unsure(): ReadonlyMap<string, number> {
    return this.#unsure;
  }

  /** Takes what the usage audit of an account says at the end. */
  audited(account: string, events: readonly Row[]): void {
    this.#recording.audit.set(account, events);
  }

  #noteUnsure({ exchange, lost }: Passing): void {
    const { account, response, started_at: at } = exchange;
    const isUnknown = lost || response === null || response.status >= 500 || response.status === 408;
    if (account === null || !isUnknown || this.#unsure.has(account) || paidCallOf(exchange) === null) return;
    this.#unsure.set(account, at);
  }

  /** The result of every rule; final, at the end of the traffic. */
  findings(): Finding[] {
    for (const { tally, end } of this.#followed) {
      for (const { judgement, exchange } of end?.() ?? []) tally.note(() => judgement, exchange, true);
    }
    const serves = this.#party === "client" || this.#serves;
    return [...this.#judging.findings(), ...this.#followed.map(({ tally }) => tally.finding(serves))];
  }

  /** The number of exchanges that lack a part, by the part's name. */
  get incomplete(): Record<string, number> {
    return Object.fromEntries([...this.#missing].map(([part, count]) => [parts[part], count]));
  }

  /**
   * The report, in the format of `conformance.json`.
   * @param recorded the origin of the traffic
   */
  report(target: string, recorded: string, findings = this.findings()): Report {
    const checks = findings.map((finding) => ({
      ...finding,
      ...factIn(finding),
      exchanges: finding.exchanges.map(reported),
    }));
    return {
      contract_version: contractVersion,
      suite_version: suiteVersion,
      target,
      hashes: hashesOf(defaultProfile(target)),
      recorded,
      ...(this.#party === "client" && { party: "client" as const }),
      started_at: new Date(Number.isFinite(this.#first) ? this.#first : 0).toISOString(),
      duration_ms: Math.max(0, Math.round(this.#last - this.#first)),
      summary: summaryOf(checks),
      checks,
      clauses: clausesOf(checks, this.#party),
      coverage: this.#coverage.coverage,
      readings: this.#observing.choices(),
    };
  }

  #count(exchange: Exchange, missing: Missing): void {
    if (exchange.operation === null) {
      this.counts.foreign += 1;
      return;
    }
    this.counts.judged += 1;
    this.counts.partial += Number(missing.size > 0);
    this.counts.answered += Number(exchange.response !== null);
    for (const part of missing) this.#missing.set(part, (this.#missing.get(part) ?? 0) + 1);
    this.#coverage.see(exchange);
    this.#first = Math.min(this.#first, exchange.started_at);
    this.#last = Math.max(this.#last, exchange.started_at + exchange.duration_ms);
  }
}

/** The exchange as a report shows it. Texts are copied, so that slices do not retain the whole body. */
function short(exchange: Exchange): Exchange {
  const { request, response } = exchange;
  const cut = (text: string): string =>
    text.length <= shownBody
      ? text
      : `${Buffer.from(text.slice(0, shownBody)).toString()}… (${text.length} characters)`;
  return {
    ...exchange,
    request: { ...request, body: request.body === null ? null : cut(request.body) },
    response: response && { ...response, body: cut(response.body) },
  };
}
