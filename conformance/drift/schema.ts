import type { Document } from "./document.ts";
import { canonical, entriesOf, isObject, itemsOf, member, step, type Json, type JsonObject } from "./json.ts";
import { alternativesOf, choicesOf, isAnnotation, joining, type RawChoice } from "./raw-schema.ts";
import {
  anyType,
  isAnyType,
  isWithin,
  sharedTypes,
  typeOf,
  typesIn,
  typesNamed,
  without,
  type Types,
} from "./types.ts";

/** A direction of traffic: what clients send, or what servers answer. */
export type Side = "request" | "answer";

/** Alternatives: one of them must fit (`anyOf`), or exactly one (`oneOf`). */
export interface Choice {
  keyword: "anyOf" | "oneOf";
  members: Schema[];
  /** Null is an extra alternative, next to two or more. */
  hasNull: boolean;
  discriminator: Json | undefined;
  pointer: string;
}

/** The minimum or maximum of a value. */
export interface Bound {
  value: number;
  exclusive: boolean;
}

/** What has a minimum and a maximum, and the type of it. */
export const boundTypes = {
  imum: "number",
  Length: "string",
  Items: "array",
  Contains: "array",
  Properties: "object",
} as const;
export type BoundName = `${"min" | "max"}${keyof typeof boundTypes}`;

const ids = new WeakMap<object, number>();
let nextId = 0;

/** A number of a raw schema, unique among all documents. */
function idOf(part: Json): number {
  const id = ids.get(part as object) ?? (nextId += 1);
  ids.set(part as object, id);
  return id;
}

/** The schemas of one document in normal form, each created once. */
export class Schemas {
  readonly document: Document;
  readonly #own = new WeakMap<object, JsonObject>();
  readonly #byRaw = new Map<object, Schema>();
  readonly #byId = new Map<string, Schema>();

  constructor(document: Document) {
    this.document = document;
  }

  /** The normal form of a raw schema; an absent one, or `true`, admits everything. */
  of(raw: Json | undefined): Schema {
    return this.joining(raw === undefined ? [] : [raw]);
  }

  /** The normal form of raw schemas that must all match. */
  joining(raws: readonly Json[], excludesNull = false): Schema {
    const only = raws.length === 1 && isObject(raws[0]) && !excludesNull ? raws[0] : undefined;
    const known = only && this.#byRaw.get(only);
    if (known !== undefined) return known;
    const made = new Schema(this, raws, excludesNull);
    const schema = this.#byId.get(made.id) ?? made;
    this.#byId.set(made.id, schema);
    if (only !== undefined) this.#byRaw.set(only, schema);
    return schema;
  }

  /** A raw schema without the keywords whose schemas are joined with it. */
  ownPart(raw: JsonObject, merged: ReadonlySet<string>): JsonObject {
    const isWhole = !Object.keys(raw).some((name) => merged.has(name));
    const known = isWhole ? raw : this.#own.get(raw);
    if (known !== undefined) return known;
    const own = Object.fromEntries(Object.entries(raw).filter(([name]) => !merged.has(name)));
    this.#own.set(raw, this.document.derive(own, raw));
    return own;
  }

  isOpen(raw: Json): boolean {
    const reference = member(raw, "$ref");
    return (
      member(raw, "x-open") === true ||
      (typeof reference === "string" &&
        member(this.document.target(reference, raw as object), "x-open") === true)
    );
  }
}

/**
 * A schema in normal form: references resolved and `allOf` merged, so that equivalent schemas look the same however
 * they are written. Consists of the raw schemas that must all match; a recursive schema leads back to the same object.
 */
export class Schema {
  readonly id: string;
  /** Its location, after resolving its reference. */
  readonly pointer: string;
  /** The raw schemas as written, which must all match. */
  readonly roots: readonly Json[];
  /** Null is left out, whatever the schemas say of it. */
  readonly excludesNull: boolean;
  /** The open members of `allOf`, which are not binding. */
  readonly openParts: Json[] = [];
  /** The contract does not specify it (`x-open`). */
  open = false;
  readOnly = false;
  writeOnly = false;
  /** Null is admitted in addition to all else. */
  nullable = false;
  readonly #parts: JsonObject[] = [];
  #never = false;
  readonly #schemas: Schemas;
  readonly #known = new Map<string, unknown>();

