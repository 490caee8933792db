import { areaOf } from "../judge/area.ts";
import { isDeepStrictEqual } from "node:util";
import type { OperationId } from "../../generated/contract.ts";
import type { Exchange } from "../judge/exchange.ts";
import type { Finding } from "../judge/finding.ts";
import { evidentKey, hasPathParameter } from "./refused.ts";
import { topicOf } from "../judge/fact.ts";
import {
  culpritOf,
  fieldOf,
  headerOf,
  holdsMember,
  isEmpty,
  isOfEnvelope,
  isOfId,
  isOfWhole,
  isRule,
  isUnprocessable,
  lastName,
  mentions,
  nameOf,
  namesOf,
  pathOf,
  placeOf,
  receivedNothing,
  receivedTheSame,
  statusesOf,
  statusesWanted,
  subjectOf,
  valueOf,
  wantsNothing,
} from "./about.ts";

/** What a run knows beyond its findings. */
export interface Traffic {
  /** Every exchange of the run. */
  exchanges: readonly Exchange[];
  /** The rules that an exchange breaks, by id. */
  broken: ReadonlyMap<Exchange, readonly string[]>;
  /** How late the books may be. */
  audit_lag?: { seconds: number };
}

/** Rules that this many operations break do not explain why one answer could not be used. */
export const everywhere = 3;

/** Why a finding failed, as a text that is the same for findings that failed for the same reason. */
export function keysOf(
  refused: ReadonlyMap<OperationId, number>,
  rulesOn: (exchange: Exchange | undefined) => Finding[],
  explaining: ReadonlyMap<string, Finding>,
  common: ReadonlySet<Finding>,
): (finding: Finding) => string {
  /** @param met the findings by which it was come to: none explains another of them */
  const keyOf = (finding: Finding, met: readonly Finding[] = []): string => {
    const exchange = culpritOf(finding);
    const operation = exchange?.operation ?? "";
    if (finding.verdict === "error") return `error ${finding.reason?.split("\n")[0]}`;
    const evident = exchange && evidentKey([exchange], refused);
    const header = headerOf(finding);
    if (header && evident !== "page" && isEmpty(finding)) return `header ${header}`;
    if (evident !== undefined) return evident;
    const statuses = statusesOf(finding);
    const isRead =
      statusesWanted(finding)[0] === 200 && exchange?.operation && hasPathParameter(exchange.operation);
    const nameless = statuses === null || isRead ? namelessBefore(finding) : undefined;
    if (statuses !== null && nameless === undefined) return `status ${statuses} ${operation}`;
    if (isRule(finding) && isUnprocessable(exchange))
      return `status 422, not ${exchange!.response!.status} ${operation}`;
    const before = writtenBefore(finding).find((member) => refused.has(member));
    if (before !== undefined) return `refused ${before}`;
    const clause = `clause ${finding.clauses[0]} ${operation}`;
    if (fieldOf(finding) !== null) return clause;
    const rules = rulesOn(exchange);
    const rule =
      explaining.get(finding.id) ??
      [...rules, ...rulesNearby(finding)].find((rule) => isAboutTheSame(finding, rule)) ??
      (isRule(finding)
        ? undefined
        : finding.exchanges.flatMap(rulesOn).find((rule) => listsPath(finding, rule))) ??
      nameless ??
      rules.find((rule) => isEmptied(finding, rule)) ??
      finding.exchanges.flatMap(rulesOn).find((rule) => isEmptied(finding, rule) && isOfWhole(rule)) ??
      (isRule(finding) || common.has(finding) ? undefined : soleFieldOf(rules, explaining));
    return rule === undefined || met.includes(rule) ? clause : keyOf(rule, [...met, finding]);
  };
  /** The rules of a check's other answers that it can name, or with a value that it expects. */
  const rulesNearby = (finding: Finding): Finding[] =>
    isRule(finding)
      ? []
      : finding.exchanges.flatMap(rulesOn).filter((rule) => {
          const name = nameOf(rule);
          return (
            name === undefined ||
            name.includes("_") ||
            mentions(namesOf(finding), name) ||
            wantsWhatCame(finding, rule)
          );
        });
  const namelessBefore = (finding: Finding): Finding | undefined =>
    isRule(finding) || finding.culprit === null
      ? undefined
      : finding.exchanges
          .slice(0, finding.culprit + 1)
          .flatMap(rulesOn)
          .find(isOfId);
  return (finding) => keyOf(finding);
}

/** For an exchange, the findings of the rules that it breaks, those that fewer operations break first. */
export function rulesOf(
  reds: readonly Finding[],
  broken: Traffic["broken"],
): (exchange: Exchange | undefined) => Finding[] {
  const byId = new Map(reds.map((finding) => [finding.id, finding]));
  const breadth = new Map<string, Set<string | null>>();
  for (const [{ operation }, ids] of broken)
    for (const id of ids) breadth.set(id, (breadth.get(id) ?? new Set()).add(operation));
  const widthOf = ({ id }: Finding): number => breadth.get(id)?.size ?? 1;
  return (exchange) =>
    (exchange === undefined ? [] : (broken.get(exchange) ?? []))
      .flatMap((id) => byId.get(id) ?? [])
      .sort((one, other) => widthOf(one) - widthOf(other));
}

/** Findings at many operations, in the same words or of the same clause: no field of one answer explains them. */
export const commonIn = (reds: readonly Finding[]): ReadonlySet<Finding> =>
  new Set(
    [wordsOf, (finding: Finding) => (isRule(finding) ? undefined : finding.clauses[0])].flatMap((by) =>
      [...Map.groupBy(reds, by)].flatMap(([what, alike]) =>
        what && new Set(alike.map((finding) => culpritOf(finding)?.operation)).size >= everywhere
          ? alike
          : [],
      ),
    ),
  );

