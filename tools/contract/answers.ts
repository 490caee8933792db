import { isObject, type Json, type JsonObject } from "../../base/data.ts";
import type { OpenApiDocument } from "../bundle.ts";
import { operationsOf } from "./operations.ts";
import {
  boundsOf,
  componentOf,
  isOpen,
  joined,
  listOf,
  objectOf,
  resolved,
  strings,
  typesOf,
} from "./schema.ts";

/** A condition on a request or an answer, by path: a value, a prefix, presence, or the negation of one of these. */
type Condition = { request?: JsonObject; answer?: JsonObject };

/** A field of an answer, as listed in the generated module. */
export interface Field {
  path: string;
  types: string[];
  required: boolean;
  clauses: string[];
  written?: true;
  when?: Condition[];
  requiredWhen?: Condition[];
  schema?: string;
  bounds: JsonObject;
}

/**
 * The fields that the contract promises in the answers of each operation, by status, without open answers and fields.
 */
export function answersOf(spec: OpenApiDocument): Map<string, Map<number, Field[]>> {
  return new Map(
    operationsOf(spec).map(({ id, operation }) => {
      const statuses = new Map<number, Field[]>();
      for (const [status, written] of Object.entries(objectOf(operation["responses"]))) {
        const answer = resolved(spec, objectOf(written));
        if (isOpen(answer) || !/^\d+$/.test(status)) continue;
        const json = objectOf(objectOf(answer["content"])["application/json"]);
        const found = isObject(json["schema"]) ? new Walk(spec, id).body(json["schema"]) : [];
        statuses.set(Number(status), withoutSelfTests(found));
      }
      return [id, statuses];
    }),
  );
}

/** The promised fields without the clause that promises them, as readable lines. */
export const fieldsWithoutClause = (spec: OpenApiDocument): string[] =>
  [...answersOf(spec)].flatMap(([id, statuses]) =>
    [...statuses].flatMap(([status, fields]) =>
      fields
        .filter(({ clauses }) => clauses.length === 0)
        .map(
          ({ path }) =>
            `${id} ${status} ${path}: name the clause that promises it as x-clause; if none does, mark it x-open`,
        ),
    ),
  );

/** Finds the fields of one operation's body. */
class Walk {
  private readonly spec: OpenApiDocument;
  private readonly operation: string;

  constructor(spec: OpenApiDocument, operation: string) {
    this.spec = spec;
    this.operation = operation;
  }

  body(node: JsonObject): Field[] {
    return this.inside(node, "", undefined);
  }

  /** The fields below a schema at `path`. */
  private inside(node: JsonObject, path: string, outer: Condition[] | undefined): Field[] {
    const schema = joined(this.spec, node);
    if (isOpen(schema)) return [];
    const when = and(outer, conditionsOf(schema));
    const alternatives = listOf(schema["anyOf"]).filter((choice) => {
      const alternative = joined(this.spec, choice);
      return alternative["type"] !== "null" && !isOpen(alternative);
    });
    // Fields can be required of a body only if it is known which of several alternatives it takes.
    const chosen = alternatives.filter(
      (alternative) =>
        alternatives.length === 1 || conditionsOf(joined(this.spec, alternative)) !== undefined,
    );
    const required = strings(schema["required"]);
    return [
      ...chosen.flatMap((alternative) => this.inside(alternative, path, when)),
      ...Object.entries(objectOf(schema["properties"])).flatMap(([name, property]) =>
        this.field(objectOf(property), at(path, name), required.includes(name), schema, when),
      ),
      ...(schema["items"] === undefined ? [] : this.inside(objectOf(schema["items"]), at(path, "*"), when)),
    ];
  }

