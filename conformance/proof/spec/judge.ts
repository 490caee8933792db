import { isDeepStrictEqual } from "node:util";
import { Judging } from "../../judge/judge-exchanges.ts";
import type { Exchange } from "../../judge/exchange.ts";
import type { Finding } from "../../judge/finding.ts";
import { seenOf } from "../../judge/seen.ts";
import { run } from "../../runner/run.ts";
import { checks as allChecks } from "../../suite/checks.ts";
import { rules } from "../../suite/rules.ts";
import type { GeneratedKill } from "../generated.ts";
import { groundOf } from "../ground.ts";
import type { Stage } from "../stage.ts";
import type { Change } from "../mutant.ts";
import type { WireRequest } from "../wire.ts";
import type { SpecMutant } from "./mutant.ts";

/** What became of a mutant from the spec. */
export interface SpecKill extends GeneratedKill {
  /** How many checks met it, by what they asked of the unchanged server. */
  met: number;
}

/** Checks that meet a mutant at the same time; the first that turn red end it. */
const batches = [6, 24, Infinity];

/**
 * Judges a mutant from the spec: first by the rules, over what the unchanged server has answered, changed as the mutant
 * would; then by the checks whose requests or answers it changes, those of few requests first.
 */
export async function killSpec(mutant: SpecMutant, stage: Stage): Promise<SpecKill> {
  const ground = await groundOf(stage);
  const met = await findingsMet(mutant, ground);
  const broken = brokenRules(met.flatMap(({ changed }) => changed));
  if (broken.length > 0) return { id: mutant.id, killed_by: broken, met: met.length, blocked: [] };
  const blocked: string[] = [];
  const waiting = met.map(({ id }) => allChecks.find((check) => check.id === id)!);
  for (const size of batches) {
    const checks = waiting.splice(0, size);
    if (checks.length === 0) break;
    const { findings } = await stage.perform(mutant.change, (profile) =>
      run(profile, { checks, rules, fast: true, anyKind: true }),
    );
    const red = findings.filter(({ verdict }) => ["fail", "warn"].includes(verdict)).map(({ id }) => id);
    if (red.length > 0) return { id: mutant.id, killed_by: red, met: met.length, blocked: [] };
    blocked.push(
      ...findings.filter(({ verdict }) => ["blocked", "error"].includes(verdict)).map(({ id }) => id),
    );
  }
  return { id: mutant.id, killed_by: [], met: met.length, blocked };
}

/** The rules that changed exchanges break; the first that breaks any ends the search. */
function brokenRules(exchanges: readonly Exchange[]): string[] {
  const judging = new Judging(rules);
  for (const exchange of exchanges) {
    const seen = seenOf(exchange);
    const breaches = seen === null ? [] : judging.hold(seen);
    if (breaches.length > 0) return breaches.map(({ rule }) => rule.id);
  }
  return [];
}

/** What a check of the ground would meet of a mutant. */
interface Met {
  id: string;
  requests: number;
  /** Its exchanges as the mutant would have answered them, where it changes answers alone. */
  changed: Exchange[];
}

/** The checks that meet a mutant, by what they asked of the unchanged server; those of few requests first. */
async function findingsMet(mutant: SpecMutant, ground: readonly Finding[]): Promise<Met[]> {
  const met: Met[] = [];
  for (const { id, exchanges } of ground) {
    const changed: Exchange[] = [];
    let asked = false;
    for (const exchange of exchanges) {
      if (exchange.operation !== mutant.operation) continue;
      asked ||= await isReplaced(mutant.change, exchange);
      const other = await answered(mutant.change, exchange);
      if (other !== null) changed.push(other);
    }
    if (asked || changed.length > 0) met.push({ id, requests: exchanges.length, changed });
  }
  return met.sort((one, other) => one.requests - other.requests);
}

/** Whether the request would have reached the mutant's server as another one. */
async function isReplaced({ inward }: Change, { operation, request }: Exchange): Promise<boolean> {
  if (inward === undefined) return false;
  const asked = wireRequestOf(operation, request);
  const replacement = await inward(asked, () => Promise.resolve(asked.sent()));
  if (replacement === null) return false;
  const { query = asked.query, headers = asked.headers, body = asked.sent() } = replacement;
  return !isDeepStrictEqual(
    [query.toString(), headers, parsed(body)],
    [asked.query.toString(), asked.headers, parsed(asked.sent())],
  );
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

/** The exchange as it would have been answered by the mutant; null where the answer would have been the same. */
async function answered({ wire }: Change, exchange: Exchange): Promise<Exchange | null> {
  const { request, response, operation } = exchange;
  if (wire === undefined || response === null) return null;
  try {
    const changed = await wire(wireRequestOf(operation, request), structuredClone(response));
    const same =
      changed.status === response.status &&
      isDeepStrictEqual(changed.headers, response.headers) &&
      (changed.body === response.body || isDeepStrictEqual(parsed(changed.body), parsed(response.body)));
    return same ? null : { ...exchange, response: changed };
  } catch {
    return null;
  }
}

function wireRequestOf(operation: Exchange["operation"], request: Exchange["request"]): WireRequest {
  const url = new URL(request.url);
  return {
    operation,
    method: request.method,
    path: url.pathname.replace(/^\/api\/v1/, ""),
    query: url.searchParams,
    headers: request.headers,
    sent: () => request.body ?? "",
  };
}
