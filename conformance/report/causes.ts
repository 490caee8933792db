import { limitedOperations, operations, type OperationId } from "../../generated/contract.ts";
import type { Exchange } from "../judge/exchange.ts";
import type { Finding, Share } from "../judge/finding.ts";
import { operationOf } from "../judge/operations.ts";
import type { Cause, Report, ReportedExchange } from "./format.ts";
import { mergeEverywhere, mergeFields } from "./merging.ts";
import { observedIn, processWords, shareWords, type Observed } from "./observed.ts";
import { commonIn, explainingRules, keysOf, rulesOf, type Traffic } from "./reasons.ts";
import { evidentKey, refusedOperations, statusesOfAbsence, wantsAnother } from "./refused.ts";
import {
  culpritOf,
  fieldOf,
  isOfId,
  isRule,
  lackingOf,
  mentions,
  nameOf,
  namesOf,
  placeOf,
  statusesOf,
} from "./about.ts";

export type { Cause };

/** The causes that a report names; where it has none, those that its checks show. */
export const causesIn = (report: Pick<Report, "causes" | "checks" | "target">): Cause[] =>
  report.causes ??
  causesOrEach(
    report.checks.map((check) => ({
      ...check,
      exchanges: check.exchanges.map((exchange) => exchangeOf(exchange, report.target)),
    })),
  ).causes;

/**
 * What to fix, as `causesOf`. Where an internal error keeps the causes from being made, each finding is its own, and a
 * note says so: the verdicts do not depend on them.
 */
export function causesOrEach(
  findings: readonly Finding[],
  traffic?: Traffic,
  make = causesOf,
): { causes: Cause[]; causes_note?: string } {
  try {
    return { causes: make(findings, traffic) };
  } catch (error) {
    const causes_note = `Findings were not grouped, because of an internal error (${String(error)}): each is its own cause.`;
    return { causes: findings.flatMap(ownCause).sort(byWeight), causes_note };
  }
}

function ownCause({ id, verdict, clauses, title, reason }: Finding): Cause[] {
  if (!["error", "fail", "warn", "blocked"].includes(verdict)) return [];
  const [checks, blocks] = verdict === "blocked" ? [[], [id]] : [[id], []];
  const what = verdict === "error" ? errorOf(reason) : (reason ?? title);
  return [{ what, verdict, lead: id, clauses: [...clauses], places: [], checks, blocks }];
}

/** An internal error, without its stack. */
const errorOf = (reason: string | null): string =>
  `internal error of this program, not of the server: ${reason?.split("\n")[0] ?? "unknown"}`;

const unknownTraffic: Traffic = { exchanges: [], broken: new Map() };

/**
 * What to fix, the biggest cause first. Findings that failed for one reason are one cause, and a blocked check
 * belongs to the cause of the answer that blocks it. Every failed or blocked finding belongs to exactly one cause.
 */
export function causesOf(findings: readonly Finding[], traffic: Traffic = unknownTraffic): Cause[] {
  const { exchanges, broken } = traffic;
  const refused = refusedOperations(exchanges, findings);
  const reds = findings.filter(({ verdict }) => ["error", "fail", "warn"].includes(verdict));
  const groups = new Map<string, Finding[]>();
  const add = (key: string, finding: Finding): void =>
    void groups.set(key, [...(groups.get(key) ?? []), finding]);

  const rulesOn = rulesOf(reds, broken);
  const observed = observedIn(exchanges, findings.filter(isWrong), traffic.audit_lag);
  const observedOf = (finding: Finding): string | undefined =>
    finding.verdict === "error" ? undefined : observed.find(({ explains }) => explains(finding))?.key;
  const keyOf = keysOf(refused, rulesOn, explainingRules(reds, broken), commonIn(reds));
  for (const finding of reds) add(observedOf(finding) ?? keyOf(finding), finding);
  mergeEverywhere(groups);
  mergeFields(groups);
  const blocking = blockersOf(groups, rulesOn);
  for (const finding of findings) {
    if (finding.verdict !== "blocked") continue;
    const asked = finding.culprit === null ? finding.exchanges : [culpritOf(finding)!];
    add(observedOf(finding) ?? evidentKey(asked, refused) ?? blocking(finding), finding);
  }
  const isKeyless = exchanges.every(({ account }) => account === null);
  const known = new Map(observed.map((observation) => [observation.key, observation]));
  return [...groups]
    .map(([key, group]) => causeOf(key, group, { refused, isKeyless, observed: known.get(key), traffic }))
    .sort(byWeight);
}

