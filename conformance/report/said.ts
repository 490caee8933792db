import { operations } from "../../generated/contract.ts";
import { jsonOf, type Exchange } from "../judge/exchange.ts";
import type { Finding } from "../judge/finding.ts";
import { memberOf } from "../judge/seen.ts";

/** The exchange at fault, if it is known. */
export const culpritOf = ({ exchanges, culprit }: Finding): Exchange | undefined =>
  culprit === null ? undefined : exchanges[culprit];

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

/** Whether a rule made a finding: else a check did. */
export const isRule = ({ rule }: Finding): boolean => rule !== undefined;

/** The path of the field whose rule made a finding; null for other rules and for checks. */
export const fieldOf = ({ rule }: Finding): string | null => rule?.field ?? null;

/** The last name in the path of a rule's field, which a check about it mentions. */
export const nameOf = (finding: Finding): string | undefined =>
  lastName((fieldOf(finding) ?? "").replace(/-\w+$/, "")) || undefined;

/** The last name in a path. */
export const lastName = (path: string): string | undefined =>
  path.split(/[.-]/).findLast((step) => step !== "each" && !/^\d+$/.test(step));

/** Whether a text names a field, its plural, or the things that it counts. */
export const mentions = (text: string | null, name: string | undefined): boolean =>
  text !== null &&
  !!name &&
  new RegExp(`\\b${name}(?:s|${name.includes("_") ? "_\\w+" : ""})?\\b`).test(text);

/** The path with which an expectation of a value begins. */
export const pathOf = (expected: string | null): string | undefined =>
  /^[a-z_]\w*(?:\.\w+)*(?=:)/.exec(expected ?? "")?.[0];

/** The header that a finding expects. */
export const headerOf = ({ expected }: Finding): string | undefined =>
  /^(?:headers? )?(\w+-[\w-]+)/.exec(expected ?? "")?.[1];

/** "expected 422, received 200", for a finding only about a status. */
export function statusesOf({ expected, received }: Finding): string | null {
  const wanted = /^(?:status|the status of .*:) (\d{3}(?: or \d{3})*)$/.exec(expected ?? "")?.[1];
  const status = /^(?:status )?(\d{3})\b/.exec(received ?? "")?.[1];
  return wanted === undefined || status === undefined ? null : `${wanted}, not ${status}`;
}

/** Whether an answer to a query that was not accepted has the body of a 422, but another status. */
export function isUnprocessable(exchange: Exchange | undefined): boolean {
  const { status = 0 } = exchange?.response ?? {};
  return (
    status >= 400 && status < 500 && status !== 422 && Array.isArray(memberOf(jsonOf(exchange!), "detail"))
  );
}

/** The object that lacks the field of a rule, with the place of the answer. */
export const lackingOf = (finding: Finding): string | null =>
  finding.received === "nothing" && fieldOf(finding)
    ? `${placeOf(culpritOf(finding))}: ${/^(?:(.*)\.)?[^.]+?:/.exec(finding.expected ?? "")?.[1] ?? "the answer"}`
    : null;

/** Whether a rule is that of an id: a row without one cannot be found again. */
export const isOfId = (rule: Finding): boolean => /^(?:\w+_)?id$/.test(nameOf(rule) ?? "");

/** Whether a rule finds no object or list. */
export const isOfWhole = ({ expected }: Finding): boolean => /: (?:object|array)\b/.test(expected ?? "");

/** A reason without the parts that differ from one check to the next: numbers, quoted texts. */
export const normal = (text: string | null): string =>
  (text ?? "").replace(/"(?:[^"\\]|\\.)*"/g, '""').replace(/\d+(\.\d+)?/g, "0");

/** Whether a value is unlikely to be received twice by chance. */
export const isTelling = (received: string | null): boolean =>
  /^(?:"[^"]{3,}"|[{[].{3,})/.test(received ?? "");
