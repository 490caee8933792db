import { answersOf, isSuccess, statusFor, type Operation } from "./api.ts";
import { compareCarriedValue, compareOpen, comparePromise, type Carried } from "./compare-carried.ts";
import { compareContent } from "./compare-content.ts";
import type { Document } from "./document.ts";
import type { Spot } from "./finding.ts";
import type { Findings } from "./findings.ts";
import { entriesOf, isObject, member, step, type Json, type JsonObject } from "./json.ts";
import { paired } from "./paired.ts";
import { versionHeaderOf } from "./versions.ts";

type AnswerSpot = Spot & { side: "answer" };

/** Compares the answers of an operation: statuses and ranges, headers, bodies. */
export function compareAnswers(findings: Findings, spot: AnswerSpot, old: Operation, now: Operation): void {
  const [before, after] = [answersOf(old), answersOf(now)];
  const compared = new Set<string>();
  const compare = (status: string, one: string, other: string): void => {
    if (compared.has(`${one} ${other}`)) return;
    compared.add(`${one} ${other}`);
    const [was, is] = [findings.old.resolved(before.get(one)), findings.new.resolved(after.get(other))];
    if (isObject(was) && isObject(is))
      compareAnswer(findings, { ...spot, where: `answer ${status}` }, was, is);
  };
  const tell = (status: string, how: "added" | "removed", document: Document, answer: Json): void => {
    const isOpen = member(document.resolved(answer), "x-open") === true;
    const kind = `answer_${isSuccess(status) ? "success" : "refusal"}_status_${how}` as const;
    findings.add(
      isOpen ? "open_changed" : kind,
      { ...spot, where: `answer ${status}` },
      {
        [how === "added" ? "new" : "old"]: status,
        oldPointer: `${old.pointer}/responses/${step(status)}`,
        newPointer: `${now.pointer}/responses/${step(status)}`,
      },
    );
  };
  for (const [status, answer] of before) {
    const other = statusFor(after, status);
    // A range remains as long as any of its statuses is still answered.
    const isKept = [...after.keys()].some((one) => statusFor(new Map([[status, 0]]), one) === status);
    if (other !== undefined) compare(status, status, other);
    else if (!isKept) tell(status, "removed", findings.old, answer);
  }
  for (const [status, answer] of after) {
    const other = statusFor(before, status);
    if (other === undefined) tell(status, "added", findings.new, answer);
    else compare(status, other, status);
  }
}

function compareAnswer(findings: Findings, spot: AnswerSpot, old: JsonObject, now: JsonObject): void {
  const at = {
    oldPointer: findings.old.pointerOf(old) ?? "",
    newPointer: findings.new.pointerOf(now) ?? "",
  };
  if (compareOpen(findings, spot, old, now, at)) return;
  compareHeaders(findings, spot, old, now, at);
  const [[had], [has]] = [Object.keys(old["content"] ?? {}), Object.keys(now["content"] ?? {})];
  if (had === undefined && has !== undefined) findings.add("answer_body_added", spot, { new: has, ...at });
  else if (had !== undefined && has === undefined)
    findings.add("answer_body_removed", spot, { old: had, ...at });
  else compareContent(findings, spot, old["content"], now["content"], at);
  findings.addOthers(spot, old, now, ["headers", "content", "links", "x-open"]);
}

function headersOf(document: Document, answer: JsonObject): Map<string, Carried> {
  return new Map(
    entriesOf(answer["headers"]).flatMap(([name, written]) => {
      const raw = document.resolved(written);
      if (!isObject(raw) || name.toLowerCase() === "content-type") return [];
      const required = raw["required"] === true;
      return [[name.toLowerCase(), { name, raw, required, pointer: document.pointerOf(raw) ?? "" }] as const];
    }),
  );
}

function compareHeaders(
  findings: Findings,
  of: AnswerSpot,
  old: JsonObject,
  now: JsonObject,
  { oldPointer, newPointer }: { oldPointer: string; newPointer: string },
): void {
  const [before, after] = [`${oldPointer}/headers`, `${newPointer}/headers`];
  for (const [was, is] of paired(headersOf(findings.old, old), headersOf(findings.new, now))) {
    const { name } = was ?? is;
    const spot = { ...of, where: `${of.where} header ${name}` };
    if (was === undefined) {
      const at = { oldPointer: before, newPointer: `${after}/${step(name)}` };
      findings.add("answer_header_added", spot, { new: name, ...at });
    } else if (is === undefined) {
      const removed = was.required ? "answer_header_removed" : "answer_optional_header_removed";
      const at = { oldPointer: `${before}/${step(name)}`, newPointer: after };
      findings.add(was.raw["x-open"] === true ? "open_changed" : removed, spot, { old: name, ...at });
    } else compareHeader(findings, spot, was, is);
  }
}

function compareHeader(findings: Findings, spot: AnswerSpot, old: Carried, now: Carried): void {
  if (!comparePromise(findings, spot, old, now)) return;
  // The value of the version header is the version, and is reported as that.
  const isVersion = [findings.old, findings.new].every(
    (document) => versionHeaderOf(document, findings.settings)?.name === now.name.toLowerCase(),
  );
  if (isVersion) return;
  compareCarriedValue(findings, spot, old, now);
  findings.addOthers(spot, old.raw, now.raw, ["required", "schema", "content", "style", "explode", "x-open"]);
}