const isWrong = ({ verdict }: Finding): boolean => ["fail", "warn", "blocked"].includes(verdict);

/**
 * The order of causes: those that block most come first, and of equals the one that a client meets first; internal errors
 * and warnings come last.
 */
export const byWeight = (one: Cause, other: Cause): number =>
  rank(one) - rank(other) || weightOf(other) - weightOf(one) || stepOf(one) - stepOf(other);

/** The place of an operation among a client's steps, the operations with a quota. */
const stepOf = ({ places }: Cause): number => {
  const at = limitedOperations.findIndex((step) => places[0]?.includes(` ${operations[step].path} `));
  return at < 0 ? limitedOperations.length : at;
};

const rank = ({ verdict }: Cause): number => ["fail", "blocked", "error", "warn"].indexOf(verdict);
const weightOf = ({ checks, blocks }: Cause): number => checks.length + blocks.length;

/** For a blocked finding, the key of the group that explains the answer that blocks it; else a separate key. */
function blockersOf(
  groups: ReadonlyMap<string, Finding[]>,
  rulesOn: (exchange: Exchange | undefined) => Finding[],
): (finding: Finding) => string {
  const keys = new Map(
    [...groups].flatMap(([key, group]) => group.map((finding) => [finding, key] as const)),
  );
  const byPlace = new Map<string, string>();
  for (const [key, group] of [...groups].sort(([, one], [, other]) => one.length - other.length))
    for (const finding of key.startsWith("header ") ? [] : group)
      byPlace.set(placeOf(culpritOf(finding)), key);
  return (finding) => {
    const exchange = culpritOf(finding);
    const place = placeOf(exchange);
    const rules = rulesOn(exchange);
    const mentioned = rules.find((rule) => mentions(namesOf(finding), nameOf(rule)));
    const [narrowest] = rules.filter((rule) => fieldOf(rule) !== null);
    const rule = mentioned ?? narrowest ?? finding.exchanges.flatMap(rulesOn).find(isOfId);
    const found = (rule && keys.get(rule)) ?? (exchange && byPlace.get(place));
    return (
      found ??
      (rules[0] && keys.get(rules[0])) ??
      [...groups.keys()].find((key) => key.endsWith(`, not ${exchange?.response?.status}`)) ??
      `blocked ${place} ${exchange ? "" : finding.reason}`
    );
  };
}

/** What a run knows of a cause. */
interface Known {
  refused: ReadonlyMap<OperationId, number>;
  isKeyless: boolean;
  observed: Observed | undefined;
  traffic: Traffic;
}

function causeOf(
  key: string,
  group: readonly Finding[],
  { refused, isKeyless, observed, traffic }: Known,
): Cause {
  const reds = group.filter(({ verdict }) => verdict !== "blocked");
  const operation = /^refused (\w+)$/.exec(key)?.[1] as OperationId | undefined;
  const refusal = operation && refused.get(operation);
  const telling = reds.filter((finding) =>
    refusal
      ? wantsAnother(finding, operation!, refusal)
      : key.startsWith("status ") && statusesOf(finding) !== null,
  );
  const lead = leadOf([telling, reds, group].find((some) => some.length > 0)!);
  const isAbsent = refusal !== undefined && statusesOfAbsence.includes(refusal);
  const what =
    observed?.what ??
    (key === "page"
      ? `${placeOf(culpritOf(lead))} is an HTML page: something in front of the server may have answered`
      : refusal !== undefined
        ? `${operations[operation!].method} ${operations[operation!].path} ${isAbsent ? `is not implemented (${refusal})` : `answers ${refusal} to everything`}`
        : sentenceOf(lead, reds) + sharedWords(reds, traffic));
  return {
    what,
    verdict: lead.verdict,
    lead: lead.id,
    ...((observed?.share ?? lead.share) && { share: observed?.share ?? lead.share! }),
    clauses: [...new Set([lead, ...reds].flatMap(({ clauses }) => clauses))],
    places: [...new Set(group.map((finding) => placeOf(culpritOf(finding))))].filter(Boolean),
    checks: reds.map(({ id }) => id),
    blocks: group.filter(({ verdict }) => verdict === "blocked").map(({ id }) => id),
    // Many servers do not register trial accounts, on purpose.
    ...((isAbsent || (refusal !== undefined && operation === "registerAnonymous")) && {
      declare:
        isKeyless && operation === "registerAnonymous"
          ? "credentials: {account: KEY, other_account: KEY}"
          : `features: {${operation}: {off: not implemented yet}}`,
    }),
  };
}

