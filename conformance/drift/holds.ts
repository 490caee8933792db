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
    for (const [name, said] of Object.entries(raw)) {
      answers.push(this.#keyword(name, said, value, raw));
      if (answers.at(-1) === false) return false;
    }
    return every(answers);
  }

  /** Whether a value satisfies one keyword. */
  #keyword(name: string, said: Json, value: Json, raw: JsonObject): Known {
    const all = (list: Json): Known[] => itemsOf(list).map((one) => this.fits(one, value));
    switch (name) {
      case "type": {
        const type = typeOf(value);
        return [said].flat().some((one) => one === type || (one === "number" && type === "integer"));
      }
      case "enum":
        return itemsOf(said).some((one) => canonical(one) === canonical(value));
      case "const":
        return canonical(said) === canonical(value);
      case "allOf":
        return every(all(said));
      case "anyOf":
        return said === null || itemsOf(said).length === 0 ? true : some(all(said));
      case "oneOf":
        return itemsOf(said).length === 0 ? true : exactlyOne(all(said));
      case "not":
        return opposite(this.fits(said, value));
      case "if": {
        const isMet = this.fits(said, value);
        const [then, otherwise] = [this.fits(raw["then"], value), this.fits(raw["else"], value)];
        return isMet === undefined ? (then === otherwise ? then : undefined) : isMet ? then : otherwise;
      }
    }
    if (typeof value === "number") return ofNumber(name, said, value, raw);
    if (typeof value === "string") return ofText(name, said, value);
    if (Array.isArray(value)) return this.#ofList(name, said, value, raw);
    return isObject(value) ? this.#ofObject(name, said, value, raw) : true;
  }

  #ofList(name: string, said: Json, value: Json[], raw: JsonObject): Known {
    const first = [raw["prefixItems"], raw["items"]].filter((list) => Array.isArray(list))[0] as
      Json[] | undefined;
    switch (name) {
      case "minItems":
        return value.length >= Number(said);
      case "maxItems":
        return value.length <= Number(said);
      case "uniqueItems":
        return said !== true || new Set(value.map((one) => canonical(one))).size === value.length;
      case "prefixItems":
        return every(
          value.flatMap((one, index) =>
            index < itemsOf(said).length ? [this.fits(itemsOf(said)[index], one)] : [],
          ),
        );
      case "items":
        return Array.isArray(said)
          ? every(said.flatMap((one, index) => (index < value.length ? [this.fits(one, value[index]!)] : [])))
          : every(value.slice(first?.length ?? 0).map((one) => this.fits(said, one)));
      case "additionalItems":
        return first === undefined
          ? true
          : every(value.slice(first.length).map((one) => this.fits(said, one)));
      case "unevaluatedItems":
        return undefined;
      case "contains": {
        const answers = value.map((one) => this.fits(said, one));
        const [surely, perhaps] = [true, undefined].map(
          (kind) => answers.filter((one) => one === kind).length,
        );
        const [least, most] = [Number(raw["minContains"] ?? 1), Number(raw["maxContains"] ?? Infinity)];
        if (surely! + perhaps! < least || surely! > most) return false;
        return surely! >= least && surely! + perhaps! <= most ? true : undefined;
      }
    }
    return true;
  }

  #ofObject(name: string, said: Json, value: JsonObject, raw: JsonObject): Known {
    const has = (one: unknown): boolean => Object.hasOwn(value, String(one));
    switch (name) {
      case "minProperties":
        return Object.keys(value).length >= Number(said);
      case "maxProperties":
        return Object.keys(value).length <= Number(said);
      case "required":
        return itemsOf(said).every(
          (one) => has(one) || this.#isHidden(member(raw["properties"], String(one))),
        );
      case "properties":
        return every(
          entriesOf(said).flatMap(([one, schema]) =>
            has(one) && !this.#isHidden(schema) ? [this.fits(schema, value[one]!)] : [],
          ),
        );
      case "patternProperties":
        return every(
          entriesOf(said).flatMap(([pattern, schema]) =>
            Object.entries(value).flatMap(([one, inner]) =>
              matches(pattern, one) ? [this.fits(schema, inner)] : [],
            ),
          ),
        );
      case "additionalProperties": {
        const patterns = entriesOf(raw["patternProperties"]);
        const others = Object.keys(value).filter(
          (one) =>
            member(raw["properties"], one) === undefined &&
            !patterns.some(([pattern]) => matches(pattern, one)),
        );
        return every(others.map((one) => this.fits(said, value[one]!)));
      }
      case "propertyNames":
        return every(Object.keys(value).map((one) => this.fits(said, one)));
      case "dependentRequired":
      case "dependentSchemas":
      case "dependencies":
        return every(
          entriesOf(said).map(([one, needs]) =>
            !has(one) ? true : Array.isArray(needs) ? needs.every(has) : this.fits(needs, value),
          ),
        );
      case "unevaluatedProperties":
        return said === true ? true : this.#unevaluated(said, value, raw);
    }
    return true;
  }

  /** Only where no other keyword could evaluate a field is it known which ones are unevaluated. */
  #unevaluated(said: Json, value: JsonObject, raw: JsonObject): Known {
    const isPlain = !["$ref", "allOf", "anyOf", "oneOf", "if", "dependentSchemas"].some(
      (name) => raw[name] !== undefined,
    );
    return isPlain ? this.#ofObject("additionalProperties", said, value, raw) : undefined;
  }

  #isHidden(raw: Json | undefined): boolean {
    const schema = this.#document.resolved(raw);
    const hidden = this.#side === "request" ? "readOnly" : "writeOnly";
    return (
      member(raw, hidden) === true || member(schema, hidden) === true || member(schema, "x-open") === true
    );
  }
}

function ofNumber(name: string, said: Json, value: number, raw: JsonObject): Known {
  switch (name) {
    case "minimum":
      return raw["exclusiveMinimum"] === true ? value > Number(said) : value >= Number(said);
    case "maximum":
      return raw["exclusiveMaximum"] === true ? value < Number(said) : value <= Number(said);
    case "exclusiveMinimum":
      return typeof said !== "number" || value > said;
    case "exclusiveMaximum":
      return typeof said !== "number" || value < said;
    case "multipleOf":
      return Number.isInteger(Math.round((value / Number(said)) * 1e9) / 1e9);
  }
  return true;
}

function ofText(name: string, said: Json, value: string): Known {
  switch (name) {
    case "minLength":
      return [...value].length >= Number(said);
    case "maxLength":
      return [...value].length <= Number(said);
    case "pattern":
      return isPattern(String(said)) ? matches(String(said), value) : undefined;
    case "format":
      return (
        formats[String(said)]?.test(value) ?? (/^(password|binary|byte)$/.test(String(said)) || undefined)
      );
    case "contentEncoding":
    case "contentMediaType":
    case "contentSchema":
      return undefined;
  }
  return true;
}

function isPattern(pattern: string): boolean {
  try {
    return new RegExp(pattern, "u").source !== "";
  } catch {
    return false;
  }
}
