import { usualLagSeconds } from "../../books/finality.ts";
import { History } from "../../books/history/history.ts";
import { Located } from "../../judge/answer.ts";
import { jsonOf, type Exchange } from "../../judge/exchange.ts";
import type { Fact } from "../../judge/fact.ts";
import type { Finding } from "../../judge/finding.ts";
import type { RunContext } from "../perform.ts";
import type { Replayed } from "./replay.ts";
import type { Spares } from "./steps.ts";

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

/** The ways to see a failure again, the plainest first. */
export const signsOf = (failure: Failure, { broken, profile }: RunContext): Sign[] => {
  const { finding } = failure;
  if (finding.rule !== undefined)
    return [
      {
        isIn: ({ answer }) => broken.get(answer.exchange)?.includes(finding.id) ?? false,
        spares: "anything",
        begins: "all",
      },
    ];
  return signsOfCheck(failure, profile.audit_lag);
};

const signsOfCheck = (failure: Failure, auditLag: number | undefined): Sign[] => [
  { isIn: (replayed) => showsSame(failure, replayed), spares: "other rows", begins: "all" },
  { isIn: (replayed) => isWrongNumber(failure, replayed), spares: "reads", begins: "all" },
  { isIn: (replayed) => contradicts(failure, replayed, auditLag), spares: "anything", begins: "all" },
  {
    isIn: (replayed) => isExcess(failure.finding.fact) && showsRows(failure, replayed),
    spares: "reads",
    begins: "all",
  },
  { isIn: answersSame, spares: "nothing", begins: "evidence" },
  { isIn: answersSame, spares: "nothing", begins: "all" },
];

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

/** The differences of sums that are only rounded otherwise. */
const noise = 1e-9;

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

/** What the requests did to the books of their accounts contradicts itself, by a clause of the check. */
function contradicts({ finding }: Failure, { sent }: Replayed, auditLag = usualLagSeconds): boolean {
  const history = new History({ lagSeconds: auditLag, isComplete: true });
  for (const { answer } of sent) history.take(answer.exchange);
  return history
    .judge()
    .contradictions.some(({ clauses }) => clauses.some((clause) => finding.clauses.includes(clause)));
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
