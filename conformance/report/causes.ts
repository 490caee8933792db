import { limitedOperations, operations, type OperationId } from "../../generated/contract.ts";
import { sentJson, type Exchange } from "../judge/exchange.ts";
import type { Finding } from "../judge/finding.ts";
import { operationOf } from "../judge/operations.ts";
import type { Cause, Report, ReportedExchange } from "./format.ts";

export type { Cause };

/** What a run knows beyond its findings. */
export interface Traffic {
  /** Every exchange of the run. */
  exchanges: readonly Exchange[];
  /** The rules that an exchange breaks, by id. */
  broken: ReadonlyMap<Exchange, readonly string[]>;
}

/** The causes that a report tells, or those that its checks show alone. */
export const causesIn = (report: Pick<Report, "causes" | "checks" | "target">): Cause[] =>
  report.causes ??
  causesOf(
    report.checks.map((check) => ({
      ...check,
      exchanges: check.exchanges.map((exchange) => exchangeOf(exchange, report.target)),
    })),
  );

const unknownTraffic: Traffic = { exchanges: [], broken: new Map() };

/** Rules that this many operations break say nothing of why one answer could not be used. */
const everywhere = 3;

/**
 * What to mend, the cause of most first. Findings that are red for one reason are one cause, and what is blocked belongs
 * to the cause of the answer that blocks it. Everything red or blocked belongs to exactly one.
 */
export function causesOf(
  findings: readonly Finding[],
  { exchanges, broken }: Traffic = unknownTraffic,
): Cause[] {
  const refused = refusedOperations(exchanges, findings);
  const reds = findings.filter(({ verdict }) => ["error", "fail", "warn"].includes(verdict));
  const groups = new Map<string, Finding[]>();
  const add = (key: string, finding: Finding): void =>
    void groups.set(key, [...(groups.get(key) ?? []), finding]);

  const rulesOn = rulesOf(reds, broken);
  const keyOf = keysOf(refused, rulesOn, explainingRules(reds, broken), commonIn(reds));
  for (const finding of reds) add(keyOf(finding), finding);
  mergeEverywhere(groups);
  mergeFields(groups);
  const blocking = blockersOf(groups, rulesOn);
  for (const finding of findings) {
    if (finding.verdict !== "blocked") continue;
    const asked = finding.culprit === null ? finding.exchanges : [culpritOf(finding)!];
    add(evidentKey(asked, refused) ?? blocking(finding), finding);
  }
  const isKeyless = exchanges.every(({ account }) => account === null);
  return [...groups].map(([key, group]) => causeOf(key, group, refused, isKeyless)).sort(byWeight);
}

/**
 * Causes that need a look before others: what holds up most, of equals what a client meets first; the suite's own errors
 * and warnings last.
 */
export const byWeight = (one: Cause, other: Cause): number =>
  rank(one) - rank(other) || weightOf(other) - weightOf(one) || stepOf(one) - stepOf(other);

/** The place of an operation among the steps of a client, which are the ones with a quota. */
const stepOf = ({ places }: Cause): number => {
  const at = limitedOperations.findIndex((step) => places[0]?.includes(` ${operations[step].path} `));
  return at < 0 ? limitedOperations.length : at;
};

const rank = ({ verdict }: Cause): number => ["fail", "blocked", "error", "warn"].indexOf(verdict);
const weightOf = ({ checks, blocks }: Cause): number => checks.length + blocks.length;

export const culpritOf = ({ exchanges, culprit }: Finding): Exchange | undefined =>
  culprit === null ? undefined : exchanges[culprit];

/** Statuses that say of an operation that it is not there. */
const statusesOfAbsence: readonly number[] = [404, 405, 501];

/**
 * Operations that give one and the same refusal to everything, with its status: those that are not there, even where that
 * is told by another status, and those that are wrong in such a way. The refusal of a missing or wrong key, of one
 * request too many and of what is no JSON may come before; a page is not its answer.
 */
