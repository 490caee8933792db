import { isDeepStrictEqual } from "node:util";
import { operations } from "../../generated/contract.ts";
import { jsonOf, type Exchange } from "../judge/exchange.ts";
import { isAbsent, type Fact } from "../judge/fact.ts";
import type { Finding } from "../judge/finding.ts";
import { memberOf } from "../judge/seen.ts";

/** The exchange at fault, if it is known. */
export const culpritOf = ({ exchanges, culprit }: Finding): Exchange | undefined =>
  culprit === null ? undefined : exchanges[culprit];

/** An operation, or the request of another address. */
export const whatOf = ({ operation, request }: Exchange): string =>
  operation === null
    ? `${request.method} ${request.url.replace(/\?.*$/, "")}`
    : `${operations[operation].method} ${operations[operation].path}`;

/** An operation with the status of its answer. */
export const placeOf = (exchange: Exchange | undefined): string =>
  exchange === undefined
    ? ""
    : `${whatOf(exchange)} → ${exchange.response?.status ?? `no answer (${exchange.error ?? "none"})`}`;

/** Whether a rule made a finding: else a check did. */
export const isRule = ({ rule }: Finding): boolean => rule !== undefined;

/** The path of the field whose rule made a finding; null for other rules and for checks. */
export const fieldOf = ({ rule }: Finding): string | null => rule?.field ?? null;

/** The last name in the path of a rule's field, which a check about it mentions. */
export const nameOf = (finding: Finding): string | undefined =>
  lastName((fieldOf(finding) ?? "").split("-")[0]!) || undefined;

/** The last name in a path. */
export const lastName = (path: string): string | undefined =>
  path.split(".").findLast((step) => step !== "each" && !/^\d+$/.test(step));

/** The names of the contract that a finding is about. */
export const namesOf = ({ fact, needed }: Finding): readonly string[] => fact?.names ?? needed ?? [];

/** Whether names contain one, its plural, or what it counts. */
export const mentions = (names: readonly string[], name: string | undefined): boolean =>
  name !== undefined &&
  names.some(
    (word) => word === name || word === `${name}s` || (name.includes("_") && word.startsWith(`${name}_`)),
  );

/** The path of the value that a finding is about. */
export const pathOf = ({ fact }: Finding): string | undefined =>
  fact && fact.kind !== "header" ? (fact.place ?? undefined) : undefined;

/** The header that a finding is about. */
export const headerOf = ({ fact }: Finding): string | undefined =>
  fact?.kind === "header" ? fact.place! : undefined;

/** The statuses that a finding wants, where it is only about a status. */
export const statusesWanted = ({ fact }: Finding): readonly number[] =>
  fact && "statuses" in fact.expected ? fact.expected.statuses : [];

/** "422, not 200", for a finding only about a status. */
export function statusesOf(finding: Finding): string | null {
  const received = finding.fact?.received;
  const wanted = statusesWanted(finding);
  if (wanted.length === 0 || received === undefined || !("status" in received)) return null;
  return `${wanted.join(" or ")}, not ${received.status}`;
}

/** Whether an answer to a query that was not accepted has the body of a 422, but another status. */
export function isUnprocessable(exchange: Exchange | undefined): boolean {
  const { status = 0 } = exchange?.response ?? {};
  return (
    status >= 400 && status < 500 && status !== 422 && Array.isArray(memberOf(jsonOf(exchange!), "detail"))
  );
}

/** Whether a finding received nothing. */
export const receivedNothing = ({ fact }: Finding): boolean => fact != null && isAbsent(fact.received);

/** The value that a finding received; undefined where none, or where no value is known. */
export const valueOf = ({ fact }: Finding): unknown =>
  fact && "value" in fact.received ? fact.received.value : undefined;

/** Whether two findings received the same value, and one that is unlikely to come twice by chance. */
export function receivedTheSame(one: Finding, other: Finding): boolean {
  const value = valueOf(one);
  const isTelling = typeof value === "string" ? value.length > 2 : (JSON.stringify(value) ?? "").length > 4;
  return isTelling && typeof value !== "number" && isDeepStrictEqual(value, valueOf(other));
}

/** Whether a finding received nothing, or something empty. */
export const isEmpty = (finding: Finding): boolean => {
  const value = valueOf(finding);
  return (
    receivedNothing(finding) || value === null || value === 0 || (Array.isArray(value) && value.length === 0)
  );
};

/** Whether a value holds a member of this name. */
export function holdsMember(value: unknown, name: string): boolean {
  if (Array.isArray(value)) return value.some((inner) => holdsMember(inner, name));
  if (typeof value !== "object" || value === null) return false;
  return Object.hasOwn(value, name) || Object.values(value).some((inner) => holdsMember(inner, name));
}

/** Whether a finding wants there to be nothing. */
export const wantsNothing = ({ fact }: Finding): boolean =>
  fact != null &&
  (("size" in fact.expected && fact.expected.size === "empty") ||
    ("words" in fact.expected && fact.expected.words === "nothing"));

/** The object that lacks the field of a rule, with the place of the answer. */
export function lackingOf(finding: Finding): string | null {
  if (fieldOf(finding) === null || !receivedNothing(finding)) return null;
  const parent = (pathOf(finding) ?? "").split(".").slice(0, -1).join(".");
  return `${placeOf(culpritOf(finding))}: ${parent || "the answer"}`;
}

/** Whether a rule is that of an id: a row without one cannot be found again. */
export const isOfId = (rule: Finding): boolean => /^(?:\w+_)?id$/.test(nameOf(rule) ?? "");

/** Whether a finding is about an object or list as a whole. */
export const isOfWhole = ({ fact }: Finding): boolean =>
  fact != null &&
  "types" in fact.expected &&
  fact.expected.types.some((type) => type === "object" || type === "array");

/** Whether a finding is about the envelope of an answer. */
export const isOfEnvelope = ({ fact }: Finding): boolean => fact?.kind === "envelope";

/** A condition's subject: the compound name with which a rule written by hand begins. */
export const subjectOf = (fact: Fact | null | undefined): string | undefined =>
  fact?.names[0]?.includes("_") ? fact.names[0] : undefined;
