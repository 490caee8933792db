import { usualLagSeconds } from "../../books/finality.ts";
import { isDeepStrictEqual } from "node:util";
import { noise } from "../../judge/credits.ts";
import { History } from "../../books/history/history.ts";
import { Located, type Answer } from "../../judge/answer.ts";
import { jsonOf, type Exchange } from "../../judge/exchange.ts";
import type { Fact } from "../../judge/fact.ts";
import type { Finding } from "../../judge/finding.ts";
import type { RunContext } from "../perform.ts";
import { givenBy } from "./references.ts";
import type { Replayed } from "./replay.ts";
import { isRead, isSame, type Spares } from "./steps.ts";

/** A failure as a check or a rule found it. */
export interface Failure {
  finding: Finding & { fact: Fact };
  /** The exchange that shows it. */
  culprit: Exchange;
  /** What the check that sent it has sent. */
  exchanges: readonly Exchange[];
}

/** A way to see a failure again, once its requests were sent again. */
export interface Sign {
  /** The steps to begin with. */
  begins: "all" | "evidence";
  isIn: (replayed: Replayed) => boolean;
  spares: Spares;
}

/**
 * The ways to see a failure again, the plainest first.
 * @param isOfTrials whether the script registers its accounts: nothing else is in their books, and what is right does not change
 */
export function signsOf(failure: Failure, { broken, profile }: RunContext, isOfTrials: boolean): Sign[] {
  const { finding } = failure;
  if (finding.rule !== undefined)
    return [
      {
        isIn: ({ answer }) => broken.get(answer.exchange)?.includes(finding.id) ?? false,
        spares: "anything",
        begins: "all",
      },
    ];
  const whole: Sign[] = [
    { isIn: (replayed) => isWrongNumber(failure, replayed), spares: "reads", begins: "all" },
    { isIn: contradicts(failure, profile.audit_lag), spares: "anything", begins: "all" },
  ];
  const isOfRows = "value" in finding.fact.received && Array.isArray(finding.fact.received.value);
  const withExcess: Sign = {
    isIn: (replayed) => isExcess(failure.finding.fact) && showsRows(failure, replayed),
    spares: "reads",
    begins: "all",
  };
  return [
    { isIn: (replayed) => showsSame(failure, replayed), spares: "other rows", begins: "all" },
    ...(isOfTrials ? whole : []),
    ...(isOfRows ? [{ isIn: repeatsRow, spares: "anything", begins: "all" } as const] : []),
    { isIn: showsAnothers, spares: "anything", begins: "all" },
    { isIn: changesByItself, spares: "anything", begins: "all" },
    ...(isOfTrials ? [withExcess] : []),
    { isIn: answersSame, spares: "nothing", begins: "evidence" },
    { isIn: answersSame, spares: "nothing", begins: "all" },
  ];
}

/** The response shows at the place of the fact what the earlier one showed, and not what would be right. */
function showsSame({ finding: { fact }, culprit }: Failure, { answer, renewed }: Replayed): boolean {
  const { kind, place, expected } = fact;
  const { response } = culprit;
  if (response === null || response.status !== answer.status) return false;
  if (kind === "status") return true;
  if (place === null) return false;
  const path = place;
  const [was, is] =
    kind === "header"
      ? [response.headers[path.toLowerCase()], answer.headers[path.toLowerCase()]]
      : [new Located(jsonOf(culprit), "", culprit).at(path).value, answer.at(path).value];
  const isRight = "value" in expected && is === (renewed.get(String(expected.value)) ?? expected.value);
  return !isRight && isAlike(was, is, renewed);
}

/** Each response shows what the earlier one showed: what is wrong is how they go together. */
const answersSame = ({ sent, renewed }: Replayed): boolean =>
  sent.every(({ step, answer }) => {
    if (step.operation === "registerAnonymous") return answer.status === 200;
    // What the catalogue says of tools changes with every Call of anybody.
    const path = isOfCatalogue(step) ? "remaining_credits" : "";
    const was = new Located(jsonOf(step), "", step).at(path).value;
    return step.response?.status === answer.status && isAlike(was, answer.at(path).value, renewed);
  });

const isOfCatalogue = ({ operation }: Exchange): boolean =>
  operation !== null && ["discover", "inspect", "probe", "getCapability"].includes(operation);

/** The response shows a row or an execution that another account was given. */
function showsAnothers({ sent }: Replayed): boolean {
  const { step, answer } = sent.at(-1)!;
  const asked = `${step.request.url} ${step.request.body ?? ""}`;
  return sent
    .filter(({ step: { account } }) => account !== null && account !== step.account)
    .filter((other) => !isOfCatalogue(other.step))
    .flatMap((other) => idsIn(other.answer.body))
    .some((id) => answer.text.includes(id) && !asked.includes(id));
}

/** The response is not what the same read showed before, although its account has only read since. */
function changesByItself({ sent }: Replayed): boolean {
  const { step, answer } = sent.at(-1)!;
  const before = sent.slice(0, -1).findLastIndex((other) => isSame(other.step, step));
  const since = sent.slice(before + 1).filter((other) => other.step.account === step.account);
  return (
    before >= 0 && since.every((other) => isRead(other.step)) && !showsAlike(sent[before]!.answer, answer)
  );
}

/**
 * The pages of a list show a row twice. A feed never does, whatever is added between its pages; numbered pages do not while
 * their account only reads.
 */
