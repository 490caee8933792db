import { isDeepStrictEqual } from "node:util";
import { compareContent } from "./compare-content.ts";
import { compareTexts } from "./compare-keywords.ts";
import { compareSchemas } from "./compare-schemas.ts";
import {
  entriesOf,
  isObject,
  member,
  step,
  type Document,
  type JsonObject,
  type OperationAt,
} from "./document.ts";
import type { Findings, Found, Spot } from "./findings.ts";
import { viewOf } from "./schema-view.ts";

type AnswerSpot = Spot & { side: "answer" };

/** A success is what a client waits for; everything else it treats by its class. */
const isSuccess = (status: string): boolean => /^2/.test(status);

/** Compares the answers of an operation: statuses, headers, bodies. */
export function compareAnswers(
  findings: Findings,
  spot: AnswerSpot,
  old: OperationAt,
  now: OperationAt,
): void {
  const [before, after] = [old, now].map(({ operation }) => new Map(entriesOf(operation["responses"])));
  const pointers = (status: string) => ({
    oldPointer: `${old.pointer}/responses/${step(status)}`,
    newPointer: `${now.pointer}/responses/${step(status)}`,
  });
  for (const [status, written] of before!) {
    const at = { ...spot, where: `answer ${status}` };
    const was = findings.old.resolved(written);
    const is = findings.new.resolved(after!.get(status));
    if (is === undefined) {
      const open = member(was, "x-open") === true;
      const removed = isSuccess(status) ? "answer_success_status_removed" : "answer_refusal_status_removed";
      findings.add(open ? "open_changed" : removed, at, { old: status, ...pointers(status) });
    } else if (isObject(was) && isObject(is)) compareAnswer(findings, at, was, is);
  }
  for (const [status, written] of after!) {
    if (before!.has(status)) continue;
    const open = member(findings.new.resolved(written), "x-open") === true;
    const added = isSuccess(status) ? "answer_success_status_added" : "answer_refusal_status_added";
    const at = { ...spot, where: `answer ${status}` };
    findings.add(open ? "open_changed" : added, at, { new: status, ...pointers(status) });
  }
}

function compareAnswer(findings: Findings, spot: AnswerSpot, old: JsonObject, now: JsonObject): void {
  const at = {
    oldPointer: findings.old.pointerOf(old) ?? "",
    newPointer: findings.new.pointerOf(now) ?? "",
  };
  const [wasOpen, isOpen] = [old["x-open"] === true, now["x-open"] === true];
  if (wasOpen || isOpen) {
    if (isDeepStrictEqual(old, now)) return;
    const kind = !wasOpen ? "obligation_dropped" : isOpen ? "open_changed" : "obligation_added";
    findings.add(kind, spot, { old, new: now, ...at });
    return;
  }
  compareTexts(findings, spot, old, now, at);
  compareHeaders(findings, spot, old, now, at);
  const [before, after] = [entriesOf(old["content"]), entriesOf(now["content"])];
  if (before.length === 0 && after.length > 0)
    findings.add("answer_body_added", spot, { new: after[0]![0], ...at });
  else if (before.length > 0 && after.length === 0) {
    findings.add("answer_body_removed", spot, { old: before[0]![0], ...at });
  } else compareContent(findings, spot, old["content"], now["content"], at);
  for (const name of new Set([...Object.keys(old), ...Object.keys(now)])) {
    if (["description", "summary", "headers", "content"].includes(name)) continue;
    if (isDeepStrictEqual(old[name], now[name])) continue;
    const found = { old: old[name], new: now[name], ...at };
    findings.add("unclassified_changed", { ...spot, where: `${spot.where} (${name})` }, found);
  }
}

interface HeaderAt {
  name: string;
  header: JsonObject;
  pointer: string;
}

function headersOf(document: Document, answer: JsonObject): Map<string, HeaderAt> {
  return new Map(
    entriesOf(answer["headers"]).flatMap(([name, written]) => {
      const header = document.resolved(written);
      if (!isObject(header)) return [];
      return [[name.toLowerCase(), { name, header, pointer: document.pointerOf(header) ?? "" }] as const];
    }),
  );
}

function compareHeaders(
  findings: Findings,
  spot: AnswerSpot,
  old: JsonObject,
  now: JsonObject,
  { oldPointer = "", newPointer = "" }: Found,
): void {
  const before = headersOf(findings.old, old);
  const after = headersOf(findings.new, now);
  for (const [key, was] of before) {
    const at = { ...spot, where: `${spot.where} header ${was.name}` };
    const is = after.get(key);
    if (is !== undefined) {
      compareHeader(findings, at, was, is);
      continue;
    }
    const promised = was.header["required"] === true;
    const kind = promised ? "answer_header_removed" : "answer_optional_header_removed";
    findings.add(was.header["x-open"] === true ? "open_changed" : kind, at, {
      old: was.name,
      oldPointer: `${oldPointer}/headers/${step(was.name)}`,
      newPointer: `${newPointer}/headers`,
    });
  }
  for (const [key, is] of after) {
    if (before.has(key)) continue;
    findings.add(
      "answer_header_added",
      { ...spot, where: `${spot.where} header ${is.name}` },
      {
        new: is.name,
        oldPointer: `${oldPointer}/headers`,
        newPointer: `${newPointer}/headers/${step(is.name)}`,
      },
    );
  }
}

const versionHeader = "x-service-api-version";

function compareHeader(findings: Findings, spot: AnswerSpot, old: HeaderAt, now: HeaderAt): void {
  const at = { oldPointer: old.pointer, newPointer: now.pointer };
  const [wasOpen, isOpen] = [old.header["x-open"] === true, now.header["x-open"] === true];
  if (wasOpen || isOpen) {
    if (isDeepStrictEqual(old.header, now.header)) return;
    const kind = !wasOpen ? "obligation_dropped" : isOpen ? "open_changed" : "obligation_added";
    findings.add(kind, spot, { old: old.header, new: now.header, ...at });
    return;
  }
  compareTexts(findings, spot, old.header, now.header, at);
  const [promised, promises] = [old.header["required"] === true, now.header["required"] === true];
  if (promised !== promises) {
    const kind = promises ? "answer_header_now_required" : "answer_header_now_optional";
    findings.add(kind, spot, { old: promised, new: promises, ...at });
  }
  // The value of the version header is the version, and is told as that.
  const constOf = (document: Document, { header }: HeaderAt) =>
    viewOf(document, header["schema"]).keywords["const"];
  const isVersion = now.name.toLowerCase() === versionHeader;
  if (isVersion && constOf(findings.old, old) !== undefined && constOf(findings.new, now) !== undefined)
    return;
  compareSchemas(findings, spot, old.header["schema"], now.header["schema"]);
}
