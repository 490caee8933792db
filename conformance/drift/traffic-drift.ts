import { jsonOf, type Exchange } from "../judge/exchange.ts";
import { answersOf, mediaTypesOf, operationsOf, statusFor, takingIn } from "./api.ts";
import type { Findings, Spot } from "./findings.ts";
import { canonical, entriesOf, isObject, member, step, type JsonObject } from "./json.ts";
import { typeOf } from "./raw-schema.ts";
import { isWithin, type Schema } from "./schema.ts";

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
 * Finds traffic that the contract does not describe: statuses, media types, headers, fields, listed values. What the
 * contract leaves open (x-open, `additionalProperties: true`) counts as described. Of a field only the type is
 * reported, since its value may be a secret.
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
    const answers = answersOf(at);
    const named = statusFor(answers, String(status));
    const answer = named === undefined ? undefined : document.resolved(answers.get(named));
    // An open `default` says nothing about any status, so it documents none.
    if (!isObject(answer) || (named === "default" && answer["x-open"] === true)) {
      const found = {
        old: [...answers.keys()].join(", "),
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
    // Most servers send one on every answer, so report it once for all operations.
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
  const content = mediaTypesOf(answer["content"]);
  const { body = "", headers = {} } = exchange.response ?? {};
  if (content.size === 0 || body === "") return;
  const [type = ""] = mediaTypesOf({ [headers["content-type"] ?? ""]: {} }).keys();
  const key = takingIn(content.keys(), type);
  if (key === undefined) {
    findings.add("live_media_type_undocumented", spot, {
      old: [...content.values()].map((media) => media.type).join(", "),
      new: type.split(";")[0] || "none",
      newPointer: `${pointer}/content`,
    });
    return;
  }
  const schema = member(content.get(key)!.media, "schema");
  if (schema === undefined || !/\bjson$/.test(type.split(";")[0]!)) return;
  const normal = findings.comparison.new.of(schema);
  compareValue(findings, { ...spot, where: `${spot.where}:` }, jsonOf(exchange), [normal]);
}

/** Compares a value with schemas of which one must match. */
function compareValue(findings: Findings, spot: Spot, value: unknown, schemas: readonly Schema[]): void {
  const leaves = schemas
    .flatMap((schema) => leavesOf(schema))
    .filter(({ types }) => isWithin(new Set([typeOf(value)]), types));
  if (leaves.length === 0 || leaves.some(({ isAnything }) => isAnything)) return;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      const items = leaves.map((leaf) => leaf.firstItems[index] ?? leaf.otherItems);
      if (items.some(({ isAnything }) => isAnything)) return;
      compareValue(findings, { ...spot, where: below(spot.where, "*") }, item, items);
    }
  } else if (isObject(value)) compareFields(findings, spot, value, fitting(leaves, value));
  else {
    const lists = leaves.map(({ values }) => values);
    const key = canonical(value);
    if (lists.some((list) => list === null || list.some((one) => canonical(one) === key))) return;
    const [leaf] = leaves;
    findings.add("live_enum_value_undocumented", spot, {
      old: lists.flat(),
      new: value,
      newPointer: leaf!.at(leaf!.all("enum").length > 0 ? "enum" : "const"),
    });
  }
}

function compareFields(findings: Findings, spot: Spot, value: JsonObject, leaves: readonly Schema[]): void {
  const permitsMore = leaves.some(
    (leaf) =>
      leaf.all("additionalProperties").some((more) => more !== false) || leaf.fields("answer").size === 0,
  );
  for (const [name, inner] of Object.entries(value)) {
    const known = leaves.flatMap((leaf) => leaf.fields("answer").get(name) ?? []);
    const at = { ...spot, where: below(spot.where, name) };
    if (known.length > 0) compareValue(findings, at, inner, known);
    else if (!permitsMore) {
      const pointer = `${leaves[0]!.at("properties")}/${step(name)}`;
      const type = typeOf(inner) === "integer" ? "number" : typeOf(inner);
      findings.add("live_field_undocumented", at, { new: type, oldPointer: pointer, newPointer: pointer });
    }
  }
}

const below = (where: string, name: string): string => `${where}${where.endsWith(":") ? " " : "."}${name}`;

/** The schemas that may describe a value: the schema itself, or each of its alternatives. */
function leavesOf(schema: Schema, seen = new Set<Schema>()): Schema[] {
  if (schema.open || schema.choices.length === 0 || seen.has(schema)) return [schema];
  seen.add(schema);
  const inner = schema.choices.flatMap(({ members }) => members.flatMap((one) => leavesOf(one, seen)));
  return schema.bindsBesideChoices ? [schema, ...inner] : inner;
}

/** The alternatives whose required fields and constants an object has; all of them when none matches. */
function fitting(leaves: readonly Schema[], value: JsonObject): readonly Schema[] {
  const fits = leaves.filter(
    (leaf) =>
      [...leaf.required("answer")].every((name) => Object.hasOwn(value, name)) &&
      [...leaf.fields("answer")].every(([name, field]) => {
        const only = field.all("const")[0];
        return only === undefined || value[name] === undefined || canonical(value[name]) === canonical(only);
      }),
  );
  return fits.length > 0 ? fits : leaves;
}
