import { answersOf, isSuccess, statusFor, type Operation } from "./api.ts";
import { compareContent } from "./compare-content.ts";
import { compareOpen } from "./compare-open.ts";
import type { Document } from "./document.ts";
import type { Findings, Found, Spot } from "./findings.ts";
import { entriesOf, isObject, member, step, type JsonObject } from "./json.ts";
import { versionHeaderOf } from "./versions.ts";

type AnswerSpot = Spot & { side: "answer" };

/** Compares the answers of an operation: statuses and ranges, headers, bodies. */
export function compareAnswers(findings: Findings, spot: AnswerSpot, old: Operation, now: Operation): void {
  const [before, after] = [answersOf(old), answersOf(now)];
  const pointers = (status: string) => ({
    oldPointer: `${old.pointer}/responses/${step(status)}`,
    newPointer: `${now.pointer}/responses/${step(status)}`,
  });
  const isOpen = (document: Document, answer: unknown): boolean =>
    member(document.resolved(answer as JsonObject), "x-open") === true;
  const compared = new Set<string>();
  const compare = (status: string, one: string, other: string): void => {
    if (compared.has(`${one} ${other}`)) return;
    compared.add(`${one} ${other}`);
    const was = findings.old.resolved(before.get(one));
    const is = findings.new.resolved(after.get(other));
    if (isObject(was) && isObject(is))
      compareAnswer(findings, { ...spot, where: `answer ${status}` }, was, is);
  };
  for (const [status, answer] of before) {
    const other = statusFor(after, status);
    // A range remains as long as any of its statuses is still answered.
    const isKept =
      other !== undefined ||
      [...after.keys()].some((one) => statusFor(new Map([[status, 0]]), one) === status);
    if (other !== undefined) compare(status, status, other);
    else if (!isKept) {
      const removed = isSuccess(status) ? "answer_success_status_removed" : "answer_refusal_status_removed";
      const kind = isOpen(findings.old, answer) ? "open_changed" : removed;
      findings.add(kind, { ...spot, where: `answer ${status}` }, { old: status, ...pointers(status) });
    }
  }
  for (const [status, answer] of after) {
    const other = statusFor(before, status);
    if (other !== undefined) {
      compare(status, other, status);
      continue;
    }
    const added = isSuccess(status) ? "answer_success_status_added" : "answer_refusal_status_added";
    const kind = isOpen(findings.new, answer) ? "open_changed" : added;
    findings.add(kind, { ...spot, where: `answer ${status}` }, { new: status, ...pointers(status) });
  }
}

function compareAnswer(findings: Findings, spot: AnswerSpot, old: JsonObject, now: JsonObject): void {
  const at = {
    oldPointer: findings.old.pointerOf(old) ?? "",
    newPointer: findings.new.pointerOf(now) ?? "",
  };
  if (compareOpen(findings, spot, old, now, at)) return;
  compareHeaders(findings, spot, old, now, at);
  const [before, after] = [entriesOf(old["content"]), entriesOf(now["content"])];
  if (before.length === 0 && after.length > 0) {
    findings.add("answer_body_added", spot, { new: after[0]![0], ...at });
  } else if (before.length > 0 && after.length === 0) {
    findings.add("answer_body_removed", spot, { old: before[0]![0], ...at });
  } else compareContent(findings, spot, old["content"], now["content"], at);
  findings.addOthers(spot, old, now, ["headers", "content", "links", "x-open"]);
}

interface Header {
  name: string;
  raw: JsonObject;
  pointer: string;
}

function headersOf(document: Document, answer: JsonObject): Map<string, Header> {
  return new Map(
    entriesOf(answer["headers"]).flatMap(([name, written]) => {
      const raw = document.resolved(written);
      if (!isObject(raw) || name.toLowerCase() === "content-type") return [];
      return [[name.toLowerCase(), { name, raw, pointer: document.pointerOf(raw) ?? "" }] as const];
    }),
  );
}

function compareHeaders(
  findings: Findings,
  spot: AnswerSpot,
  old: JsonObject,
  now: JsonObject,
  at: Found,
): void {
  const { oldPointer = "", newPointer = "" } = at;
  const [before, after] = [headersOf(findings.old, old), headersOf(findings.new, now)];
  for (const [key, was] of before) {
    const here = { ...spot, where: `${spot.where} header ${was.name}` };
    const is = after.get(key);
    if (is !== undefined) {
      compareHeader(findings, here, was, is);
      continue;
    }
    const removed = was.raw["required"] === true ? "answer_header_removed" : "answer_optional_header_removed";
    findings.add(was.raw["x-open"] === true ? "open_changed" : removed, here, {
      old: was.name,
      oldPointer: `${oldPointer}/headers/${step(was.name)}`,
      newPointer: `${newPointer}/headers`,
    });
  }
  for (const [key, is] of after) {
    if (before.has(key)) continue;
    const pointers = {
      oldPointer: `${oldPointer}/headers`,
      newPointer: `${newPointer}/headers/${step(is.name)}`,
    };
    findings.add(
      "answer_header_added",
      { ...spot, where: `${spot.where} header ${is.name}` },
      { new: is.name, ...pointers },
    );
  }
}

function compareHeader(findings: Findings, spot: AnswerSpot, old: Header, now: Header): void {
  const at = { oldPointer: old.pointer, newPointer: now.pointer };
  if (compareOpen(findings, spot, old.raw, now.raw, at)) return;
  const [promised, promises] = [old.raw["required"] === true, now.raw["required"] === true];
  if (promised !== promises) {
    const kind = promises ? "answer_header_now_required" : "answer_header_now_optional";
    findings.add(kind, spot, { old: promised, new: promises, ...at });
  }
  // The value of the version header is the version, and is reported as that.
  const isVersion = [findings.old, findings.new].every(
    (document) => versionHeaderOf(document, findings.settings)?.name === now.name.toLowerCase(),
  );
  if (isVersion) return;
  if (old.raw["content"] !== undefined && now.raw["content"] !== undefined) {
    compareContent(findings, spot, old.raw["content"], now.raw["content"], {
      oldPointer: old.pointer,
      newPointer: now.pointer,
    });
  } else findings.compareSchemas(spot, old.raw["schema"], now.raw["schema"], { text: true });
  findings.addOthers(spot, old.raw, now.raw, ["required", "schema", "content", "style", "explode", "x-open"]);
}
