import { stepsOf, valueAt } from "../../../base/data.ts";
import { documentFile } from "../../../base/pinned.ts";
import { readFileSync } from "node:fs";
import type { OperationId } from "../../../generated/contract.ts";

/** A schema of the spec, as far as mutants and mocked answers are derived from it. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  allOf?: Schema[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  format?: string;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  minItems?: number;
  "x-open"?: boolean;
}

interface Response {
  $ref?: string;
  content?: Record<string, { schema?: Schema }>;
  headers?: Record<string, unknown>;
  "x-open"?: boolean;
}

interface Document {
  paths: Record<string, Record<string, { operationId: OperationId; responses: Record<string, Response> }>>;
}

const document = JSON.parse(readFileSync(documentFile(), "utf8")) as Document;

/** An answer that the contract names: parts that it leaves open yield no mutants. */
interface NamedAnswer {
  operation: OperationId;
  status: number;
  fields: readonly Field[];
  headers: readonly string[];
}

/** A field of a JSON answer. */
export interface Field {
  /** Names separated by dots; `*` is every member of a list. */
  path: string;
  types: readonly string[];
  /** Never absent when its object is present, in every alternative. */
  required: boolean;
  enum?: readonly unknown[];
  const?: unknown;
  /** The contract does not name it. */
  open: boolean;
}

/** Maximum depth for schemas that contain themselves. */
const maxDepth = 8;

/** Every answer that the contract names, with all fields that the spec describes, including open ones. */
export const namedAnswers: readonly NamedAnswer[] = Object.values(document.paths)
  .flatMap((methods) => Object.values(methods))
  .flatMap(({ operationId, responses }) =>
    Object.entries(responses).flatMap(([status, written]) => {
      const response = resolved(written);
      if (response["x-open"] || written["x-open"] || !/^\d+$/.test(status)) return [];
      const schema = response.content?.["application/json"]?.schema;
      const headers = Object.keys(response.headers ?? {}).map((name) => name.toLowerCase());
      return [
        { operation: operationId, status: Number(status), fields: schema ? fieldsOf(schema) : [], headers },
      ];
    }),
  );

function fieldsOf(schema: Schema): Field[] {
  const fields = new Map<string, Field>();
  const walk = (schema: Schema, path: string, depth: number, certain: boolean, open: boolean): void => {
    if (depth > maxDepth) return;
    const { properties = {}, required = [], allOf = [], oneOf = [], anyOf = [], items } = resolved(schema);
    for (const part of allOf) walk(part, path, depth, certain, open);
    for (const choice of [...oneOf, ...anyOf]) walk(choice, path, depth + 1, false, open);
    // The content of a list may be open even if the list itself is not.
    if (items) walk(items, `${path}.*`, depth + 1, certain, open || Boolean(items["x-open"]));
    for (const [name, member] of Object.entries(properties)) {
      const at = path === "" ? name : `${path}.${name}`;
      const its = resolved(member);
      const isOpen = open || Boolean(its["x-open"] ?? member["x-open"]);
      const known = fields.get(at);
      fields.set(at, {
        path: at,
        types: [...new Set([...(known?.types ?? []), ...typesOf(its)])],
        required: certain && required.includes(name) && (known?.required ?? true),
        ...(its.enum && { enum: its.enum }),
        ...(its.const !== undefined && { const: its.const }),
        open: isOpen && (known?.open ?? true),
      });
      walk(member, at, depth + 1, certain, isOpen);
    }
  };
  walk(schema, "", 0, true, false);
  return [...fields.values()];
}

function typesOf(schema: Schema): string[] {
  if (schema.type !== undefined) return [schema.type].flat();
  if (schema.properties) return ["object"];
  if (schema.const !== undefined) return [typeof schema.const];
  if (schema.enum) return [...new Set(schema.enum.map((value) => (value === null ? "null" : typeof value)))];
  return [...(schema.oneOf ?? []), ...(schema.anyOf ?? []), ...(schema.allOf ?? [])].flatMap((alternative) =>
    typesOf(resolved(alternative)),
  );
}

/** The target of a reference, overridden by its sibling keywords. */
function resolved<Part extends { $ref?: string }>(part: Part): Part {
  if (part.$ref === undefined) return part;
  const { $ref, ...siblings } = part;
  return { ...resolved(valueAt(document, stepsOf($ref)) as unknown as Part), ...siblings } as Part;
}
