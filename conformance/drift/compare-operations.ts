import { isDeepStrictEqual } from "node:util";
import { compareAnswers } from "./compare-answers.ts";
import { compareContent } from "./compare-content.ts";
import { compareTexts } from "./compare-keywords.ts";
import { compareSchemas } from "./compare-schemas.ts";
import {
  isObject,
  member,
  operationsOf,
  step,
  type Document,
  type JsonObject,
  type OperationAt,
} from "./document.ts";
import type { Findings, Spot } from "./findings.ts";

/** Compares every operation: by method and path, whatever its path parameters are called. */
export function compareOperations(findings: Findings): void {
  const key = ({ method, path }: OperationAt): string => `${method} ${path.replace(/\{[^}]*\}/g, "{}")}`;
  const before = new Map(operationsOf(findings.old).map((one) => [key(one), one]));
  const after = new Map(operationsOf(findings.new).map((one) => [key(one), one]));
  for (const [at, old] of before) {
    const now = after.get(at);
    const spot = { side: "contract", operation: old.name, where: titleOf(old) } as const;
    if (now === undefined) {
      findings.add("operation_removed", spot, {
        old: titleOf(old),
        oldPointer: old.pointer,
        newPointer: `/paths/${step(old.path)}`,
      });
    } else compareOperation(findings, spot, old, now);
  }
  for (const [at, now] of after) {
    if (before.has(at)) continue;
    const spot = { side: "contract", operation: now.name, where: titleOf(now) } as const;
    findings.add("operation_added", spot, { new: titleOf(now), newPointer: now.pointer });
  }
}

const titleOf = ({ method, path }: OperationAt): string => `${method.toUpperCase()} ${path}`;

const compared = ["operationId", "parameters", "requestBody", "responses", "security", "tags", "deprecated"];
const texts = ["title", "description", "summary", "externalDocs"];

function compareOperation(findings: Findings, spot: Spot, old: OperationAt, now: OperationAt): void {
  const at = { oldPointer: old.pointer, newPointer: now.pointer };
  if (old.name !== now.name) {
    findings.add("operation_renamed", spot, {
      old: old.name,
      new: now.name,
      oldPointer: `${old.pointer}/operationId`,
      newPointer: `${now.pointer}/operationId`,
    });
  }
  if (now.operation["deprecated"] === true && old.operation["deprecated"] !== true) {
    findings.add("operation_deprecated", spot, { new: true, ...at, newPointer: `${now.pointer}/deprecated` });
  }
  const { deprecated: _was, ...oldTexts } = old.operation;
  const { deprecated: _is, ...newTexts } = now.operation;
  compareTexts(findings, spot, oldTexts, newTexts, at);
  if (!isDeepStrictEqual(old.operation["tags"], now.operation["tags"])) {
    const found = { old: old.operation["tags"], new: now.operation["tags"], ...at };
    findings.add("text_changed", { ...spot, where: `${spot.where} (tags)` }, found);
  }
  compareCredentials(findings, spot, old, now);
  compareParameters(findings, { ...spot, side: "request" }, old, now);
  compareBodies(findings, { ...spot, side: "request", where: "request body" }, old, now);
  compareAnswers(findings, { ...spot, side: "answer" }, old, now);
  for (const name of new Set([...Object.keys(old.operation), ...Object.keys(now.operation)])) {
    const [before, after] = [old.operation[name], now.operation[name]];
    if (compared.includes(name) || texts.includes(name) || isDeepStrictEqual(before, after)) continue;
    const found = {
      old: before,
      new: after,
      oldPointer: `${old.pointer}/${step(name)}`,
      newPointer: `${now.pointer}/${step(name)}`,
    };
    findings.add("unclassified_changed", { ...spot, where: `${spot.where} (${name})` }, found);
  }
}

/** The ways in which an operation lets a request in, each as the schemes and scopes that it needs together. */
function credentialsOf(document: Document, { operation }: OperationAt): string[] {
  const security = operation["security"] ?? document.root["security"];
  const ways = Array.isArray(security) ? security : [];
  return ways.length === 0
    ? ["none"]
    : ways.map((way) => JSON.stringify(way) ?? "none").map((way) => (way === "{}" ? "none" : way));
}

function compareCredentials(findings: Findings, spot: Spot, old: OperationAt, now: OperationAt): void {
  const before = credentialsOf(findings.old, old);
  const after = credentialsOf(findings.new, now);
  const found = {
    old: before.join(" or "),
    new: after.join(" or "),
    oldPointer: `${old.pointer}/security`,
    newPointer: `${now.pointer}/security`,
  };
  const lets = (ways: string[], way: string): boolean => ways.includes(way) || ways.includes("none");
  if (before.some((way) => !lets(after, way))) findings.add("credential_required", spot, found);
  else if (after.some((way) => !before.includes(way))) findings.add("credential_relaxed", spot, found);
}

interface ParameterAt {
  name: string;
  in: string;
  parameter: JsonObject;
  pointer: string;
}