/**
 * For a rule written by hand, by id, another rule that the same answers break: that of the same field, else that of any
 * field or of the envelope, or one of the same area that exactly these answers break.
 */
export function explainingRules(reds: readonly Finding[], broken: Traffic["broken"]): Map<string, Finding> {
  const answers = new Map<string, Set<Exchange>>();
  for (const [exchange, ids] of broken)
    for (const id of ids) answers.set(id, (answers.get(id) ?? new Set()).add(exchange));
  const rules = reds.filter(({ id }) => answers.has(id));
  const explaining = new Map<string, Finding>();
  for (const [at, rule] of rules.entries()) {
    const { id } = rule;
    if (fieldOf(rule) !== null) continue;
    const answer = answers.get(id)!;
    const covering = rules.filter(({ id }) =>
      [...answer].every((exchange) => answers.get(id)!.has(exchange)),
    );
    const isOfField = (finding: Finding): boolean => fieldOf(finding) !== null;
    const isOfValue = (finding: Finding): boolean =>
      isOfField(finding) && receivedNothing(finding) && pathOf(finding) === pathOf(rule);
    const explains = (finding: Finding): boolean => {
      const isSame = answers.get(finding.id)!.size === answer.size;
      const isWider = isSame
        ? rules.indexOf(finding) < at
        : placeOf(culpritOf(finding)) === placeOf(culpritOf(rule));
      const isTwin = areaOf(finding.id) === areaOf(id) && isWider && isOfWhole(finding) === isOfWhole(rule);
      // A member that the envelope lacks does not explain another value in it.
      const isOther = isOfWhole(rule) && !receivedNothing(rule);
      const isEnvelope = finding.id !== id && isOfEnvelope(finding) && !isOther;
      return isOfField(finding) || isTwin || isEnvelope;
    };
    const other = covering.find(isOfValue) ?? covering.find(explains);
    if (other !== undefined) explaining.set(id, other);
  }
  return explaining;
}

/** What a check expects of an operation, whichever it is. */
export const wordsOf = (finding: Finding): string | undefined =>
  isRule(finding) || !finding.fact ? undefined : topicOf(finding.fact);

/** Rules about parts that all operations share: they explain no other fault of an answer. */
export const isGeneral = ({ id }: Finding): boolean => /^(?:AUTH|ERRO|HTTP|LIMI|VERS)-/.test(id);

/** Of the rules that an answer breaks, that of a field, if they concern only one; or the only one of its content. */
function soleFieldOf(
  rules: readonly Finding[],
  explaining: ReadonlyMap<string, Finding>,
): Finding | undefined {
  const fields = rules.filter((rule) => fieldOf(rule) !== null);
  const own = new Set(
    rules.filter((rule) => !isGeneral(rule)).map((rule) => explaining.get(rule.id) ?? rule),
  );
  if (fields.length === 0 && own.size === 1) return [...own][0];
  return new Set(fields.map(nameOf)).size === 1 ? fields[0] : undefined;
}

/** Whether a check finds nothing where a rule of the body is broken, or where a rule finds no object or list. */
const isEmptied = (finding: Finding, rule: Finding): boolean =>
  !isRule(finding) && headerOf(rule) === undefined && (isEmpty(finding) || isOfWhole(rule));

/**
 * The writing operations before the answer at fault, which may show what they left. A refused registration leaves
 * nothing that another account sees.
 */
const writtenBefore = ({ exchanges, culprit }: Finding): OperationId[] =>
  exchanges
    .slice(0, culprit ?? 0)
    .flatMap(({ operation, request }) =>
      operation !== null && operation !== "registerAnonymous" && request.method === "POST" ? operation : [],
    );

/** Whether a finding is about the subject of a rule that one of its answers breaks. */
function isAboutTheSame(finding: Finding, rule: Finding): boolean {
  if (finding.id === rule.id) return false;
  const names = namesOf(finding);
  if (isRule(finding)) return mentions(names, nameOf(rule));
  // A rule written by hand is about the first compound name in what it expects.
  const subject = nameOf(rule) ?? subjectOf(rule.fact);
  const path = pathOf(finding) ?? "";
  const name = lastName(path);
  // The envelope's rules have words, such as success, that are also names of fields in it.
  const isOfField = name?.includes("_") === true || !path.includes(".") || !isGeneral(rule);
  const value = valueOf(finding);
  return (
    mentions(names, subject) ||
    (isOfField && mentions(namesOf(rule), name)) ||
    receivedTheSame(finding, rule) ||
    (subject !== undefined &&
      wantsNothing(finding) &&
      (holdsMember(value, subject) || (receivedNothing(rule) && typeof value === "object" && value !== null)))
  );
}

/** Whether a check expects the very value that a rule finds wrong. */
const wantsWhatCame = ({ fact }: Finding, rule: Finding): boolean =>
  fact != null &&
  "value" in fact.expected &&
  valueOf(rule) !== undefined &&
  isDeepStrictEqual(fact.expected.value, valueOf(rule));

/** Whether the received value lists the field of a rule by its path, as a comparison of two answers does. */
function listsPath(finding: Finding, rule: Finding): boolean {
  const value = valueOf(finding);
  const name = nameOf(rule);
  return (
    name !== undefined &&
    Array.isArray(value) &&
    value.some((text) => typeof text === "string" && text.endsWith(`.${name}`))
  );
}