function refusedOperations(
  exchanges: readonly Exchange[],
  findings: readonly Finding[],
): ReadonlyMap<OperationId, number> {
  const statuses = new Map<OperationId, Set<number>>();
  const words = new Map<OperationId | null, Set<string>>();
  for (const { operation, request, response } of exchanges) {
    if (response === null || [401, 429].includes(response.status)) continue;
    if (isPage(response) || (request.body !== null && sentJson({ request }) === undefined)) continue;
    words.set(operation, (words.get(operation) ?? new Set()).add(wordsOfRefusal(response)));
    if (operation !== null)
      statuses.set(operation, (statuses.get(operation) ?? new Set()).add(response.status));
  }
  const nowhere = words.get(null) ?? new Set();
  const refused = new Map<OperationId, number>();
  for (const [operation, [status, ...others]] of statuses) {
    if (status === undefined || others.some((other) => !statusesOfAbsence.includes(other))) continue;
    if (others.length > 0 && !statusesOfAbsence.includes(status)) continue;
    // An id that nobody knows, a wrong code and the like are refused by right.
    const isAbsent = statusesOfAbsence.includes(status) && !hasPathParameter(operation);
    // Where a list shows no ids, no read finds its row.
    if (!statusesOfAbsence.includes(status) && hasPathParameter(operation) && findings.some(lacksId))
      continue;
    const isNowhere =
      !statusesOfAbsence.includes(status) && [...words.get(operation)!].every((one) => nowhere.has(one));
    const isWrong = (finding: Finding): boolean =>
      wantsAnother(finding, operation, status) ||
      (isNowhere && culpritOf(finding)?.operation === operation && statusesOf(finding) !== null);
    if (status >= 400 && (isAbsent || findings.some(isWrong))) refused.set(operation, status);
  }
  return refused;
}

/** A refusal, without what differs from one path to the next. */
const wordsOfRefusal = ({ status, body }: NonNullable<Exchange["response"]>): string =>
  `${status} ${body.replace(/\/[\w/.-]*|\b(?:GET|POST)\b|\d+/g, "")}`;

const hasPathParameter = (operation: OperationId): boolean =>
  Object.keys(operations[operation].pathParameters).length > 0;

/**
 * Whether a finding is red or blocked since an operation gave this status instead of a 200; or of a 401, for which it does
 * not even ask where it is not there.
 */
const wantsAnother = (finding: Finding, operation: OperationId, status: number): boolean =>
  ["fail", "blocked"].includes(finding.verdict) &&
  culpritOf(finding)?.operation === operation &&
  (statusesOfAbsence.includes(status) ? /\b(?:200|401)\b/ : /\b200\b/).test(finding.expected ?? "200");

/** The path of a field whose rule follows from the spec, by the rule's id; null for other rules and for checks. */
const fieldOf = (id: string): string | null => /^[A-Z]+-\d+\/[A-Za-z]+-\d{3}-(.+)$/.exec(id)?.[1] ?? null;

/** The last name in a path. */
const lastName = (path: string): string | undefined =>
  path.split(/[.-]/).findLast((step) => step !== "each" && !/^\d+$/.test(step));

/** The last name in the path of a rule's field, which a check about it mentions. */
const nameOf = (id: string): string | undefined =>
  lastName((fieldOf(id) ?? "").replace(/-\w+$/, "")) || undefined;

/** Whether a text names a field, its plural, or what is counted by it. */
const mentions = (text: string | null, name: string | undefined): boolean =>
  text !== null &&
  !!name &&
  new RegExp(`\\b${name}(?:s|${name.includes("_") ? "_\\w+" : ""})?\\b`).test(text);