  private field(
    node: JsonObject,
    path: string,
    required: boolean,
    holder: JsonObject,
    when: Condition[] | undefined,
  ): Field[] {
    const schema = joined(this.spec, node);
    if (isOpen(schema)) return [];
    const promise = node["x-clause"] === undefined ? holder : node;
    const clauses = this.clausesOf(promise["x-clause"]);
    const requiredWhen = conditionsOf(node);
    const alternatives = listOf(schema["anyOf"])
      .map((alternative) => joined(this.spec, alternative))
      .filter((alternative) => !isOpen(alternative));
    // Where each alternative has its condition, the field has a different type in each.
    const split =
      alternatives.length > 0 && alternatives.every((alternative) => conditionsOf(alternative) !== undefined);
    const rows = (split ? alternatives : [schema]).map((alternative): Field => {
      const applies = and(when, split ? conditionsOf(alternative) : undefined);
      const name = componentOf(node) ?? listOf(schema["anyOf"]).map(componentOf).find(Boolean);
      return {
        path,
        types: typesOf(this.spec, alternative),
        required,
        clauses,
        ...(promise["x-derived"] === false && { written: true }),
        ...(applies && { when: applies }),
        ...(requiredWhen && { requiredWhen }),
        ...(name !== undefined && !split && { schema: name }),
        bounds: boundsOf(alternative),
      };
    });
    const { "x-when": _, ...inner } = node;
    return [...merged(rows), ...this.inside(inner, path, when)];
  }

  /** The clauses of this operation in an `x-clause`: one, several, or a list for each operation. */
  private clausesOf(named: Json | undefined): string[] {
    const own = isObject(named) ? named[this.operation] : named;
    return typeof own === "string" ? [own] : strings(own);
  }
}

const at = (path: string, name: string): string => (path === "" ? name : `${path}.${name}`);

/** An `x-when`: one condition, or a list of alternatives. */
function conditionsOf(schema: JsonObject): Condition[] | undefined {
  const written = schema["x-when"];
  if (written === undefined) return undefined;
  return (Array.isArray(written) ? written : [written]).map(
    (alternative) => objectOf(alternative) as Condition,
  );
}

/** Combines two lists of alternatives: every pair. */
function and(one: Condition[] | undefined, other: Condition[] | undefined): Condition[] | undefined {
  if (!one || !other) return one ?? other;
  return one.flatMap((left) =>
    other.map((right) => ({
      ...((left.request ?? right.request) && { request: { ...left.request, ...right.request } }),
      ...((left.answer ?? right.answer) && { answer: { ...left.answer, ...right.answer } }),
    })),
  );
}

/** Merges rows of one path that differ only in their types. */
function merged(rows: Field[]): Field[] {
  const byRest = new Map<string, Field>();
  for (const row of rows) {
    const { types, ...rest } = row;
    const key = JSON.stringify(rest);
    const known = byRest.get(key);
    byRest.set(key, known ? { ...known, types: [...new Set([...known.types, ...types])] } : row);
  }
  return [...byRest.values()];
}

/**
 * The discriminator of alternatives is required without a condition, with any of their values. With a single
 * alternative its value is the condition itself, and nothing remains to be required.
 */
function withoutSelfTests(fields: Field[]): Field[] {
  const isSelfTest = ({ path, when }: Field): boolean =>
    when?.some(({ answer }) => answer !== undefined && path in answer) ?? false;
  const values = Map.groupBy(
    fields.filter((field) => isSelfTest(field) && "const" in field.bounds),
    ({ path }) => path,
  );
  const kept = new Set<string>();
  return fields.flatMap((field) => {
    const rows = values.get(field.path);
    if (!rows?.includes(field)) return [field];
    const allowed = [...new Set(rows.map(({ bounds }) => bounds["const"]!))];
    if (allowed.length === 1 || kept.has(field.path)) return [];
    kept.add(field.path);
    const { when: _, schema: __, ...promise } = field;
    const clauses = [...new Set(rows.flatMap((row) => row.clauses))];
    return [{ ...promise, clauses, bounds: { enum: allowed } }];
  });
}
