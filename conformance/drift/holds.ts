import type { Document } from "./document.ts";
import { canonical, entriesOf, isObject, itemsOf, member, type Json, type JsonObject } from "./json.ts";
import { typeOf } from "./raw-schema.ts";
import { matches, type Schema, type Side } from "./schema.ts";

/** The answer to a question about values; undefined where it cannot be decided. */
export type Known = boolean | undefined;

/** Maximum depth of references followed for one value. */
const maxDepth = 100;

/** Whether a schema admits a value in a direction; undefined where a keyword cannot be decided. */
export function holds(schema: Schema, value: unknown, side: Side): Known {
  if (value === null && schema.excludesNull) return false;
  const judge = new Judge(schema.document, side);
  return every(schema.roots.map((raw) => judge.fits(raw, value as Json)));
}

const every = (answers: readonly Known[]): Known =>
  answers.includes(false) ? false : answers.includes(undefined) ? undefined : true;
const some = (answers: readonly Known[]): Known =>
  answers.includes(true) ? true : answers.includes(undefined) ? undefined : false;
const opposite = (answer: Known): Known => (answer === undefined ? undefined : !answer);

function exactlyOne(answers: readonly Known[]): Known {
  const fitting = answers.filter((one) => one === true).length;
  if (fitting > 1) return false;
  return answers.includes(undefined) ? undefined : fitting === 1;
}

/** Formats that can be checked; of all others nothing is known. */
const formats: Record<string, RegExp> = {
  date: /^\d{4}-\d\d-\d\d$/,
  "date-time": /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:?\d\d)$/,
  time: /^\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:?\d\d)?$/,
  uuid: /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i,
  ipv4: /^(\d{1,3}\.){3}\d{1,3}$/,
};

class Judge {
  readonly #document: Document;
  readonly #side: Side;
  #depth = 0;

  constructor(document: Document, side: Side) {
    this.#document = document;
    this.#side = side;
  }

  fits(raw: Json | undefined, value: Json): Known {
    if (!isObject(raw)) return raw !== false;
    if (raw["x-open"] === true) return true;
    this.#depth += 1;
    try {
      return this.#depth > maxDepth ? undefined : this.#fitsAll(raw, value);
    } finally {
      this.#depth -= 1;
    }
  }

