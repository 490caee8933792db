import { jsonOf, type Exchange } from "../judge/exchange.ts";
import {
  entriesOf,
  isObject,
  member,
  operationsOf,
  step,
  type Document,
  type Json,
  type JsonObject,
} from "./document.ts";
import type { Findings, Spot } from "./findings.ts";
import { annotations, listedValues, propertiesOf, typesOf, viewOf, type View } from "./schema-view.ts";

/** Headers of HTTP itself, which no API describes. */
const ofHttp = new Set(
  `accept-ranges age allow alt-svc cache-control connection content-disposition content-encoding content-language
  content-length content-location content-range content-security-policy content-type cross-origin-embedder-policy
  cross-origin-opener-policy cross-origin-resource-policy date etag expires keep-alive last-modified link location
  origin-agent-cluster permissions-policy pragma proxy-authenticate referrer-policy retry-after server server-timing
  set-cookie strict-transport-security trailer transfer-encoding upgrade vary via warning www-authenticate
  x-content-type-options x-dns-prefetch-control x-download-options x-frame-options
  x-permitted-cross-domain-policies x-xss-protection`.split(/\s+/),
);

/**
 * Finds what crossed the wire and is not in the contract: statuses, media types, headers, fields, values of a list.
 * What the contract leaves open (x-open, `additionalProperties: true`) is in it. Of a field only the type is told,
 * since its value may be a secret.
 */
export function compareTraffic(findings: Findings, exchanges: readonly Exchange[]): void {
  const document = findings.new;
  const operations = new Map(operationsOf(document).map((one) => [one.name, one]));
  for (const exchange of exchanges) {
    const at = operations.get(exchange.operation ?? "");
    if (at === undefined || exchange.response === null) continue;
    const { status, headers } = exchange.response;
    const where = `answer ${status}`;
    const spot: Spot = { side: "answer", operation: at.name, where };
    const responses = at.operation["responses"];
    const answer = answerOf(document, responses, status);
    if (!isObject(answer)) {
      const found = {
        old: Object.keys(responses ?? {}).join(", "),
        new: status,
        newPointer: `${at.pointer}/responses`,
      };
      findings.add("live_status_undocumented", spot, found);
      continue;
    }
    const pointer = document.pointerOf(answer) ?? "";
    compareHeaders(findings, spot, answer, headers);
    if (answer["x-open"] === true) continue;
    compareBody(findings, spot, answer, exchange, pointer);
  }
}

/** The answer that is documented for a status. An open `default` says nothing of any status: it documents none. */
function answerOf(document: Document, responses: Json | undefined, status: number): Json | undefined {
  const named = [String(status), `${String(status)[0]}XX`].find(
    (name) => member(responses, name) !== undefined,
  );
  const answer = document.resolved(member(responses, named ?? "default"));
  return named === undefined && member(answer, "x-open") === true ? undefined : answer;
}

function compareHeaders(
  findings: Findings,
  spot: Spot,
  answer: JsonObject,
  headers: Record<string, string>,
): void {
  const documented = entriesOf(answer["headers"]).map(([name]) => name.toLowerCase());
  for (const name of Object.keys(headers)) {
    if (ofHttp.has(name) || name.startsWith("access-control-") || documented.includes(name)) continue;
    const at = { ...spot, where: `header ${name}` };
    // Most servers send one on every answer: it is told once, for all operations.
    findings.add("live_header_undocumented", at, { new: name });
  }
}

function compareBody(
  findings: Findings,
  spot: Spot,
  answer: JsonObject,
  exchange: Exchange,
  pointer: string,
): void {
  const content = entriesOf(answer["content"]);
  const { body = "", headers = {} } = exchange.response ?? {};
  if (content.length === 0 || body === "") return;
  const essence = (type: string): string => type.split(";")[0]!.trim().toLowerCase();
  const type = essence(headers["content-type"] ?? "");
  const media = content.find(([name]) => essence(name) === type)?.[1];
  if (media === undefined) {
    const found = {
      old: content.map(([name]) => name).join(", "),
      new: type || "none",
      newPointer: `${pointer}/content`,
    };
    findings.add("live_media_type_undocumented", spot, found);
    return;
  }
  const schema = member(media, "schema");
  if (schema === undefined || !/\bjson$/.test(type)) return;
  compareValue(findings, { ...spot, where: `${spot.where}:` }, jsonOf(exchange), [schema]);
}