  constructor(schemas: Schemas, roots: readonly Json[], excludesNull: boolean) {
    this.#schemas = schemas;
    this.roots = roots;
    this.excludesNull = excludesNull;
    const seen = new Set<object>();
    for (const raw of roots) {
      if (roots.length > 1 && schemas.isOpen(raw)) this.openParts.push(raw);
      else this.#join(raw, seen, roots.length === 1);
    }
    if (excludesNull) this.nullable = false;
    const [first] = this.#parts.length === 0 ? roots : this.#parts;
    this.pointer = this.document.pointerOf(first) ?? "";
    const flags = [this.open, this.#never, this.nullable, this.readOnly, this.writeOnly, excludesNull];
    const [ids, openIds] = [this.#parts, this.openParts].map((parts) => parts.map(idOf));
    this.id = [ids!.toSorted((one, other) => one - other), flags.map(Number), openIds].join("|");
  }

  /** @param isOnly whether nothing else must match, so that a null admitted here is admitted */
  #join(raw: Json | undefined, seen: Set<object>, isOnly: boolean): void {
    if (raw === false) this.#never = true;
    if (!isObject(raw) || seen.has(raw)) return;
    seen.add(raw);
    const targets = [raw["$ref"], raw["$dynamicRef"]]
      .filter((reference) => typeof reference === "string")
      .map((reference) => this.document.target(reference, raw));
    if (this.document.isOld && typeof raw["$ref"] === "string") return this.#join(targets[0], seen, isOnly);
    this.open ||= raw["x-open"] === true;
    this.readOnly ||= raw["readOnly"] === true;
    this.writeOnly ||= raw["writeOnly"] === true;
    const choices = choicesOf(raw);
    // Where another schema must match too, null stays one of two alternatives.
    const single = choices.filter(({ members, hasNull }) => members.length === 1 && (isOnly || !hasNull));
    const merged = new Set<string>([...joining, ...single.map(({ keyword }) => keyword)]);
    const isBinding = Object.keys(raw).some((name) => !isAnnotation(name) && !merged.has(name));
    if (isBinding) this.#parts.push(this.#schemas.ownPart(raw, merged));
    const inner = [...targets, ...itemsOf(raw["allOf"]), ...single.map(({ members }) => members[0])];
    const isUnlisted = ["type", "enum", "const"].every((name) => raw[name] === undefined);
    const isChosen = isUnlisted && choices.some(({ hasNull }) => hasNull);
    this.nullable ||= isOnly && (raw["nullable"] === true || isChosen);
    for (const part of inner) {
      const isOpen = inner.length > targets.length && part !== undefined && this.#schemas.isOpen(part);
      if (isOpen && !targets.includes(part)) this.openParts.push(part);
      else this.#join(part, seen, isOnly && !isBinding && inner.length === 1);
    }
  }

  /** What was found before under a name, or is found now. */
  #once<T>(name: string, find: () => T): T {
    if (!this.#known.has(name)) this.#known.set(name, find());
    return this.#known.get(name) as T;
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
    if (this.#never || this.excludesNull) return false;
    return this.open || this.#parts.every((part) => Object.keys(part).every(isAnnotation));
  }

  /** Admits nothing. */
  get isNothing(): boolean {
    return this.types.size === 0;
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

  /** The location of the first of some keywords that it has, or of the schema if it lacks them. */
  at(...keywords: string[]): string {
    const [found = this.pointer] = keywords.flatMap((keyword) => {
      const part = this.#parts.find((one) => Object.hasOwn(one, keyword));
      const pointer = part && this.document.pointerOf(part);
      return pointer === undefined ? [] : `${pointer}/${step(keyword)}`;
    });
    return found;
  }

  /** The admitted types. An `enum` has the types of its values. */
  get types(): Types {
    return this.#once("types", () => {
      const types = this.#parts
        .flatMap((part) => [typesIn(part), ...choicesOf(part).map((choice) => choice.types ?? anyType)])
        .concat(this.#never ? typesNamed([]) : [], this.values ? typesNamed(this.values.map(typeOf)) : [])
        .reduce(sharedTypes, anyType);
      if (isAnyType(types)) return types;
      return this.excludesNull
        ? without(types, "null")
        : new Set([...types, ...(this.nullable ? ["null"] : [])]);
    });
  }

  /** The values of `enum` and `const`; null when it lists none. */
  get values(): Json[] | null {
    return this.#once("values", () => {
      const withNull = (list: Json[], isNullable: boolean): Json[] =>
        isNullable && !list.includes(null) ? [...list, null] : list;
      const lists = this.#parts.flatMap((part) =>
        [part["enum"], "const" in part ? [part["const"]!] : undefined].flatMap((list) =>
          Array.isArray(list) ? [withNull(list, part["nullable"] === true)] : [],
        ),
      );
      if (lists.length === 0) return null;
      const values = lists.reduce((one, other) => {
        const known = new Set(other.map((value) => canonical(value)));
        return one.filter((value) => known.has(canonical(value)));
      });
      return this.excludesNull ? values.filter((value) => value !== null) : withNull(values, this.nullable);
    });
  }

  /** The same without null. */
  get withoutNull(): Schema {
    return this.excludesNull ? this : this.#schemas.joining(this.roots, true);
  }

  /** A bound in the form of OpenAPI 3.1; undefined when there is none or it has no effect. */
  bound(name: BoundName): Bound | undefined {
    const about = boundTypes[name.slice(3) as keyof typeof boundTypes];
    if (!mayBe(this, about)) return undefined;
    const sign = name.startsWith("min") ? 1 : -1;
    const exclusive = exclusiveOf(name);
    const isWhole = about !== "number" || !this.types.has("number");
    const multiple = about === "number" && this.all("multipleOf").find((one) => Number.isInteger(one));
    const step = Number(multiple || isWhole);
    let tightest: Bound | undefined;
    const tighten = (value: Json | undefined, isExclusive: boolean): void => {
      if (typeof value !== "number") return;
      const steps = (sign * value) / step;
      const least = step * (isExclusive ? Math.floor(steps) + 1 : Math.ceil(steps));
      const bound = step > 0 ? { value: sign * least, exclusive: false } : { value, exclusive: isExclusive };
      const isTighter = tightest === undefined || sign * bound.value > sign * tightest.value;
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
    return this.#once("choices", () =>
      this.#parts.flatMap((part) =>
        alternativesOf(part).map(({ keyword, members, hasNull }) => ({
          keyword,
          hasNull: hasNull && members.length > 1,
          members: [...members, ...(members.length === 1 ? [onlyNull] : [])].map((one) => this.schemaOf(one)),
          discriminator: part["discriminator"],
          pointer: `${this.document.pointerOf(part) ?? this.pointer}/${keyword}`,
        })),
      ),
    );
  }

  /** The ways to satisfy the first of its choices, each with all else that binds; null without a choice. */
  get cases(): Schema[] | null {
    return this.#once("cases", () => {
      const part = this.#parts.find((one) => alternativesOf(one).length > 0);
      if (part === undefined) return null;
      const [{ keyword, members, hasNull }] = alternativesOf(part) as [RawChoice];
      const { [keyword]: _choice, discriminator: _discriminator, ...others } = part;
      const binds = Object.keys(others).some((name) => !isAnnotation(name));
      const rest = binds ? [this.document.derive(others, part)] : [];
      const all = [...this.#parts.filter((one) => one !== part), ...rest];
      const found = [...members, ...(hasNull ? [onlyNull] : [])].map((one) =>
        this.#schemas.joining([...all, one], this.excludesNull),
      );
      return this.nullable ? [...found, this.schemaOf(onlyNull)] : found;
    });
  }

  /** The same with only that value of a field; without the field where no value is given. */
  withField(name: string, value: Json | undefined): Schema {
    const field: Json = value === undefined ? false : { const: value };
    return this.#once(`${name} ${canonical(field)}`, () => {
      const raw = this.document.derive({ properties: { [name]: field } }, this.#parts[0] ?? {});
      return this.#schemas.joining([...this.roots, raw]);
    });
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
    return this.#once(side, () => {
      const hidden = side === "request" ? "readOnly" : "writeOnly";
      const names = new Set(this.all("properties").flatMap((declared) => Object.keys(declared ?? {})));
      const all = [...names].map((name) => [name, this.#anyField(name)] as const);
      return new Map(all.filter(([, field]) => !field[hidden]));
    });
  }

  /** Whether a field is declared but does not occur in a direction. */
  isHidden(name: string, side: Side): boolean {
    return !this.fields(side).has(name) && this.writtenField(name) !== undefined;
  }

  /** The required fields, without those that the contract leaves open. */
  required(side: Side): Set<string> {
    const names = this.all("required").flatMap(itemsOf).map(String);
    const fields = names.length > 0 ? this.fields(side) : undefined;
    return new Set(names.filter((name) => !this.isHidden(name, side) && fields?.get(name)?.open !== true));
  }

  /** The required fields of an object for which a few values are listed, with these. */
  tags(side: Side): ReadonlyMap<string, ReadonlySet<string>> {
    return this.#once(`tags ${side}`, () => {
      const isObject = this.types.size === 1 && this.types.has("object");
      const listed = [...(isObject ? this.required(side) : [])].flatMap((name) => {
        const { values } = this.field(name, side);
        return values === null ? [] : [[name, new Set(values.map((value) => canonical(value)))] as const];
      });
      return new Map(listed);
    });
  }

  /** The schemas for fields whose names match a pattern. */
  get patterns(): Map<string, Schema> {
    return this.#named("patternProperties");
  }

  /** The schemas that also apply when a field is present. */
  get dependents(): Map<string, Schema> {
    return this.#named("dependentSchemas", "dependencies");
  }

  /** What applies to values that fit a schema, and what to the others. */
  get conditions(): { test: Schema; then: Schema; otherwise: Schema }[] {
    return this.#parts.flatMap(({ if: test, then, else: otherwise }) => {
      if (test === undefined) return [];
      return { test: this.schemaOf(test), then: this.schemaOf(then), otherwise: this.schemaOf(otherwise) };
    });
  }

  /** A declared field as written. */
  writtenField(name: string): Json | undefined {
    return this.all("properties").flatMap((fields) => member(fields, name) ?? [])[0];
  }

  #named(...keywords: string[]): Map<string, Schema> {
    const named = keywords.flatMap((keyword) => this.all(keyword).flatMap(entriesOf));
    const schemas = named.filter(([, raw]) => !Array.isArray(raw));
    return new Map(
      [...Map.groupBy(schemas, ([name]) => name)].map(([name, list]) => [
        name,
        this.#schemas.joining(list.map(([, raw]) => raw)),
      ]),
    );
  }

  /** The schema under a keyword; the schema that admits everything when it is absent. */
  child(...keywords: string[]): Schema {
    return this.#schemas.joining(
      keywords.flatMap((keyword) => this.all(keyword)).filter((raw) => !Array.isArray(raw)),
    );
  }

  /** A raw schema of the same document; an absent one admits everything. */
  schemaOf(raw: Json | undefined): Schema {
    return this.#schemas.of(raw);
  }

  /** The demands of a keyword on the form of a value, without those that every value meets. */
  asked(keyword: string): Json[] {
    const isIdle = (value: Json): boolean =>
      value === false || (keyword === "pattern" && /^(\^|\$|\^?\.\*\$?)?$/.test(String(value)));
    const isWhole = keyword === "multipleOf" && !this.types.has("number");
    return this.all(keyword).filter(
      (value) => !isIdle(value) && !(isWhole && Number.isInteger(1 / Number(value))),
    );
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

  /** The schema of an item; at infinity that of all that are not named. */
  item(index: number): Schema {
    const raws = this.#parts.flatMap((part): Json[] => {
      const { items, prefixItems, additionalItems } = part;
      const first = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : [];
      const others = Array.isArray(items) ? additionalItems : items;
      return index < first.length ? [first[index]!] : others === undefined ? [] : [others];
    });
    return this.#schemas.joining(raws.length > 0 ? raws : this.all("unevaluatedItems"));
  }
}

const onlyNull: JsonObject = { type: "null" };

/** The keyword of a bound that is itself excluded. */
export const exclusiveOf = (name: BoundName): string => `exclusive${name[0]!.toUpperCase()}${name.slice(1)}`;

/** Whether a schema may admit values of a type; `number` stands for whole ones too. */
export const mayBe = (schema: Schema, type: string): boolean =>
  schema.types.has(type === "number" ? "integer" : type);

/** Whether a text matches a pattern; undefined if the pattern is not valid. */
export function matches(pattern: string, text: string): boolean | undefined {
  try {
    return new RegExp(pattern, "u").test(text);
  } catch {
    return undefined;
  }
}