  #fitsAll(raw: JsonObject, value: Json): Known {
    const targets = [raw["$ref"], raw["$dynamicRef"]].flatMap((reference) =>
      typeof reference === "string" ? [this.#document.target(reference, raw)] : [],
    );
    if (targets.length > 0 && this.#document.isOld) return this.fits(targets[0], value);
    if (value === null && raw["nullable"] === true) return true;
    const answers: Known[] = targets.map((target) => this.fits(target, value));
    const tables = [ofAny, tableFor(value)];
    for (const [name, said] of Object.entries(raw)) {
      const rule = tables.find((table) => Object.hasOwn(table, name))?.[name];
      if (rule !== undefined) answers.push(rule(said, value, raw, this));
      if (answers.at(-1) === false) return false;
    }
    return every(answers);
  }

  /** Whether a field does not occur in the direction, or is open. */
  isHidden(raw: Json | undefined): boolean {
    const schema = this.#document.resolved(raw);
    const hidden = this.#side === "request" ? "readOnly" : "writeOnly";
    return (
      member(raw, hidden) === true || member(schema, hidden) === true || member(schema, "x-open") === true
    );
  }
}

/** Decides whether a value satisfies what one keyword says. */
type Rule<Value> = (said: Json, value: Value, raw: JsonObject, judge: Judge) => Known;
type Rules<Value> = Readonly<Record<string, Rule<Value>>>;

/** The keywords that speak of values of one type. */
const tableFor = (value: Json): Rules<Json> =>
  (typeof value === "number"
    ? ofNumber
    : typeof value === "string"
      ? ofText
      : Array.isArray(value)
        ? ofList
        : isObject(value)
          ? ofObject
          : {}) as Rules<Json>;

const fitsEach = (list: Json, value: Json, judge: Judge): Known[] =>
  itemsOf(list).map((one) => judge.fits(one, value));

const ofAny: Rules<Json> = {
  type: (said, value) => {
    const type = typeOf(value);
    return [said].flat().some((one) => one === type || (one === "number" && type === "integer"));
  },
  enum: (said, value) => itemsOf(said).some((one) => canonical(one) === canonical(value)),
  const: (said, value) => canonical(said) === canonical(value),
  allOf: (said, value, _, judge) => every(fitsEach(said, value, judge)),
  anyOf: (said, value, _, judge) => itemsOf(said).length === 0 || some(fitsEach(said, value, judge)),
  oneOf: (said, value, _, judge) => itemsOf(said).length === 0 || exactlyOne(fitsEach(said, value, judge)),
  not: (said, value, _, judge) => opposite(judge.fits(said, value)),
  if: (said, value, raw, judge) => {
    const isMet = judge.fits(said, value);
    const [then, otherwise] = [judge.fits(raw["then"], value), judge.fits(raw["else"], value)];
    return isMet === undefined ? (then === otherwise ? then : undefined) : isMet ? then : otherwise;
  },
};

const ofNumber: Rules<number> = {
  minimum: (said, value, raw) =>
    raw["exclusiveMinimum"] === true ? value > Number(said) : value >= Number(said),
  maximum: (said, value, raw) =>
    raw["exclusiveMaximum"] === true ? value < Number(said) : value <= Number(said),
  exclusiveMinimum: (said, value) => typeof said !== "number" || value > said,
  exclusiveMaximum: (said, value) => typeof said !== "number" || value < said,
  multipleOf: (said, value) => Number.isInteger(Math.round((value / Number(said)) * 1e9) / 1e9),
};

const undecided = (): undefined => undefined;

const ofText: Rules<string> = {
  minLength: (said, value) => [...value].length >= Number(said),
  maxLength: (said, value) => [...value].length <= Number(said),
  pattern: (said, value) => (isPattern(String(said)) ? matches(String(said), value) : undefined),
  format: (said, value) =>
    formats[String(said)]?.test(value) ?? (/^(password|binary|byte)$/.test(String(said)) || undefined),
  contentEncoding: undecided,
  contentMediaType: undecided,
  contentSchema: undecided,
};

/** The schemas of a list's first items. */
const firstOf = ({ prefixItems, items }: JsonObject): Json[] | undefined =>
  [prefixItems, items].find((list) => Array.isArray(list)) as Json[] | undefined;

/** The first items, each with its schema. */
const inPlaces = (schemas: Json[], value: Json[], judge: Judge): Known =>
  every(value.slice(0, schemas.length).map((one, index) => judge.fits(schemas[index], one)));

const ofList: Rules<Json[]> = {
  minItems: (said, value) => value.length >= Number(said),
  maxItems: (said, value) => value.length <= Number(said),
  uniqueItems: (said, value) =>
    said !== true || new Set(value.map((one) => canonical(one))).size === value.length,
  prefixItems: (said, value, _, judge) => inPlaces(itemsOf(said), value, judge),
  items: (said, value, raw, judge) =>
    Array.isArray(said)
      ? inPlaces(said, value, judge)
      : every(value.slice(firstOf(raw)?.length ?? 0).map((one) => judge.fits(said, one))),
  additionalItems: (said, value, raw, judge) =>
    every(value.slice(firstOf(raw)?.length ?? Infinity).map((one) => judge.fits(said, one))),
  unevaluatedItems: undecided,
  contains: (said, value, raw, judge) => {
    const answers = value.map((one) => judge.fits(said, one));
    const surely = answers.filter((one) => one === true).length;
    const possibly = answers.filter((one) => one !== false).length;
    const [min, max] = [Number(raw["minContains"] ?? 1), Number(raw["maxContains"] ?? Infinity)];
    if (possibly < min || surely > max) return false;
    return surely >= min && possibly <= max ? true : undefined;
  },
};

/** What speaks of fields when another is present: other fields, or a schema of the whole. */
const whenPresent: Rule<JsonObject> = (said, value, _, judge) =>
  every(
    entriesOf(said).map(([name, needs]) => {
      if (!Object.hasOwn(value, name)) return true;
      return Array.isArray(needs)
        ? needs.every((one) => Object.hasOwn(value, String(one)))
        : judge.fits(needs, value);
    }),
  );

const ofOtherFields: Rule<JsonObject> = (said, value, raw, judge) => {
  const patterns = entriesOf(raw["patternProperties"]);
  const others = Object.keys(value).filter(
    (name) =>
      member(raw["properties"], name) === undefined && !patterns.some(([pattern]) => matches(pattern, name)),
  );
  return every(others.map((name) => judge.fits(said, value[name]!)));
};

/** Keywords that evaluate fields beside `properties` and `patternProperties`. */
const evaluating = ["$ref", "allOf", "anyOf", "oneOf", "if", "dependentSchemas"];

const ofObject: Rules<JsonObject> = {
  minProperties: (said, value) => Object.keys(value).length >= Number(said),
  maxProperties: (said, value) => Object.keys(value).length <= Number(said),
  required: (said, value, raw, judge) =>
    itemsOf(said)
      .map(String)
      .every((name) => Object.hasOwn(value, name) || judge.isHidden(member(raw["properties"], name))),
  properties: (said, value, _, judge) =>
    every(
      entriesOf(said).flatMap(([name, schema]) =>
        Object.hasOwn(value, name) && !judge.isHidden(schema) ? [judge.fits(schema, value[name]!)] : [],
      ),
    ),
  patternProperties: (said, value, _, judge) =>
    every(
      entriesOf(said).flatMap(([pattern, schema]) =>
        Object.entries(value).flatMap(([name, inner]) =>
          matches(pattern, name) ? [judge.fits(schema, inner)] : [],
        ),
      ),
    ),
  additionalProperties: ofOtherFields,
  propertyNames: (said, value, _, judge) => every(Object.keys(value).map((name) => judge.fits(said, name))),
  dependentRequired: whenPresent,
  dependentSchemas: whenPresent,
  dependencies: whenPresent,
  unevaluatedProperties: (said, value, raw, judge) => {
    // Only where no other keyword could evaluate a field is it known which ones are unevaluated.
    const isPlain = evaluating.every((name) => raw[name] === undefined);
    return said === true || (isPlain ? ofOtherFields(said, value, raw, judge) : undefined);
  },
};

function isPattern(pattern: string): boolean {
  try {
    return new RegExp(pattern, "u").source !== "";
  } catch {
    return false;
  }
}
