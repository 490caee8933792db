import { isDeepStrictEqual } from "node:util";
import { Judging } from "../../judge/judge-exchanges.ts";
import type { Exchange } from "../../judge/exchange.ts";
import type { Finding, Run } from "../../judge/finding.ts";
import { seenOf } from "../../judge/seen.ts";
import type { Verdict } from "../../judge/verdict.ts";
import { causesOf } from "../../report/causes.ts";
import { culpritOf } from "../../report/about.ts";
import type { Check } from "../../run/check.ts";
import { run } from "../../run/run.ts";
import { checks } from "../../suite/checks.ts";
import { rules } from "../../suite/rules.ts";
import type { First, GeneratedKill } from "../kill.ts";
import { readKillers } from "../store.ts";
import { baselineOf, scenes, usual, type Scene } from "../baseline.ts";
import { needsOwnServer, type Stage } from "../stage.ts";
import { passOnUnaltered, type Setting } from "../unaltered.ts";
import type { Change } from "../../changes/mutant.ts";
import type { WireRequest } from "../../changes/wire.ts";
import type { SpecMutant } from "./mutant.ts";

const killers = readKillers();

/** Checks run against a mutant concurrently; the first failure ends it. */
const batches = [6, 24, Infinity];

/**
 * Judges a mutant of the spec: by the rules, over recorded answers of the unchanged server, modified as the mutant
 * would; then by the checks whose requests or answers it changes, those with few requests first.
 * @param manner `whole`: every such check runs, as in a whole run, and the result says what the first cause cites;
 * `brief`: the checks that killed it before run first, and spare the recording of the unchanged server
 */
export async function killSpec(
  mutant: SpecMutant,
  stage: Stage,
  { whole = false, brief = false, lawful }: Manner = {},
): Promise<GeneratedKill> {
  const { id } = mutant;
  const unsound = new Set<string>();
  const own = needsOwnServer(mutant.change);
  /** Those of the failed checks and rules that pass where the mutant's fault is absent. */
  const soundOf = async (red: readonly string[], { config, fast }: Scene): Promise<string[]> => {
    const sound = await passOnUnaltered(red, stage, { config, own, fast, ...(lawful && { lawful }) });
    for (const id of red) if (!sound.includes(id)) unsound.add(id);
    return sound;
  };
  const known = brief ? checks.filter((check) => killers[check.id] === id) : [];
  for (const { findings } of await runsOf(mutant, usual, known, [Infinity], stage)) {
    const red = await soundOf(checksOf(idsOf(findings, "fail", "warn")), usual);
    if (red.length > 0) return { id, killed_by: red, met: 1, blocked: [] };
  }
  const meetings: { scene: Scene; checks: Check[] }[] = [];
  for (const scene of scenes) {
    const { findings, broken: red } = await findingsMet(mutant, await baselineOf(stage, scene), whole);
    const broken = await soundOf(red, scene);
    if (broken.length > 0 && !whole) return { id, killed_by: broken, met: 1, blocked: [] };
    const checks = findings.map((finding) => scene.checks.find((check) => check.id === finding.id)!);
    meetings.push({ scene, checks });
  }
  const met = meetings.reduce((sum, { checks }) => sum + checks.length, 0);
  const blocked: string[] = [];
  for (const { scene, checks } of meetings) {
    const runs = await runsOf(mutant, scene, checks, whole ? [Infinity] : batches, stage);
    const findings = runs.flatMap((run) => run.findings);
    const red = await soundOf(idsOf(findings, "fail", "warn"), scene);
    if (red.length > 0)
      return { id, killed_by: red, met, blocked: [], ...(whole && { first: firstOf(runs[0]!, mutant) }) };
    blocked.push(...idsOf(findings, "blocked", "error"));
  }
  return { id, killed_by: [], met, blocked, ...(unsound.size > 0 && { unsound: [...unsound] }) };
}

/** How much a mutant meets. */
interface Manner {
  whole?: boolean | undefined;
  brief?: boolean | undefined;
  /** What else, lawfully, is different about the server. */
  lawful?: Setting["lawful"] | undefined;
}

const checkIds = new Set(checks.map(({ id }) => id));
const checksOf = (ids: readonly string[]): string[] => ids.filter((id) => checkIds.has(id));

const idsOf = (findings: readonly Finding[], ...verdicts: Verdict[]): string[] =>
  findings.filter(({ verdict }) => verdicts.includes(verdict)).map(({ id }) => id);

/** Whether the first cause of a run is at an answer of the operation that a mutant breaks. */
function firstOf(judged: Run, { operation }: SpecMutant): First {
  const [cause] = causesOf(judged.findings, judged);
  const lead = judged.findings.find(({ id }) => id === cause?.lead);
  return lead !== undefined && culpritOf(lead)?.operation === operation ? "operation" : "neither";
}

/** Runs some checks against a mutant, batch by batch, until one of them fails. */
async function runsOf(
  { change }: SpecMutant,
  { config, fast }: Scene,
  waiting: Check[],
  sizes: readonly number[],
  stage: Stage,
): Promise<Run[]> {
  const runs: Run[] = [];
  for (const size of sizes) {
    const checks = waiting.splice(0, size);
    if (checks.length === 0) break;
    const judged = await stage.perform(config === undefined ? change : { ...change, config }, (profile) =>
      run(profile, { checks, rules, fast, anyKind: true }),
    );
    runs.push(judged);
    // Made for each mutant, so that each shows that the report can be.
    causesOf(judged.findings, judged);
    if (judged.findings.some(({ verdict }) => verdict === "fail" || verdict === "warn")) break;
  }
  return runs;
}

/**
 * The checks that meet a mutant, judged by their requests to the unchanged server, those with few requests first; and
 * the rules that a modified answer breaks. Without `whole`, such rules are the only result.
 */
async function findingsMet(
  { change, operation }: SpecMutant,
  baseline: readonly Finding[],
  whole: boolean,
): Promise<{ findings: Finding[]; broken: string[] }> {
  const judging = new Judging(rules);
  const met = new Set<Finding>();
  let broken: string[] = [];
  for (const finding of baseline) {
    for (const exchange of finding.exchanges) {
      if (exchange.operation !== operation) continue;
      if (!met.has(finding) && (await isReplaced(change, exchange))) met.add(finding);
      const changed = await answered(change, exchange);
      if (changed === null) continue;
      met.add(finding);
      const seen = broken.length > 0 ? null : seenOf(changed);
      if (seen !== null) broken = judging.hold(seen).map(({ rule }) => rule.id);
      if (broken.length > 0 && !whole) return { findings: [], broken };
    }
  }
  return { findings: [...met].sort((one, other) => one.exchanges.length - other.exchanges.length), broken };
}

/** Whether the mutant would change the request on its way to the server. */
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

/** The exchange as a changed server would have answered it; null when the answer would be the same. */
export async function answered({ wire }: Change, exchange: Exchange): Promise<Exchange | null> {
  const { request, response, operation } = exchange;
  if (wire === undefined || response === null) return null;
  try {
    const changed = await wire(wireRequestOf(operation, request), response);
    const same =
      changed === response ||
      (changed.status === response.status &&
        isDeepStrictEqual(changed.headers, response.headers) &&
        (changed.body === response.body || isDeepStrictEqual(parsed(changed.body), parsed(response.body))));
    return same ? null : { ...exchange, response: changed };
  } catch {
    return null;
  }
}

/** A recorded request as a change on the wire sees it. */
export function wireRequestOf(operation: Exchange["operation"], request: Exchange["request"]): WireRequest {
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
