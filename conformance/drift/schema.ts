import type { Document } from "./document.ts";
import { canonical, entriesOf, itemsOf, member, step, type Json, type JsonObject } from "./json.ts";
import {
  choicesOf,
  isAnnotation,
  isChoiceOfTypes,
  joining,
  normalTypes,
  sharedTypes,
  typeChoices,
  typeOf,
  typeSet,
} from "./raw-schema.ts";

/** The schemas of one document, each once. */
export interface Schemas {
  readonly document: Document;
  /** The normal form of a raw schema; an absent one, or `true`, admits everything. */
  of: (raw: Json | undefined) => Schema;
  /** The normal form of raw schemas that must all match. */
  joining: (raws: readonly Json[]) => Schema;
}

/** A direction of traffic: what clients send, or what servers answer. */
export type Side = "request" | "answer";

/** Alternatives of which one must fit (`anyOf`), or exactly one (`oneOf`). */
export interface Choice {
  keyword: "anyOf" | "oneOf";
  members: Schema[];
  /** Null is one more alternative. */
  hasNull: boolean;
  discriminator: Json | undefined;
  pointer: string;
}

/** The minimum or maximum of a value. */
export interface Bound {
  value: number;
  exclusive: boolean;
}

export const lowerBounds = ["minimum", "minLength", "minItems", "minProperties", "minContains"] as const;
export const upperBounds = ["maximum", "maxLength", "maxItems", "maxProperties", "maxContains"] as const;
type BoundName = (typeof lowerBounds)[number] | (typeof upperBounds)[number];
const boundTypes = {
  "": ["number"],
  Length: ["string"],
  Items: ["array"],
  Contains: ["array"],
  Properties: ["object"],
};

/** The type that a bound concerns. */
export const typesOfBounds = (name: BoundName): string[] =>
  boundTypes[name.slice(3).replace("imum", "") as keyof typeof boundTypes];

/** The raw schemas that a schema is composed of, and the facts that their composition reveals. */
export interface Joined {
  /** The raw schemas as written, which must all match. */
  roots: readonly Json[];
  parts: JsonObject[];
  openParts: Json[];
  open: boolean;
  never: boolean;
  nullable: boolean;
  readOnly: boolean;
  writeOnly: boolean;
  excludesNull?: boolean;
}

/**
 * A schema in normal form: references resolved and `allOf` merged, so that equivalent schemas look the same however
 * they are written. Consists of the raw schemas that must all match; a recursive schema leads back to the same object.
 */
export class Schema {
  readonly id: string;
  /** Its location, after resolving its reference. */
  readonly pointer: string;
  /** The contract does not specify it (`x-open`). */
  readonly open: boolean;
  /** The open members of `allOf`, which are not binding. */
  readonly openParts: Json[];
  readonly readOnly: boolean;
  readonly writeOnly: boolean;
  readonly #parts: JsonObject[];
  readonly #never: boolean;
  readonly #nullable: boolean;
  readonly #joined: Joined;
  readonly #schemas: Schemas;
  readonly #fields = new Map<Side, Map<string, Schema>>();
  #types: Set<string> | null | undefined;
  #cases: Schema[] | null | undefined;
  #choices: Choice[] | undefined;
  readonly #narrowed = new Map<string, Schema>();

  constructor(schemas: Schemas, id: string, pointer: string, joined: Joined) {
    this.#schemas = schemas;
    this.id = id;
    this.pointer = pointer;
    this.open = joined.open;
    this.openParts = joined.openParts;
    this.readOnly = joined.readOnly;
    this.writeOnly = joined.writeOnly;
    this.#parts = joined.parts;
    this.#never = joined.never;
    this.#nullable = joined.nullable;
    this.#joined = joined;
  }

  get document(): Document {
    return this.#schemas.document;
  }

  /** The name of the component, if it is one. */
  get name(): string | undefined {
    return /\/components\/schemas\/([^/]+)$/.exec(this.pointer)?.[1];
  }

  /** As written, for display. */
  get shown(): Json {
    return this.#never ? false : (this.#parts[0] ?? {});
  }

  /** Admits everything. */
  get isAnything(): boolean {
    return !this.#never && (this.open || this.#parts.every((part) => Object.keys(part).every(isAnnotation)));
  }

  /** Admits nothing. */
  get isNothing(): boolean {
    return this.#never || this.types?.size === 0;
  }

  /** The distinct values of a keyword in the schemas that this one consists of. */
  all(keyword: string): Json[] {
    const found = this.#parts.flatMap((part) => (Object.hasOwn(part, keyword) ? [part[keyword]!] : []));
    return found.length < 2 ? found : [...new Map(found.map((value) => [canonical(value), value])).values()];
  }

