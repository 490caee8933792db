import type { ClauseId } from "../../generated/clauses.ts";
import { canonical } from "../../base/data.ts";
import { sentJson, type Exchange } from "../judge/exchange.ts";
import { condition, type Fact } from "../judge/fact.ts";
import { levelOf } from "../judge/level.ts";
import { paidCallOf } from "../judge/memory.ts";
import { nothingMissing } from "../judge/missing.ts";
import { isFields } from "../judge/seen.ts";
import { TrafficJudge } from "../traffic/traffic-judge.ts";
import type { Trial } from "./trial.ts";

/** A rule about the client's half that a run breaks. */
export interface Broken {
  rule: string;
  clause: ClauseId;
  level: "must" | "should";
  fact: Fact;
  /** Place of the exchange at fault; null when none can be named. */
  at: number | null;
}

/** Rules about traffic that guess at money: in a trial the books say what was paid. */
const decidedByBooks = ["FLOW-15/across", "FLOW-22/lost"];

/** Clauses about requests that are sent once more: what the client sends in any case repeats nothing. */
const aboutRepetition: readonly string[] = ["FLOW-17", "FLOW-18", "FLOW-28"];

/**
 * The rules about the client's half that a run breaks.
 * @param baseline a run without a fault: a request that it also makes is not a repetition
 */
export function brokenBy(trial: Trial, baseline: Trial | null = null): Broken[] {
  const judge = new TrafficJudge("client", true);
  const broken: Broken[] = [];
  const excused = new Set<string>();
  for (const [at, exchange] of trial.exchanges.entries()) {
    for (const { rule, level, breach } of judge.see({ exchange, missing: nothingMissing })) {
      const clause = rule.clauses[0] as ClauseId;
      if (baseline !== null && aboutRepetition.includes(clause) && isUsual(trial, at, baseline))
        excused.add(rule.id);
      else broken.push({ rule: rule.id, clause, level, fact: breach.fact, at });
    }
  }
  const seen = new Set([...excused, ...broken.map(({ rule }) => rule)]);
  for (const {
    id,
    clauses: [clause],
    verdict,
    fact,
    reason,
    exchanges,
  } of judge.findings()) {
    if ((verdict !== "fail" && verdict !== "warn") || seen.has(id)) continue;
    const at = trial.exchanges.findIndex((exchange) => isSame(exchange, exchanges[0]));
    broken.push({
      rule: id,
      clause: clause as ClauseId,
      level: levelOf([clause!]),
      fact: fact ?? condition(reason ?? "", ""),
      at: at < 0 ? null : at,
    });
  }
  const firsts = new Map(broken.toReversed().map((breach) => [breach.rule, breach]));
  return [...firsts.values()].toReversed().filter(({ rule }) => !decidedByBooks.includes(rule));
}

const isSame = (one: Exchange, other: Exchange | undefined): boolean =>
  one.started_at === other?.started_at && one.request.url === other.request.url;

/** Whether the run without a fault makes a request as well, as often as it was made by then. */
function isUsual({ exchanges }: Trial, at: number, baseline: Trial): boolean {
  const asked = exchanges.slice(0, at + 1).map(askedBy);
  const usual = baseline.exchanges.map(askedBy);
  const [latest] = asked.slice(-1) as [Asked];
  const count = (all: readonly Asked[], name: keyof Asked): number =>
    all.filter((call) => call[name] === latest[name]).length;
  if (count(asked, "same") <= count(usual, "same")) return true;
  // Values may differ from run to run.
  return count(asked, "same") === 1 && count(asked, "kind") <= count(usual, "kind");
}

interface Asked {
  /** Equal for two requests that ask for the same, ids of the task aside. */
  same: string;
  /** Equal for two requests that ask for the like, with other values. */
  kind: string;
}

function askedBy(exchange: Exchange): Asked {
  const { operation, request } = exchange;
  const call = paidCallOf(exchange);
  if (call !== null) return { same: call.same, kind: `${operation} ${call.tool}` };
  const query = URL.canParse(request.url) ? [...new URL(request.url).searchParams.keys()].sort() : [];
  const sent = sentJson(exchange);
  const { session_id: _session, search_id: _search, ...body } = isFields(sent) ? sent : {};
  const kind = [operation ?? request.url, ...query].join(" ");
  return { same: `${kind}\n${canonical(body)}`, kind };
}