/** The finding that shows a cause best: a broken must, by the rule of its outermost field, with the fewest exchanges. */
const leadOf = (group: readonly Finding[]): Finding =>
  group.toSorted(
    (one, other) =>
      Number(one.verdict === "warn") - Number(other.verdict === "warn") ||
      Number(fieldOf(other) !== null) - Number(fieldOf(one) !== null) ||
      Number(isRule(other)) - Number(isRule(one)) ||
      (fieldOf(one) ?? "").length - (fieldOf(other) ?? "").length ||
      one.exchanges.length - other.exchanges.length,
  )[0]!;

function sentenceOf(finding: Finding, group: readonly Finding[]): string {
  if (finding.verdict === "error") return errorOf(finding.reason);
  const object = lackingOf(finding);
  const lacking = group.filter((finding) => object !== null && lackingOf(finding) === object);
  if (lacking.length > 1) return `${object} lacks ${lacking.map(nameOf).join(", ")}`;
  const place = placeOf(culpritOf(finding));
  const at = place === "" ? "" : `${place}: `;
  if (finding.expected === null) return `${at}${finding.reason ?? finding.title}`;
  const title = statusesOf(finding) === null ? "" : ` (${finding.title})`;
  return `${at}expected ${finding.expected}, received ${cutTo(finding.received ?? "nothing", title ? 60 : 120)}${title}`;
}

/** For a fault of some responses of their kind alone: how many, and whether it may be that of one process. */
function sharedWords(reds: readonly Finding[], { exchanges, broken }: Traffic): string {
  const shares = reds.flatMap(({ share }) => share ?? []);
  const sum = (of: keyof Share): number => shares.reduce((total, share) => total + share[of], 0);
  const share = { wrong: sum("wrong"), of: sum("of") };
  if (share.wrong === share.of) return "";
  const ids = new Set(reds.filter(isRule).map(({ id }) => id));
  const wrong = new Set(
    [...broken].flatMap(([exchange, some]) => (some.some((id) => ids.has(id)) ? exchange : [])),
  );
  const at = new Set([...wrong].map(({ operation }) => operation));
  const asked = exchanges.filter(({ operation, response }) => at.has(operation) && response !== null);
  return ` (${shareWords(share)}${processWords(asked, (exchange) => wrong.has(exchange))})`;
}

/** Whether a cause says more than the finding that leads it. */
export const saysMore = ({ what, declare }: Cause, { expected }: Pick<Finding, "expected">): boolean =>
  declare !== undefined || (expected !== null && !what.includes(expected));

/** A text, cut to a length. */
export const cutTo = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length - 1)}…`;

/** A reported exchange as a run records it. */
export function exchangeOf(exchange: ReportedExchange, target: string): Exchange {
  const base = target.replace(/\/+$/, "");
  const path = exchange.url.startsWith(base) ? exchange.url.slice(base.length).replace(/\?.*$/, "") : "";
  return {
    operation: operationOf(exchange.method, path),
    account: exchange.account,
    started_at: Date.parse(exchange.started_at),
    duration_ms: exchange.duration_ms,
    request: { method: exchange.method, url: exchange.url, ...exchange.request },
    response:
      "error" in exchange.response || exchange.status === null
        ? null
        : { status: exchange.status, headers: exchange.response.headers, body: exchange.response.body },
    error: "error" in exchange.response ? exchange.response.error : null,
  };
}