function repeatsRow({ sent }: Replayed): boolean {
  const fed = new Map<string, Set<string>>();
  const numbered = new Map<string, Set<string>>();
  return sent.some(({ step, answer }) => {
    if (!isRead(step)) numbered.clear();
    const url = new URL(step.request.url);
    const page = url.searchParams.get("page");
    const isFirst = page === null ? !url.searchParams.has("cursor") : Number(page) === 1;
    for (const name of ["page", "cursor"]) url.searchParams.delete(name);
    const lists = page === null ? fed : numbered;
    const list = `${step.account} ${url.href}`;
    const shown = (isFirst ? undefined : lists.get(list)) ?? new Set();
    lists.set(list, shown);
    const ids = givenBy(answer.body).filter(({ path }) => ofItem.test(path));
    const before = shown.size;
    for (const { value } of ids) shown.add(value);
    return shown.size < before + ids.length;
  });
}

/** The path of the id of an item, not of what is within it. */
const ofItem = /^\D+\.\d+\.id$/;

/** Whether two responses show the same rows with the same values. */
const showsAlike = (one: Answer, other: Answer): boolean =>
  one.body === undefined
    ? one.text === other.text
    : isAlike(one.body, other.body) && isDeepStrictEqual(idsIn(one.body), idsIn(other.body));

/** The ids of the rows and executions in a response, where they are too long to come twice by chance. */
const idsIn = (body: unknown): string[] =>
  givenBy(body).flatMap(({ name, value }) =>
    /^(?:id|execution_id)$/.test(name) && value.length > 8 ? value : [],
  );

/** The response shows another number than the one that is right for the same requests. */
function isWrongNumber({ finding: { fact }, culprit }: Failure, { answer }: Replayed): boolean {
  const { expected, received, place } = fact;
  const right = "credits" in expected ? expected.credits : "value" in expected ? expected.value : undefined;
  const was = "value" in received ? received.value : undefined;
  if (typeof right !== "number" || typeof was !== "number" || culprit.response?.status !== answer.status)
    return false;
  const places = place === null ? placesOf(was, jsonOf(culprit)) : [place];
  const is = places.length === 1 ? answer.at(places[0]!).value : undefined;
  return typeof is === "number" && Math.abs(is - right) > noise;
}

/** The paths at which a body has a number. */
function placesOf(wanted: number, body: unknown, path = ""): string[] {
  if (typeof body === "number") return Math.abs(body - wanted) < noise ? [path] : [];
  if (typeof body !== "object" || body === null) return [];
  return Object.entries(body).flatMap(([name, value]) =>
    placesOf(wanted, value, path === "" ? name : `${path}.${name}`),
  );
}

/** Whether a fact is that something is there which should not be. */
const isExcess = ({ expected }: Fact): boolean =>
  ("value" in expected &&
    (expected.value === false || (Array.isArray(expected.value) && expected.value.length === 0))) ||
  ("size" in expected && expected.size === "empty");

/** The response shows every row of the accounts of the script that the earlier one showed, whatever else there is. */
function showsRows({ culprit }: Failure, { answer, renewed }: Replayed): boolean {
  const rowsIn = (body: unknown): unknown[] => {
    if (Array.isArray(body)) return body;
    return typeof body === "object" && body !== null ? Object.values(body).flatMap(rowsIn) : [];
  };
  const isKnown = (row: unknown): boolean =>
    typeof row === "object" && row !== null && Object.values(row).some((value) => renewed.has(String(value)));
  const known = rowsIn(jsonOf(culprit)).filter(isKnown);
  const shown = rowsIn(answer.body);
  return known.length > 0 && known.every((row) => shown.some((other) => isAlike(row, other, renewed)));
}

/**
 * What the requests did to the books of their accounts contradicts itself in a way in which all of them did: by a clause of
 * the check, if they did so.
 */
function contradicts({ finding }: Failure, auditLag = usualLagSeconds): Sign["isIn"] {
  let ways: ReadonlySet<string> | undefined;
  return ({ sent }) => {
    const history = new History({ lagSeconds: auditLag, isComplete: true });
    for (const { answer } of sent) history.take(answer.exchange);
    const { contradictions } = history.judge();
    if (ways === undefined) {
      const cited = contradictions.filter(({ clauses }) =>
        clauses.some((clause) => finding.clauses.includes(clause)),
      );
      ways = new Set((cited.length > 0 ? cited : contradictions).map(({ name }) => name));
    }
    return contradictions.some(({ name }) => ways!.has(name));
  };
}

/** Names of members that measure time. */
const durations = /_(?:ms|time)$/;

/** A time: two rows may have one. */
const time = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/;

/** Texts that differ from run to run, by their form: ids, times, addresses, masked secrets. */
const forms = [
  time,
  /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i,
  /^https?:\/\//,
  /^«|^\S*\.\.\.\S*$/,
  /^(?=.*\d)[\w.:+/=-]{12,}$/,
];

/** Whether two values are the same but for what differs from run to run. @param renewed what known values have become */
export function isAlike(
  one: unknown,
  other: unknown,
  renewed: ReadonlyMap<string, string> = new Map(),
  name = "",
): boolean {
  if (one === other) return true;
  if (typeof one === "number" && typeof other === "number")
    return durations.test(name) || Math.abs(one - other) < noise;
  if (typeof one === "string" && typeof other === "string")
    return renewed.has(one) && !time.test(one)
      ? renewed.get(one) === other
      : forms.some((form) => form.test(one) && form.test(other));
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  const [ones, others] = [Object.entries(one), Object.entries(other)];
  return (
    Array.isArray(one) === Array.isArray(other) &&
    ones.length === others.length &&
    ones.every(
      ([key, value]) =>
        Object.hasOwn(other, key) && isAlike(value, (other as Record<string, unknown>)[key], renewed, key),
    )
  );
}