/** For an exchange, the findings of the rules that it breaks, those that few operations break first. */
function rulesOf(
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

const isPage = (response: Exchange["response"]): boolean =>
  /^\s*<(?:!doctype|html)/i.test(response?.body ?? "");

/** What answers show by themselves: a page in place of the API, an operation that refuses everything. */
function evidentKey(
  exchanges: readonly Exchange[],
  refused: ReadonlyMap<OperationId, number>,
): string | undefined {
  if (exchanges.some(({ response }) => isPage(response))) return "page";
  const operation = exchanges.find((one) => one.operation && refused.has(one.operation))?.operation;
  return operation ? `refused ${operation}` : undefined;
}

/** The header that a finding expects. */
const headerOf = ({ expected }: Finding): string | undefined =>
  /^(?:headers? )?(\w+-[\w-]+)/.exec(expected ?? "")?.[1];

/** Why a finding is red, as a text that is the same for findings that are red for the same reason. */
function keysOf(
  refused: ReadonlyMap<OperationId, number>,
  rulesOn: (exchange: Exchange | undefined) => Finding[],
  explaining: ReadonlyMap<string, Finding>,
  common: ReadonlySet<Finding>,
): (finding: Finding) => string {
  const keyOf = (finding: Finding): string => {
    const exchange = culpritOf(finding);
    const operation = exchange?.operation ?? "";
    if (finding.verdict === "error") return `error ${finding.reason?.split("\n")[0]}`;
    const evident = exchange && evidentKey([exchange], refused);
    const header = headerOf(finding);
    if (header && evident !== "page" && /^(?:nothing|\[\])$/.test(finding.received ?? ""))
      return `header ${header}`;
    if (evident !== undefined) return evident;
    const statuses = statusesOf(finding);
    const isRead =
      statuses?.startsWith("200,") && exchange?.operation && hasPathParameter(exchange.operation);
    const nameless = statuses === null || isRead ? namelessBefore(finding) : undefined;
    if (statuses !== null && nameless === undefined) return `status ${statuses} ${operation}`;
    const before = writtenBefore(finding).find((one) => refused.has(one));
    if (before !== undefined) return `refused ${before}`;
    const clause = `clause ${finding.clauses[0]} ${operation}`;
    if (fieldOf(finding.id) !== null) return clause;
    const rules = rulesOn(exchange);
    const rule =
      explaining.get(finding.id) ??
      [...rules, ...rulesBeside(finding)].find((one) => isAboutTheSame(finding, one)) ??
      (isRule(finding.id)
        ? undefined
        : finding.exchanges.flatMap(rulesOn).find((one) => listsPath(finding, one))) ??
      nameless ??
      rules.find((one) => isEmptied(finding, one)) ??
      finding.exchanges.flatMap(rulesOn).find((one) => isEmptied(finding, one) && isOfWhole(one)) ??
      (isRule(finding.id) || common.has(finding) ? undefined : soleFieldOf(rules));
    return rule === undefined ? clause : keyOf(rule);
  };
  /** The rules of other answers of a check that it can name, or whose value it expects. */
  const rulesBeside = ({ id, exchanges, expected }: Finding): Finding[] =>
    isRule(id)
      ? []
      : exchanges.flatMap(rulesOn).filter((rule) => {
          const name = nameOf(rule.id) ?? "";
          return (
            /_|^$/.test(name) || [`${name}=`, `: ${rule.received}`].some((one) => expected?.includes(one))
          );
        });
  const namelessBefore = ({ id, exchanges, culprit }: Finding): Finding | undefined =>
    isRule(id) || culprit === null
      ? undefined
      : exchanges
          .slice(0, culprit + 1)
          .flatMap(rulesOn)
          .find(isOfId);
  return keyOf;
}

/** What checks find at many operations, in the same words or of the same clause: no field of one answer explains it. */
const commonIn = (reds: readonly Finding[]): ReadonlySet<Finding> =>
  new Set(
    [wordsOf, ({ id, clauses: [clause] }: Finding) => (isRule(id) ? undefined : clause)].flatMap((by) =>
      [...Map.groupBy(reds, by)].flatMap(([what, alike]) =>
        what && new Set(alike.map((one) => culpritOf(one)?.operation)).size >= everywhere ? alike : [],
      ),
    ),
  );

/** Of the rules that an answer breaks, that of a field, where they speak of one alone. */
function soleFieldOf(rules: readonly Finding[]): Finding | undefined {
  const fields = rules.filter(({ id }) => fieldOf(id) !== null);
  return new Set(fields.map(({ id }) => nameOf(id))).size === 1 ? fields[0] : undefined;
}

/** Whether a rule is that of an id: what has none cannot be found again. */
const isOfId = ({ id }: Finding): boolean => /^(?:\w+_)?id$/.test(nameOf(id) ?? "");

const lacksId = (finding: Finding): boolean => finding.verdict === "fail" && isOfId(finding);

/** Whether a rule finds no object or list. */
const isOfWhole = ({ expected }: Finding): boolean => /: (?:object|array)\b/.test(expected ?? "");

/** Whether a check finds nothing where a rule of the body is broken, or where a rule finds no object or list. */
const isEmptied = ({ id, received }: Finding, rule: Finding): boolean =>
  !isRule(id) &&
  headerOf(rule) === undefined &&
  (/^(?:nothing|"undefined"|\[\])/.test(received ?? "") || isOfWhole(rule));

/**
 * The operations that write and were asked before the answer at fault, which may show what they left. A refused
 * registration leaves nothing that another account sees.
 */
const writtenBefore = ({ exchanges, culprit }: Finding): OperationId[] =>
  exchanges
    .slice(0, culprit ?? 0)
    .flatMap(({ operation, request }) =>
      operation !== null && operation !== "registerAnonymous" && request.method === "POST" ? operation : [],
    );

/** The path with which an expectation of a value begins. */
const pathOf = (expected: string | null): string | undefined =>
  /^[a-z_]\w*(?:\.\w+)*(?=:)/.exec(expected ?? "")?.[0];

/** Whether a finding is about what a rule is about, which one of its answers breaks. */
function isAboutTheSame({ id, expected, received }: Finding, rule: Finding): boolean {
  if (id === rule.id) return false;
  if (isRule(id)) return mentions(expected, nameOf(rule.id));
  // A rule written by hand is about the first compound name in what it expects.
  const subject = nameOf(rule.id) ?? /^[a-z]+(?:_[a-z]+)+/.exec(rule.expected ?? "")?.[0];
  return (
    mentions(expected, subject) ||
    mentions(rule.expected, lastName(pathOf(expected) ?? "")) ||
    expected?.includes(`${/^\w+/.exec(rule.expected ?? "")?.[0]}=`) === true ||
    /\bits rows\b/.test(expected ?? "") ||
    (subject !== undefined &&
      /: (?:nothing|to be empty)$/.test(expected ?? "") &&
      mentions(received, subject))
  );
}

/** Whether what came lists the field of a rule by its path, as a comparison of two answers does. */
function listsPath({ received }: Finding, { id }: Finding): boolean {
  const [parent, name] = (fieldOf(id) ?? "")
    .split(".")
    .filter((step) => step !== "each")
    .slice(-2);
  return name !== undefined && new RegExp(`: ${parent}\\.(?:[\\w-]+\\.)?${name}"`).test(received ?? "");
}

const isRule = (id: string): boolean => id.endsWith("/always") || fieldOf(id) !== null;

/**
 * For a rule written by hand, by id, another that is broken wherever it is: that of a field, or one of its own area that
 * is broken by the very same answers.
 */
function explainingRules(reds: readonly Finding[], broken: Traffic["broken"]): Map<string, Finding> {
  const answers = new Map<string, Set<Exchange>>();
  for (const [exchange, ids] of broken)
    for (const id of ids) answers.set(id, (answers.get(id) ?? new Set()).add(exchange));
  const rules = reds.filter(({ id }) => answers.has(id));
  const areaOf = (id: string): string => id.split("-")[0]!;
  const explaining = new Map<string, Finding>();
  for (const [at, rule] of rules.entries()) {
    const { id } = rule;
    if (fieldOf(id) !== null) continue;
    const own = answers.get(id)!;
    const other = rules.find((one, place) => {
      const its = answers.get(one.id)!;
      const isOfField = fieldOf(one.id) !== null;
      const isWider =
        its.size === own.size ? place < at : placeOf(culpritOf(one)) === placeOf(culpritOf(rule));
      const isTwin = areaOf(one.id) === areaOf(id) && isWider;
      return (isOfField || isTwin) && [...own].every((exchange) => its.has(exchange));
    });
    if (other !== undefined) explaining.set(id, other);
  }
  return explaining;
}

/** "expected 422, received 200", for a finding about nothing but a status. */
function statusesOf({ expected, received }: Finding): string | null {
  const wanted = /^(?:status|the status of .*:) (\d{3}(?: or \d{3})*)$/.exec(expected ?? "")?.[1];
  const came = /^(?:status )?(\d{3})\b/.exec(received ?? "")?.[1];
  return wanted === undefined || came === undefined ? null : `${wanted}, not ${came}`;
}

/** A reason without what differs from one check to the next: numbers, quoted texts. */
const normal = (text: string | null): string =>
  (text ?? "").replace(/"(?:[^"\\]|\\.)*"/g, '""').replace(/\d+(\.\d+)?/g, "0");

