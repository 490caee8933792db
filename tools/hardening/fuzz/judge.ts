import { Ajv2020 } from "ajv/dist/2020.js";
import type { ValidateFunction } from "ajv";
import addFormats from "ajv-formats";
import { kept } from "../../../base/data.ts";
import type { Exchange } from "../../../conformance/judge/exchange.ts";
import { rules } from "../../../conformance/suite/rules.ts";
import { seenOf, type Seen } from "../../../conformance/judge/seen.ts";
import { resolved, type Schema } from "./schema-values.ts";

/** A fault of an answer. Breaches with the same name are one finding. */
export interface Breach {
  name: string;
  sentence: string;
}

interface SpecAnswer {
  "x-open"?: boolean;
  content?: Record<string, { schema: Schema }>;
}

interface AnswerSpec {
  paths: Record<string, Record<string, { operationId: string; responses: Record<string, SpecAnswer> }>>;
}

/** The mask of a secret in a recorded answer; see conformance/target/secrets.ts. */
const maskedSecret = /«(key|claim code) \d+»/;

/** Statuses from 500 on that report a failure behind the server, where the spec documents them. */
const upstreamFailures: ReadonlySet<number> = new Set([502, 503, 504]);
/** The most characters of an answer that is not a list of an account's own rows. */
const maxCharacters = 262_144;

/**
 * Judges answers by the rules of the conformance suite, by the spec's schemas where the contract binds them, and by a
 * rule of the fuzz run: no 500, whatever was sent. Returns the fault, or null.
 */
export function createJudge(document: AnswerSpec): (exchange: Exchange) => Breach | null {
  const ajv = new Ajv2020({ strict: false, allErrors: false, validateFormats: true });
  addFormats.default(ajv);
  ajv.addSchema(bound(document) as object, "spec");
  const operations = new Map<string, Record<string, SpecAnswer>>();
  for (const path of Object.values(document.paths)) {
    for (const { operationId, responses } of Object.values(path)) operations.set(operationId, responses);
  }
  const compiled = new Map<string, ValidateFunction>();

  function schemaBreach({ operation, status, body }: Seen): string | null {
    const given = operations.get(operation ?? "")?.[status];
    if (given === undefined || body === undefined) return null;
    const response = resolved(document, given);
    const schema = response.content?.["application/json"]?.schema;
    if (schema === undefined || given["x-open"] || response["x-open"] || schema["x-open"]) return null;
    const key = `${operation} ${status}`;
    const rule = kept(compiled, key, () => ajv.compile(bound(schema, "spec") as object));
    return rule(body) ? null : ajv.errorsText(rule.errors, { dataVar: "body" });
  }

  return (exchange) => {
    const seen = seenOf(exchange);
    if (seen === null) return { name: "no answer", sentence: exchange.error ?? "no answer arrived" };
    const { operation, status } = seen;
    const where = `${operation ?? exchange.request.method} ${status}`;
    const answers = operations.get(operation ?? "");
    const documented = (answers?.[status] ?? answers?.["default"]) !== undefined;
    const { length } = exchange.response!.body;
    // A result that is not truncated is as long as its tool made it (max_response_size -1).
    const isResult = status === 200 && ["call", "queryCapability"].includes(operation ?? "");
    if (exchange.request.method !== "GET" && !isResult && length > maxCharacters)
      return { name: `${where}: an unbounded answer`, sentence: `it has ${length} characters` };
    if (status >= 500 && !(documented && upstreamFailures.has(status))) {
      return { name: `${where}: a server error`, sentence: exchange.response!.body.slice(0, 300) };
    }
    const secret = operation === "registerAnonymous" ? null : maskedSecret.exec(exchange.response!.body);
    if (secret !== null) {
      return { name: `${where}: a secret is revealed again`, sentence: `${secret[0]} is in the answer` };
    }
    for (const { id, judge } of rules) {
      const judged = judge(seen);
      if (judged === null || judged === true) continue;
      return {
        name: `${where}: ${id}`,
        sentence: `expected ${judged.expected}, received ${judged.received}`,
      };
    }
    const broken = schemaBreach(seen);
    return broken === null ? null : { name: `${where}: the spec's schema`, sentence: broken };
  };
}

/** A part of the spec without its open subtrees and their requirements. */
function bound(node: unknown, root = ""): unknown {
  if (Array.isArray(node)) return node.map((member) => bound(member, root));
  if (typeof node !== "object" || node === null) return node;
  const given = node as Record<string, unknown>;
  if (given["x-open"] === true && !("operationId" in given)) return {};
  const copy: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(given)) {
    if (name === "$ref" && typeof value === "string")
      copy[name] = value.startsWith("#") ? root + value : value;
    else if (name === "required" && Array.isArray(value))
      copy[name] = value.filter((each) => !isOpen(given, each));
    else if (name !== "example" && name !== "examples") copy[name] = bound(value, root);
  }
  return copy;
}

const isOpen = ({ properties }: Record<string, unknown>, name: unknown): boolean =>
  (properties as Record<string, Schema> | undefined)?.[String(name)]?.["x-open"] === true;
