import { jsonOf, type Exchange, type Headers } from "../../judge/exchange.ts";
import * as api from "../api.ts";
import { type Found, type Spot, kinds, type Kind } from "../change.ts";
import { whereOf, type Comparison } from "../comparison.ts";
import { holds } from "../holds.ts";
import { canonical, isObject, member, step, type JsonObject } from "../../../base/data.ts";
import { versionHeaderOf } from "../versions.ts";
import type { Schema } from "../schema.ts";
import { isAnyType, namesOf, typeOf } from "../types.ts";

/** Headers of HTTP itself, which API documents omit. */
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
 * Finds answers that the contract excludes: other types and values, missing fields and headers; and what it does not
 * describe: statuses, media types, headers, fields. What it leaves open (x-open, `additionalProperties: true`)
 * counts as described. Of a field only the type is reported, unless its values are listed: it may be a secret.
 */
export function compareTraffic(comparison: Comparison, exchanges: readonly Exchange[]): void {
  const document = comparison.new;
  const operations = new Map(api.operationsOf(document).map((operation) => [operation.id, operation]));
  for (const exchange of exchanges) {
    const at = operations.get(exchange.operation ?? "");
    if (at === undefined || exchange.response === null) continue;
    const { status, headers } = exchange.response;
    const spot: Spot = { side: "answer", operation: at.title, where: `answer ${status}` };
    const answers = api.answersOf(at.raw["responses"]);
    const named = api.statusFor(answers, String(status));
    const answer = named === undefined ? undefined : document.resolved(answers.get(named));
    // An open `default` says nothing about any status, so it documents none.
    if (!isObject(answer) || (named === "default" && answer["x-open"] === true)) {
      const kind = status < 500 ? "live_status_undocumented" : "live_failure_undocumented";
      const newPointer = `${at.pointer}/responses`;
      comparison.add(kind, { ...spot, old: [...answers.keys()].join(", "), new: status, newPointer });
      continue;
    }
    compareHeaders(comparison, spot, answer, headers);
    if (answer["x-open"] !== true) compareBody(comparison, spot, answer, exchange);
  }
}

function compareHeaders(comparison: Comparison, spot: Spot, answer: JsonObject, seen: Headers): void {
  const documented = api.headersOf(answer["headers"]);
  for (const [known, [name, raw]] of documented) {
    if (known === versionHeaderOf(comparison.new)?.name || seen[known] !== undefined) continue;
    const header = comparison.new.resolved(raw);
    if (member(header, "required") !== true || member(header, "x-open") === true) continue;
    const where = `${spot.where} header ${name}`;
    comparison.add("live_header_missing", { ...spot, where, old: "required" });
  }
  for (const name of Object.keys(seen)) {
    if (ofHttp.has(name) || name.startsWith("access-control-") || documented.has(name)) continue;
    // Most servers send one on every answer, so report it once for all operations.
    comparison.add("live_header_undocumented", { ...spot, where: `header ${name}`, new: name });
  }
}

function compareBody(comparison: Comparison, spot: Spot, answer: JsonObject, exchange: Exchange): void {
  const content = api.mediaTypesOf(comparison.new, answer["content"]);
  const known = [...content.values()].map((media) => media.type).join(", ");
  const { body = "", headers = {} } = exchange.response ?? {};
  if (content.size === 0) return;
  if (body === "") {
    if (exchange.request.method !== "HEAD") comparison.add("live_body_missing", { ...spot, old: known });
    return;
  }
  const type = api.mediaTypeOf(headers["content-type"] ?? "");
  const essence = type.split(";")[0]!;
  // A parameter that the document does not name changes nothing about JSON or CSV.
  const media = (api.takingIn(content, type) ?? api.takingIn(content, essence))?.media;
  if (media === undefined) {
    const newPointer = `${comparison.new.pointerOf(answer) ?? ""}/content`;
    const details = { old: known, new: essence || "none", newPointer };
    comparison.add("live_media_type_undocumented", { ...spot, ...details });
  }
  const schema = member(media, "schema");
  if (schema === undefined || !/\bjson$/.test(essence)) return;
  const faults = faultsOf(`${spot.where}:`, jsonOf(exchange), comparison.schemas.new.of(schema));
  for (const [kind, where, details] of faults) comparison.add(kind, { ...spot, where, ...details });
}

/** Something in a value that its schema excludes, or a lack of something that it promises. */
type Fault = [kind: Kind, where: string, found: Found];

/** Compares a value with a schema: with the alternative that gives the fewest faults. */
function faultsOf(where: string, value: unknown, schema: Schema): Fault[] {
  const leaves = leavesOf(schema);
  if (leaves.length === 0 || leaves.some(({ isAnything }) => isAnything)) return [];
  const type = typeOf(value);
  const typed = leaves.filter((leaf) => leaf.types.has(type));
  if (typed.length === 0) {
    const types = leaves.flatMap(({ types }) => (isAnyType(types) ? [] : namesOf(types)));
    const details = { old: [...new Set(types)].join(" or "), new: type, newPointer: leaves[0]!.at("type") };
    return [["live_type_differs", where, details]];
  }
  const tried = typed.map((leaf) => [...faultsIn(where, value, leaf, typed)]);
  return tried.toSorted((one, other) => weightOf(one) - weightOf(other))[0]!;
}

/** What breaks a client weighs more than what is merely undocumented. */
const weightOf = (faults: readonly Fault[]): number =>
  faults.reduce((sum, [kind]) => sum + (kinds[kind][0] === "breaking" ? 1000 : 1), 0);

function* faultsIn(where: string, value: unknown, leaf: Schema, all: readonly Schema[]): Generator<Fault> {
  const { values } = leaf;
  const below = (name: string): string => whereOf(where, `.${name}`);
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* faultsOf(below("*"), item, leaf.item(index));
  } else if (isObject(value)) {
    const pointerTo = (name: string): string => `${leaf.at("properties")}/${step(name)}`;
    const fields = leaf.fields("answer");
    for (const name of leaf.required("answer")) {
      if (Object.hasOwn(value, name)) continue;
      yield ["live_field_missing", below(name), { old: "required", newPointer: pointerTo(name) }];
    }
    const permitsMore = leaf.all("additionalProperties").some((more) => more !== false) || fields.size === 0;
    for (const [name, inner] of Object.entries(value)) {
      const known = fields.get(name);
      if (known !== undefined) yield* faultsOf(below(name), inner, known);
      else if (!permitsMore && !all.some((other) => other.fields("answer").has(name))) {
        const type = typeOf(inner) === "integer" ? "number" : typeOf(inner);
        const at = { oldPointer: pointerTo(name), newPointer: pointerTo(name) };
        yield ["live_field_undocumented", below(name), { new: type, ...at }];
      }
    }
  } else if (values !== null && !values.some((allowed) => canonical(allowed) === canonical(value))) {
    const newPointer = leaf.at(leaf.all("enum").length > 0 ? "enum" : "const");
    yield ["live_enum_value_undocumented", where, { old: values, new: value, newPointer }];
  } else if (holds(leaf, value, "answer") === false) {
    yield ["live_value_differs", where, { new: typeOf(value), newPointer: leaf.pointer }];
  }
}

/** The schemas that may describe a value: the schema itself, or each of its alternatives with all else that binds. */
function leavesOf(schema: Schema, depth = 0): Schema[] {
  const { cases } = schema;
  return schema.open || cases === null || depth > 8
    ? [schema]
    : cases.flatMap((alternative) => leavesOf(alternative, depth + 1));
}