/** The parameters by where they stand and what they are called; a path parameter by its number in the path. */
function parametersOf(
  document: Document,
  { operation, shared, path }: OperationAt,
): Map<string, ParameterAt> {
  const found = new Map<string, ParameterAt>();
  const inPath = [...path.matchAll(/\{([^}]*)\}/g)].map(([, name]) => name);
  for (const list of [shared["parameters"], operation["parameters"]]) {
    for (const written of Array.isArray(list) ? list : []) {
      const parameter = document.resolved(written);
      if (!isObject(parameter)) continue;
      const [name, place] = [String(parameter["name"]), String(parameter["in"])];
      const key =
        place === "path"
          ? `path ${inPath.indexOf(name)}`
          : `${place} ${place === "header" ? name.toLowerCase() : name}`;
      found.set(key, { name, in: place, parameter, pointer: document.pointerOf(parameter) ?? "" });
    }
  }
  return found;
}

const formKeywords = ["style", "explode", "allowReserved", "allowEmptyValue", "content"];

function compareParameters(findings: Findings, spot: Spot, old: OperationAt, now: OperationAt): void {
  const before = parametersOf(findings.old, old);
  const after = parametersOf(findings.new, now);
  for (const [key, was] of before) {
    const is = after.get(key);
    const at = { ...spot, where: `${was.in} parameter ${was.name}` };
    const open = was.parameter["x-open"] === true;
    if (is === undefined) {
      const found = { old: was.parameter, oldPointer: was.pointer, newPointer: `${now.pointer}/parameters` };
      findings.add(open ? "open_changed" : "request_parameter_removed", at, found);
      continue;
    }
    compareParameter(findings, at, was, is);
  }
  for (const [key, is] of after) {
    if (before.has(key)) continue;
    const kind =
      is.parameter["required"] === true ? "request_required_parameter_added" : "request_parameter_added";
    const found = { new: is.parameter, oldPointer: `${old.pointer}/parameters`, newPointer: is.pointer };
    findings.add(kind, { ...spot, where: `${is.in} parameter ${is.name}` }, found);
  }
}

function compareParameter(findings: Findings, spot: Spot, old: ParameterAt, now: ParameterAt): void {
  const at = { oldPointer: old.pointer, newPointer: now.pointer };
  const [wasOpen, isOpen] = [old.parameter["x-open"] === true, now.parameter["x-open"] === true];
  if (wasOpen || isOpen) {
    if (isDeepStrictEqual(old.parameter, now.parameter)) return;
    const kind = !wasOpen ? "obligation_dropped" : isOpen ? "open_changed" : "request_obligation_added";
    findings.add(kind, spot, { old: old.parameter, new: now.parameter, ...at });
    return;
  }
  if (old.name !== now.name && old.in === "path") {
    findings.add("text_changed", spot, { old: old.name, new: now.name, ...at });
  }
  compareTexts(findings, spot, old.parameter, now.parameter, at);
  const [needed, needs] = [old.parameter["required"] === true, now.parameter["required"] === true];
  if (needed !== needs) {
    const kind = needs ? "request_parameter_now_required" : "request_parameter_now_optional";
    findings.add(kind, spot, { old: needed, new: needs, ...at, newPointer: `${now.pointer}/required` });
  }
  for (const name of formKeywords) {
    if (isDeepStrictEqual(old.parameter[name], now.parameter[name])) continue;
    const found = { old: old.parameter[name], new: now.parameter[name], ...at };
    findings.add("request_parameter_form_changed", { ...spot, where: `${spot.where} (${name})` }, found);
  }
  compareSchemas(findings, { ...spot, side: "request" }, old.parameter["schema"], now.parameter["schema"]);
}

function compareBodies(
  findings: Findings,
  spot: Spot & { side: "request" },
  old: OperationAt,
  now: OperationAt,
): void {
  const was = findings.old.resolved(old.operation["requestBody"]);
  const is = findings.new.resolved(now.operation["requestBody"]);
  if (!isObject(was) && !isObject(is)) return;
  const at = {
    oldPointer: findings.old.pointerOf(was) ?? old.pointer,
    newPointer: findings.new.pointerOf(is) ?? now.pointer,
  };
  const needs = member(is, "required") === true;
  const needed = member(was, "required") === true;
  if (!isObject(was)) {
    findings.add(needs ? "request_required_body_added" : "request_body_added", spot, { new: is, ...at });
    return;
  }
  if (!isObject(is)) {
    findings.add("request_body_removed", spot, { old: was, ...at });
    return;
  }
  if (needed !== needs) {
    const kind = needs ? "request_body_now_required" : "request_body_now_optional";
    findings.add(kind, spot, { old: needed, new: needs, ...at, newPointer: `${at.newPointer}/required` });
  }
  compareTexts(findings, spot, was, is, at);
  compareContent(findings, spot, was["content"], is["content"], at);
}