const join = (groups: Map<string, Finding[]>, key: string, keys: readonly string[]): void => {
  const joined = keys.flatMap((one) => groups.get(one)!);
  for (const one of keys) groups.delete(one);
  groups.set(key, joined);
};

/** The object that lacks the field of a rule, with the place of the answer. */
const lackingOf = (finding: Finding): string | null =>
  finding.received === "nothing" && fieldOf(finding.id)
    ? `${placeOf(culpritOf(finding))}: ${/^(?:(.*)\.)?[^.]+?:/.exec(finding.expected ?? "")?.[1] ?? "the answer"}`
    : null;

/** Joins the fields that one object lacks, and what several clauses and checks say of one value. */
function mergeFields(groups: Map<string, Finding[]>): void {
  const shown = (key: string): Finding =>
    groups.get(key)!.find(({ id }) => fieldOf(id) !== null) ?? groups.get(key)![0]!;
  const valueOf = (finding: Finding): string =>
    `${placeOf(culpritOf(finding))}: ${pathOf(finding.expected)}`.replace(/\.\d+\b/g, "");
  const keys = [...groups.keys()].filter((key) => key.startsWith("clause ") && pathOf(shown(key).expected));
  const byRule = new Map(
    keys
      .map(shown)
      .flatMap((one) => (fieldOf(one.id) ? [[valueOf(one), lackingOf(one) ?? valueOf(one)]] : [])),
  );
  const lacking = new Set(byRule.values());
  const subjectOf = (key: string): string => {
    const value = valueOf(shown(key));
    return byRule.get(value) ?? (lacking.has(value) ? value : `${value} ${shown(key).received}`);
  };
  for (const alike of Map.groupBy(keys, subjectOf).values())
    if (alike.length > 1) join(groups, alike[0]!, alike);
  // A check of another operation that has read the value.
  for (const [key, group] of groups) {
    const [{ id, expected, exchanges }] = group as [Finding];
    if (!key.startsWith("clause ") || isRule(id) || pathOf(expected) !== undefined) continue;
    const of = keys.find((one) => {
      // Undefined where it has been joined to another.
      const read = groups.get(one)?.[0];
      const name = read && lastName(pathOf(read.expected) ?? "");
      const isRead = ({ operation }: Exchange): boolean => operation === culpritOf(read!)?.operation;
      return name?.includes("_") && mentions(expected, name) && exchanges.some(isRead);
    });
    if (of !== undefined) join(groups, of, [of, key]);
  }
}

