import { readdirSync, statSync } from "node:fs";
import path from "node:path";
import { decoded } from "../../base/address.ts";
import { isObject, valueAt } from "../../base/data.ts";
import { literally } from "../../base/escaped.ts";
import { WrongUse } from "../../base/exit.ts";
import { addressesOf, mediaTypeOf, operationsOf, prefixOf, statusFor, type Operation } from "../drift/api.ts";
import type { LocatedChange } from "../drift/change.ts";
import type { Document } from "../drift/document.ts";
import { holds } from "../drift/holds.ts";
import type { Schema } from "../drift/schema.ts";
import { jsonOf, sentJson } from "../judge/exchange.ts";
import type { Unmasked } from "./masking.ts";
import { recordedIn } from "./har.ts";

/**
 * Notes the recorded exchanges that each breaking or risky change would have broken: accepted requests that the new
 * contract refuses or interprets differently, and answers that contain what changed. When it cannot be decided whether
 * a value is still valid, the exchange counts as affected.
 * @param source a HAR file or a folder of them
 * @throws WrongUse when the recording has no request to the old document's operations
 */
export async function noteTraffic(
  changes: readonly LocatedChange[],
  source: string,
  old: Document,
): Promise<void> {
  const ofTraffic = ({ class: worst, side, operations, sights }: LocatedChange): boolean =>
    worst !== "safe" && (side !== "contract" || operations.length > 0 || sights.length > 0);
  const noted = changes.filter(ofTraffic);
  for (const change of noted) change.traffic = [];
  // A path as it is written is matched before one with parameters.
  const routes = operationsOf(old)
    .map(routeOf)
    .toSorted((one, other) => one.names.length - other.names.length);
  let known = 0;
  for (const file of recordingsIn(source)) {
    let number = 0;
    for await (const { exchange } of recordedIn(file)) {
      number += 1;
      const { request, response } = exchange;
      const { pathname } = new URL(request.url);
      const route = routes.find(
        ({ operation, pattern }) =>
          operation.method === request.method.toLowerCase() && pattern.test(pathname),
      );
      if (route === undefined) continue;
      known += 1;
      const values = route.pattern.exec(pathname)!.slice(1).map(decoded);
      const inPath = new Map(route.names.map((name, index) => [name, values[index]!]));
      const seen = { ...exchange, inPath, sent: sentJson(exchange), received: jsonOf(exchange) };
      const title = `${path.basename(file)} entry ${number}: ${request.method} ${pathname}`;
      for (const change of noted)
        if (isAffected(change, route.operation.title, seen))
          change.traffic!.push(`${title}, ${response?.status ?? "no answer"}`);
    }
  }
  if (known === 0) throw new WrongUse(`--traffic ${source} holds no request to an operation of ${old.name}`);
}

/** A recording, or those of a folder in the order of their names. */
function recordingsIn(source: string): string[] {
  if (statSync(source, { throwIfNoEntry: false })?.isDirectory() !== true) return [source];
  const names = readdirSync(source).filter((name) => /\.har(\.gz)?$/i.test(name));
  return names.toSorted().map((name) => path.join(source, name));
}

/** The addresses of an operation: the paths of its servers, on any host; its path parameters are groups. */
function routeOf(operation: Operation) {
  const prefixes = addressesOf(operation).map((address) => literally(prefixOf(address)));
  const parts = operation.path.split(/\{([^}]*)\}/);
  const path = parts.map((part, index) => (index % 2 === 0 ? literally(part) : "([^/]+)")).join("");
  const names = parts.filter((_, index) => index % 2 === 1);
  return { operation, names, pattern: new RegExp(`^(?:${prefixes.join("|")})${path}$`) };
}

/** An exchange with the values of its path parameters, and its bodies where they are JSON. */
type Seen = Unmasked & { inPath: ReadonlyMap<string, string>; sent: unknown; received: unknown };