/** Holds a value against schemas of which one must fit. */
function compareValue(findings: Findings, spot: Spot, value: unknown, schemas: readonly Json[]): void {
  const document = findings.new;
  const leaves = schemas
    .flatMap((schema) => leavesOf(document, schema))
    .filter((leaf) => admits(leaf, value));
  if (leaves.length === 0 || leaves.some((leaf) => leaf.open || saysNothing(leaf))) return;
  if (Array.isArray(value)) {
    const items = leaves.map(({ keywords }) => keywords["items"]).filter((one) => one !== undefined);
    if (items.length < leaves.length) return;
    for (const item of value) compareValue(findings, { ...spot, where: below(spot.where, "*") }, item, items);
  } else if (isObject(value)) compareFields(findings, spot, value, fitting(document, leaves, value));
  else {
    const lists = leaves.map(listedValues);
    if (lists.some((list) => list === null || list.includes(value as Json))) return;
    findings.add("live_enum_value_undocumented", spot, {
      old: lists.flat(),
      new: value,
      newPointer: `${leaves[0]!.pointer}/${leaves[0]!.keywords["enum"] === undefined ? "const" : "enum"}`,
    });
  }
}

function compareFields(findings: Findings, spot: Spot, value: JsonObject, leaves: readonly View[]): void {
  const permitsMore = leaves.some((leaf) => {
    const more = leaf.keywords["additionalProperties"];
    return (more !== undefined && more !== false) || leaf.keywords["properties"] === undefined;
  });
  for (const [name, inner] of Object.entries(value)) {
    const known = leaves
      .map((leaf) => member(propertiesOf(leaf), name))
      .filter((schema) => schema !== undefined);
    const at = { ...spot, where: below(spot.where, name) };
    if (known.length > 0) compareValue(findings, at, inner, known);
    else if (!permitsMore) {
      const pointer = `${leaves[0]!.pointer}/properties/${step(name)}`;
      findings.add("live_field_undocumented", at, {
        new: typeOf(inner),
        oldPointer: pointer,
        newPointer: pointer,
      });
    }
  }
}

const below = (where: string, name: string): string => `${where}${where.endsWith(":") ? " " : "."}${name}`;

const typeOf = (value: unknown): string =>
  value === null ? "null" : Array.isArray(value) ? "array" : typeof value;

/** The schemas that a value can be described by: the schema itself, or each of its alternatives. */
function leavesOf(document: Document, schema: Json, depth = 0): View[] {
  const view = viewOf(document, schema);
  const members = [view.keywords["anyOf"], view.keywords["oneOf"]].flatMap((list) =>
    Array.isArray(list) ? list : [],
  );
  if (members.length === 0 || view.open || depth > 32) return [view];
  const { anyOf: _any, oneOf: _one, ...beside } = view.keywords;
  const own = { ...view, keywords: beside };
  const inner = members.flatMap((one) => leavesOf(document, one, depth + 1));
  return saysNothing(own) ? inner : [own, ...inner];
}

const saysNothing = ({ keywords }: View): boolean =>
  Object.keys(keywords).every((name) => annotations.has(name));

/** Whether a schema's type is the value's. A value of no type that is told is the judge's business, not drift. */
function admits(leaf: View, value: unknown): boolean {
  const types = typesOf(leaf);
  if (types === null) return true;
  const type = typeOf(value);
  return types.has(type) || (type === "number" && types.has("integer"));
}

/** Of several alternatives those whose required fields and constants an object has; all where none fits. */
function fitting(document: Document, leaves: readonly View[], value: JsonObject): readonly View[] {
  const fits = leaves.filter((leaf) => {
    const required = leaf.keywords["required"];
    if (Array.isArray(required) && !required.every((name) => Object.hasOwn(value, String(name))))
      return false;
    return entriesOf(propertiesOf(leaf)).every(([name, schema]) => {
      const only = viewOf(document, schema).keywords["const"];
      return only === undefined || value[name] === undefined || value[name] === only;
    });
  });
  return fits.length > 0 ? fits : leaves;
}