/** What a check expects of an operation, without the operation's name. */
const wordsOf = ({ id, expected }: Finding): string | undefined =>
  isRule(id) || expected === null ? undefined : normal(expected).replace(operationIds, "");

const lastWord = (key: string): string => key.slice(key.lastIndexOf(" ") + 1);
const operationIds = new RegExp(`\\b(?:${Object.keys(operations).join("|")})\\b`, "g");

/** Joins what is wrong in the same way at many operations; one refusal instead of another already at two. */
function mergeEverywhere(groups: Map<string, Finding[]>): void {
  const bySentence = Map.groupBy(
    [...groups.keys()].filter((key) => key.startsWith("clause ")),
    (key) => wordsOf(groups.get(key)![0]!),
  );
  for (const [words, keys] of bySentence)
    if (words !== undefined && new Set(keys.map(lastWord)).size >= everywhere) join(groups, keys[0]!, keys);
  const alike = Map.groupBy(
    [...groups.keys()].filter((key) => /^(status|clause) /.test(key)),
    (key) => key.slice(0, key.lastIndexOf(" ")),
  );
  for (const [key, keys] of alike) {
    if (keys.length < (/^status [4-5].*, not [4-5]/.test(key) ? 2 : everywhere)) continue;
    join(groups, key, keys);
    const [, wanted, came] = /^status (.*), not (\d+)$/.exec(key) ?? [];
    if (came === undefined) continue;
    // A rule about an answer with a refusing status, which ought not to be there.
    const isOfCame = (one: Finding): boolean =>
      isRule(one.id) && culpritOf(one)?.response?.status === Number(came);
    const entails = (other: string): boolean =>
      new RegExp(`^status .*\\b(${wanted!.replaceAll(" or ", "|")})\\b.*, not ${came} `).test(other) ||
      (other.startsWith("clause ") && Number(came) >= 400 && groups.get(other)!.every(isOfCame));
    join(groups, key, [key, ...[...groups.keys()].filter((other) => other !== key && entails(other))]);
  }
}

/** For a blocked finding, the key of the group that explains the answer which blocks it, else a key of its own. */
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
    const mentioned = rules.find(({ id }) => mentions(finding.reason, nameOf(id)));
    const [narrowest] = rules.filter(({ id }) => fieldOf(id) !== null);
    const rule = mentioned ?? narrowest ?? finding.exchanges.flatMap(rulesOn).find(isOfId);
    const found = (rule && keys.get(rule)) ?? (exchange && byPlace.get(place));
    return (
      found ??
      (rules[0] && keys.get(rules[0])) ??
      [...groups.keys()].find((key) => key.endsWith(`, not ${exchange?.response?.status}`)) ??
      `blocked ${place} ${exchange ? "" : normal(finding.reason)}`
    );
  };
}