function isAffected(change: LocatedChange, operation: string, seen: Seen): boolean {
  const { sights, side, where, operations } = change;
  if (sights.length === 0)
    return operations.includes(operation) && (side === "contract" || isTouched(change, where, [], seen));
  return sights.some(({ spot, steps }) => {
    const single = steps.flatMap((step) => step.split(/(?=[.])|(?= \()/));
    return spot.operation === operation && isTouched(change, spot.where, single, seen);
  });
}

const whenAbsent = /_required_(field|parameter|body)|_now_required$|_default_(set|unset|changed)$/;

/** Whether an exchange contains what a change concerns, and would no longer be valid. */
function isTouched(change: LocatedChange, where: string, steps: string[], seen: Seen): boolean {
  const { request, response } = seen;
  const { kind, schema } = change;
  const status = /^answer (\w+)/.exec(where)?.[1];
  if (status !== undefined) {
    if (response === null || !statusFor(new Map([[status, true]]), String(response.status))) return false;
    const header = / header (\S+?):?$/.exec(where)?.[1];
    if (header !== undefined) return response.headers[header.toLowerCase()] !== undefined;
    if (kind === "answer_media_type_removed") return hasType(response.headers["content-type"], change.old);
    return steps.length === 0 || valuesAt(seen.received, steps).length > 0;
  }
  if (response === null || response.status >= 400) return false;
  if (kind === "request_media_type_removed") return hasType(request.headers["content-type"], change.old);
  const parameter = /^(\w+) parameter ([^\s:]+)/.exec(where);
  const body = seen.sent ?? request.body ?? undefined;
  const root = parameter === null ? body : parameterOf(parameter, seen);
  if (whenAbsent.test(kind)) {
    const inside = steps.findLastIndex((step) => step.startsWith("."));
    if (inside < 0) return root === undefined;
    const name = steps[inside]!.slice(1);
    return valuesAt(root, steps.slice(0, inside)).some(
      (value) => isObject(value) && !Object.hasOwn(value, name),
    );
  }
  const isDecidable = /_(type|enum|bound)_/.test(kind) || change.where.endsWith(" (pattern)");
  return valuesAt(root, steps).some(
    (value) => schema === null || !isDecidable || isLost(schema, value, parameter !== null),
  );
}

/** Whether a value is no longer admitted; a number is text when it is transmitted as text. */
function isLost(schema: Schema, value: unknown, isText: boolean): boolean {
  const isNumber = isText && typeof value === "string" && value.trim() !== "" && !Number.isNaN(Number(value));
  const read = isNumber ? [value, Number(value)] : [value];
  return read.every((one) => holds(schema, one, "request") === false);
}

const hasType = (header: string | undefined, type: string | null): boolean =>
  header !== undefined && type !== null && mediaTypeOf(header) === mediaTypeOf(type);

function parameterOf([, place, name = ""]: RegExpExecArray, { request, inPath }: Seen): unknown {
  const { headers, url } = request;
  const query = new URL(url).searchParams;
  if (place === "query") return query.get(name) ?? query.get(`${name}[]`) ?? undefined;
  if (place === "path") return inPath.get(name);
  if (place === "header") return headers[name.toLowerCase()];
  const cookies = (headers["cookie"] ?? "").split("; ");
  return cookies.find((cookie) => cookie.startsWith(`${name}=`))?.slice(name.length + 1);
}

/** The values at the end of steps such as `.data`, `.*`; a step in brackets stays at the value, or goes to all inside. */
function valuesAt(value: unknown, [step, ...rest]: readonly string[]): unknown[] {
  if (value === undefined || step === undefined) return value === undefined ? [] : [value];
  if (/^ \((additionalP|patternP)roperties|^ \(contains|^\.\*$/.test(step)) {
    const inner = typeof value === "object" && value !== null ? Object.values(value) : [];
    return inner.flatMap((one) => valuesAt(one, rest));
  }
  return valuesAt(step.startsWith(".") ? valueAt(value, [step.slice(1)]) : value, rest);
}
