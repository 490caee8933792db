import { isDeepStrictEqual } from "node:util";
import { jsonOf, type Exchange } from "../../judge/exchange.ts";
import { Judging } from "../../judge/judge-exchanges.ts";
import { levelOf } from "../../judge/level.ts";
import { seenOf } from "../../judge/seen.ts";
import { rules } from "../../suite/rules.ts";
import { baselineOf } from "../baseline.ts";
import { wireRequestOf } from "../spec/judge.ts";
import type { Stage } from "../stage.ts";
import { lawfulChange, type Point } from "./index.ts";

/** What the rules say of one point by itself. */
export interface Single {
  id: string;
  /** How many recorded answers it changes; if none, no run shows it. */
  met: number;
  /** Rules that it breaks, and how. */
  alarms: { id: string; expected: string; received: string }[];
}

/** The maximum number of recorded answers of one operation and status that a point is applied to, drawn evenly. */
const maxAnswers = 24;

const spread = (all: readonly Exchange[]): Exchange[] =>
  all.filter((_, index) => index % Math.ceil(all.length / maxAnswers) === 0);

/** Applies each point to the recorded answers of the unchanged server, and checks them against every rule. */
export async function judgedSingly(points: readonly Point[], stage: Stage): Promise<Single[]> {
  const recorded = (await baselineOf(stage)).flatMap((finding) => finding.exchanges);
  const byAnswer = Map.groupBy(recorded, ({ operation, response }) => `${operation} ${response?.status}`);
  const exchanges = [...byAnswer.values()].flatMap(spread);
  const byOperation = Map.groupBy(exchanges, ({ operation }) => operation);
  const results: Single[] = [];
  for (const point of points) results.push(await judgedPoint(point, byOperation.get(point.operation) ?? []));
  return results;
}

async function judgedPoint(point: Point, exchanges: readonly Exchange[]): Promise<Single> {
  const change = lawfulChange([point]);
  const judging = new Judging(rules);
  const alarms = new Map<string, Single["alarms"][number]>();
  let met = 0;
  for (const exchange of exchanges) {
    if (point.edit !== undefined && exchange.response?.status !== point.edit.status) continue;
    const { operation, request, response } = exchange;
    // A report truncates long bodies.
    if (response === null || (point.edit && jsonOf(exchange) === undefined)) continue;
    const changed = await change.wire!(wireRequestOf(operation, request), response);
    if (changed.body === response.body && isDeepStrictEqual(changed.headers, response.headers)) continue;
    met += 1;
    // A client sees header names in lower case.
    const headers = Object.fromEntries(
      Object.entries(changed.headers).map(([name, value]) => [name.toLowerCase(), value]),
    );
    const seen = seenOf({ ...exchange, response: { ...response, ...changed, headers } });
    for (const { rule, breach } of seen === null ? [] : judging.hold(seen)) {
      if (levelOf(rule.clauses) === "must") alarms.set(rule.id, { id: rule.id, ...breach });
    }
  }
  return { id: point.id, met, alarms: [...alarms.values()] };
}