/** An operation with the status of its answer. */
export function placeOf(exchange: Exchange | undefined): string {
  if (exchange === undefined) return "";
  const { operation, request, response, error } = exchange;
  const what =
    operation === null
      ? `${request.method} ${request.url.replace(/\?.*$/, "")}`
      : `${operations[operation].method} ${operations[operation].path}`;
  return `${what} → ${response?.status ?? `no answer (${error ?? "none"})`}`;
}

function causeOf(
  key: string,
  group: readonly Finding[],
  refused: ReadonlyMap<OperationId, number>,
  isKeyless: boolean,
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
  return {
    what:
      key === "page"
        ? `${placeOf(culpritOf(lead))} is an HTML page: something in front of the server may have answered`
        : refusal === undefined
          ? sentenceOf(lead, reds)
          : `${operations[operation!].method} ${operations[operation!].path} ${isAbsent ? `is not there (${refusal})` : `answers ${refusal} to everything`}`,
    verdict: lead.verdict,
    lead: lead.id,
    clauses: [...new Set([lead, ...reds].flatMap(({ clauses }) => clauses))],
    places: [...new Set(group.map((finding) => placeOf(culpritOf(finding))))].filter(Boolean),
    checks: reds.map(({ id }) => id),
    blocks: group.filter(({ verdict }) => verdict === "blocked").map(({ id }) => id),
    // Many servers register nobody on purpose.
    ...((isAbsent || (refusal !== undefined && operation === "registerAnonymous")) && {
      declare:
        isKeyless && operation === "registerAnonymous"
          ? "credentials: {account: KEY, other_account: KEY}"
          : `features: {${operation}: {off: not there yet}}`,
    }),
  };
}

/** The finding that shows a cause best: a broken must, by the rule of its outermost field, with the fewest exchanges. */
const leadOf = (group: readonly Finding[]): Finding =>
  group.toSorted(
    (one, other) =>
      Number(one.verdict === "warn") - Number(other.verdict === "warn") ||
      Number(fieldOf(other.id) !== null) - Number(fieldOf(one.id) !== null) ||
      Number(isRule(other.id)) - Number(isRule(one.id)) ||
      (fieldOf(one.id) ?? "").length - (fieldOf(other.id) ?? "").length ||
      one.exchanges.length - other.exchanges.length,
  )[0]!;

function sentenceOf(finding: Finding, group: readonly Finding[]): string {
  const object = lackingOf(finding);
  const lacking = group.filter((one) => object !== null && lackingOf(one) === object);
  if (lacking.length > 1) return `${object} lacks ${lacking.map(({ id }) => nameOf(id)).join(", ")}`;
  const place = placeOf(culpritOf(finding));
  const at = place === "" ? "" : `${place}: `;
  if (finding.expected === null) return `${at}${finding.reason ?? finding.title}`;
  const title = statusesOf(finding) === null ? "" : ` (${finding.title})`;
  return `${at}expected ${finding.expected}, received ${cutTo(finding.received ?? "nothing", title ? 60 : 120)}${title}`;
}

/** Whether a cause says more than the finding that leads it. */
export const saysMore = ({ what, declare }: Cause, { expected }: Pick<Finding, "expected">): boolean =>
  declare !== undefined || (expected !== null && !what.includes(expected));

/** A text, cut to a length. */
export const cutTo = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length - 1)}…`;

/** A reported exchange as a run records it. */
export function exchangeOf(one: ReportedExchange, target: string): Exchange {
  const base = target.replace(/\/+$/, "");
  const path = one.url.startsWith(base) ? one.url.slice(base.length).replace(/\?.*$/, "") : "";
  return {
    operation: operationOf(one.method, path),
    account: one.account,
    started_at: Date.parse(one.started_at),
    duration_ms: one.duration_ms,
    request: { method: one.method, url: one.url, ...one.request },
    response:
      "error" in one.response || one.status === null
        ? null
        : { status: one.status, headers: one.response.headers, body: one.response.body },
    error: "error" in one.response ? one.response.error : null,
  };
}