  /** The binding keywords. */
  get keywords(): Set<string> {
    return new Set(
      this.#parts
        .flatMap((part) => Object.keys(part))
        .filter((name) => !isAnnotation(name) && !joining.has(name)),
    );
  }

  /** Everything binding, as text. */
  get said(): string {
    return canonical([...this.keywords].toSorted().map((keyword) => [keyword, this.all(keyword)]));
  }

  /** The content of its open parts, as text. */
  get saidOpenly(): string {
    return canonical(this.openParts.map((part) => this.#schemas.of(part).said));
  }

  /** The location of a keyword, or of the schema if it lacks the keyword. */
  at(keyword: string): string {
    const part = this.#parts.find((one) => Object.hasOwn(one, keyword));
    const pointer = part && this.#schemas.document.pointerOf(part);
    return pointer === undefined ? this.pointer : `${pointer}/${step(keyword)}`;
  }

  /** The admitted types; null for any. An `enum` has the types of its values. */
  get types(): Set<string> | null {
    if (this.#types !== undefined) return this.#types;
    let types: Set<string> | null = this.#never ? new Set() : null;
    for (const part of this.#parts) {
      types = sharedTypes(types, typeSet(part));
      for (const members of typeChoices(part)) types = sharedTypes(types, members);
    }
    const { values } = this;
    if (values !== null) types = sharedTypes(types, normalTypes(values.map(typeOf)));
    if (this.#nullable && types !== null) types = new Set([...types, "null"]);
    if (this.#joined.excludesNull === true) types?.delete("null");
    return (this.#types = types);
  }

  /** The values of `enum` and `const`; null when it lists none. */
  get values(): Json[] | null {
    let values: Json[] | null = null;
    for (const part of this.#parts) {
      for (const list of [part["enum"], "const" in part ? [part["const"]!] : undefined]) {
        if (!Array.isArray(list)) continue;
        const own = part["nullable"] === true && !list.includes(null) ? [...list, null] : list;
        const known = new Set(own.map((value) => canonical(value)));
        values = values === null ? own : values.filter((value) => known.has(canonical(value)));
      }
    }
    if (this.#joined.excludesNull === true) return values && values.filter((value) => value !== null);
    return values !== null && this.#nullable && !values.includes(null) ? [...values, null] : values;
  }

  get admitsNull(): boolean {
    if (this.#nullable) return true;
    const { choices, types } = this;
    if (choices.length === 0) return types === null || types.has("null");
    return choices.every(({ members }) => members.some((one) => one.types?.has("null") ?? one.#nullable));
  }

  /** The same without null. */
  get withoutNull(): Schema {
    if (this.#joined.excludesNull === true) return this;
    const joined = { ...this.#joined, nullable: false, excludesNull: true };
    return new Schema(this.#schemas, `${this.id}!`, this.pointer, joined);
  }

  /** A bound in the form of OpenAPI 3.1; undefined when there is none or it has no effect. */
  bound(name: BoundName): Bound | undefined {
    const [about] = typesOfBounds(name);
    const { types } = this;
    if (types !== null && !types.has(about!) && !(about === "number" && types.has("integer")))
      return undefined;
    const sign = name.startsWith("min") ? 1 : -1;
    const exclusive = `exclusive${name[0]!.toUpperCase()}${name.slice(1)}`;
    const isWhole = about !== "number" || (types !== null && !types.has("number"));
    const multiple = about === "number" && this.all("multipleOf").find((one) => Number.isInteger(one));
    const step = Number(multiple || isWhole);
    let tightest: Bound | undefined;
    const tighten = (value: Json | undefined, isExclusive: boolean): void => {
      if (typeof value !== "number") return;
      const steps = (sign * value) / step;
      const least = step * (isExclusive ? Math.floor(steps) + 1 : Math.ceil(steps));
      const bound = step > 0 ? { value: sign * least, exclusive: false } : { value, exclusive: isExclusive };
      const isTighter = tightest === undefined || reachOf(bound, sign) > reachOf(tightest, sign);
      if (isTighter || (bound.value === tightest!.value && bound.exclusive)) tightest = bound;
    };
    for (const part of this.#parts) {
      tighten(part[name], part[exclusive] === true);
      tighten(part[exclusive], true);
    }
    const isIdle = about !== "number" && sign > 0 && tightest?.value === (name === "minContains" ? 1 : 0);
    return isIdle ? undefined : tightest;
  }

  /** The alternatives that are not merely types. */
  get choices(): Choice[] {
    return (this.#choices ??= this.#parts.flatMap((part) =>
      choicesOf(part).flatMap(({ keyword, members, hasNull }) =>
        !isChoice(members, hasNull) || isChoiceOfTypes(keyword, members)
          ? []
          : {
              keyword,
              hasNull,
              members: [...members, ...(members.length === 1 ? [onlyNull] : [])].map((one) =>
                this.#schemas.of(one),
              ),
              discriminator: part["discriminator"],
              pointer: `${this.#schemas.document.pointerOf(part) ?? this.pointer}/${keyword}`,
            },
      ),
    ));
  }

  /** The raw schemas as written, which must all match. */
  get roots(): readonly Json[] {
    return this.#joined.roots;
  }

  get excludesNull(): boolean {
    return this.#joined.excludesNull === true;
  }

  /** The ways to satisfy the first of its choices, each with all else that binds; null without a choice. */
  get cases(): Schema[] | null {
    return this.#cases === undefined ? (this.#cases = this.#findCases()) : this.#cases;
  }

  #findCases(): Schema[] | null {
    const { document } = this.#schemas;
    for (const part of this.#parts) {
      const choice = choicesOf(part).find(
        ({ keyword, members, hasNull }) => isChoice(members, hasNull) && !isChoiceOfTypes(keyword, members),
      );
      if (choice === undefined) continue;
      const { [choice.keyword]: _choice, discriminator: _discriminator, ...others } = part;
      const rest = Object.keys(others).some((name) => !isAnnotation(name))
        ? [document.derive(others, part)]
        : [];
      const all = [...this.#parts.filter((one) => one !== part), ...rest];
      const found = choice.members.map((one) => this.#schemas.joining([...all, one]));
      if (choice.hasNull) found.push(this.#schemas.joining([...all, onlyNull]));
      if (this.excludesNull) return found.map((one) => one.withoutNull);
      return this.#nullable ? [...found, this.#schemas.joining([onlyNull])] : found;
    }
    return null;
  }

  /** The same with only that value of a field; without the field where no value is given. */
  withField(name: string, value: Json | undefined): Schema {
    const key = canonical([name, value ?? false, value === undefined]);
    let found = this.#narrowed.get(key);
    if (found === undefined) {
      const field: Json = value === undefined ? false : { const: value };
      const raw = this.document.derive({ properties: { [name]: field } }, this.#parts[0] ?? {});
      this.#narrowed.set(key, (found = this.#schemas.joining([...this.roots, raw])));
    }
    return found;
  }

  /** Whether anything besides its alternatives is binding. */
  get bindsBesideChoices(): boolean {
    const { keywords } = this;
    for (const name of ["anyOf", "oneOf", "discriminator"]) keywords.delete(name);
    // A type that every alternative has is redundant.
    if (keywords.size === 1 && keywords.has("type"))
      return !this.choices.some(({ members }) => members.every(({ types }) => isWithin(types, this.types)));
    return keywords.size > 0;
  }

  /** The declared fields that can occur in a direction: no `readOnly` in a request, no `writeOnly` in an answer. */
  fields(side: Side): Map<string, Schema> {
    let fields = this.#fields.get(side);
    if (fields === undefined) {
      const hidden = side === "request" ? "readOnly" : "writeOnly";
      const names = new Set(this.all("properties").flatMap((declared) => Object.keys(declared ?? {})));
      const all = [...names].map((name) => [name, this.#anyField(name)] as const);
      fields = new Map(all.filter(([, field]) => !field[hidden]));
      this.#fields.set(side, fields);
    }
    return fields;
  }

  /** The required fields, without those that the contract leaves open. */
  required(side: Side): Set<string> {
    const names = this.all("required").flatMap(itemsOf).map(String);
    if (names.length === 0) return new Set();
    const hidden = side === "request" ? "readOnly" : "writeOnly";
    const fields = this.#named("properties");
    return new Set(
      names.filter((name) => {
        const field = fields.get(name);
        return field === undefined || !(field[hidden] || field.open);
      }),
    );
  }

  /** The schemas for fields whose names match a pattern. */
  get patterns(): Map<string, Schema> {
    return this.#named("patternProperties");
  }

  /** The schemas that also apply when a field is present. */
  get dependents(): Map<string, Schema> {
    return this.#named("dependentSchemas");
  }

  /** A declared field as written. */
  writtenField(name: string): Json | undefined {
    return this.all("properties").flatMap((fields) => member(fields, name) ?? [])[0];
  }

  #named(keyword: string): Map<string, Schema> {
    const raws = new Map<string, Json[]>();
    for (const value of this.all(keyword)) {
      for (const [name, raw] of entriesOf(value)) {
        const known = raws.get(name);
        if (known === undefined) raws.set(name, [raw]);
        else known.push(raw);
      }
    }
    return new Map([...raws].map(([name, list]) => [name, this.#schemas.joining(list)]));
  }

  /** The schema under a keyword; the schema that admits everything when it is absent. */
  child(...keywords: string[]): Schema {
    return this.#schemas.joining(
      keywords.flatMap((keyword) => this.all(keyword)).filter((raw) => !Array.isArray(raw)),
    );
  }

  /** A raw schema of the same document. */
  schemaOf(raw: Json): Schema {
    return this.#schemas.of(raw);
  }

  /** The demands of a keyword on the form of a value, without those that every value meets. */
  asked(keyword: string): Json[] {
    const isIdle = (value: Json): boolean =>
      value === false || (keyword === "pattern" && /^\^?(\.\*)?\$?$/.test(String(value)));
    const isWhole = keyword === "multipleOf" && this.types !== null && !this.types.has("number");
    return this.all(keyword).filter(
      (value) => !isIdle(value) && !(isWhole && Number.isInteger(1 / Number(value))),
    );
  }

  /** Whether any keyword may refuse a value. */
  get bindsAtAll(): boolean {
    return this.#never || this.#joined.excludesNull === true || this.keywords.size > 0;
  }

  /** The schema that admits everything. */
  get anything(): Schema {
    return this.#schemas.joining([]);
  }

  /** The schema of undeclared fields. */
  get extras(): Schema {
    return this.child("additionalProperties", "unevaluatedProperties");
  }

  /** The schema of a field: declared, matched by patterns, or any other. */
  field(name: string, side: Side): Schema {
    return this.fields(side).get(name) ?? this.#anyField(name, false);
  }

  /** Each part says what it asks of a field by itself: `additionalProperties` does not see the other parts. */
  #anyField(name: string, isDeclared = true): Schema {
    let isEvaluated = false;
    const asked = this.#parts.flatMap((part): Json[] => {
      const own = isDeclared ? member(part["properties"], name) : undefined;
      const matching = entriesOf(part["patternProperties"]).flatMap(([pattern, raw]) =>
        matches(pattern, name) ? [raw] : [],
      );
      const said = own === undefined ? matching : [own, ...matching];
      isEvaluated ||= said.length > 0 || part["additionalProperties"] !== undefined;
      return said.length > 0 ? said : [part["additionalProperties"] ?? []].flat();
    });
    return this.#schemas.joining(isEvaluated ? asked : this.all("unevaluatedProperties"));
  }

  /** The schemas of a list's first items. */
  get firstItems(): Schema[] {
    const lists = [...this.all("prefixItems"), ...this.all("items")].filter((list) => Array.isArray(list));
    const longest = Math.max(0, ...lists.map((list) => list.length));
    return Array.from({ length: longest }, (_, index) => this.item(index));
  }

  /** The schema of an item. */
  item(index: number): Schema {
    const raws = this.#parts.flatMap((part): Json[] => {
      const { items, prefixItems, additionalItems } = part;
      const first = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : [];
      const others = Array.isArray(items) ? additionalItems : items;
      return index < first.length ? [first[index]!] : others === undefined ? [] : [others];
    });
    return this.#schemas.joining(raws.length > 0 ? raws : this.all("unevaluatedItems"));
  }

  /** The schema of the remaining items. */
  get otherItems(): Schema {
    return this.item(Infinity);
  }
}

const onlyNull: JsonObject = { type: "null" };

/** Whether there is anything to choose from. */
const isChoice = (members: readonly Json[], hasNull: boolean): boolean =>
  members.length + Number(hasNull) > 1;

export const reachOf = ({ value }: Bound, sign: number): number => sign * value;

/** Whether some types include all of others; null means any. */
export function isWithin(types: Set<string> | null, others: Set<string> | null): boolean {
  if (others === null) return true;
  return (
    types !== null &&
    [...types].every((type) => others.has(type) || (type === "integer" && others.has("number")))
  );
}

/** Whether a schema may admit values of a type; `number` stands for whole ones too. */
export const mayBe = (schema: Schema, type: string): boolean =>
  schema.types === null || schema.types.has(type) || (type === "number" && schema.types.has("integer"));

export function matches(pattern: string, text: string): boolean {
  try {
    return new RegExp(pattern, "u").test(text);
  } catch {
    return false;
  }
}
