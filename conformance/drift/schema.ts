import type { Document } from "./document.ts";
import { byText, canonical, entriesOf, isObject, itemsOf, kept, member, step } from "../../base/data.ts";
import type { Json, JsonObject } from "../../base/data.ts";
import { bindingIn, choicesOf, joining, typesOf } from "./raw-schema.ts";
import { booleanOrNull, isAnyType, isWithin, sharedTypes, typeOf, typesNamed, without } from "./types.ts";
import type { Types } from "./types.ts";

/** A direction of traffic: what clients send, or what servers answer. */
export type Side = "request" | "answer";

/** Alternatives: one of them must fit (`anyOf`), or exactly one (`oneOf`). */
export interface Choice {
  keyword: "anyOf" | "oneOf";
  members: Schema[];
  /** The raw schema that says it. */
  part: JsonObject;
  /** The alternatives as written, null among them. */
  ways: Json[];
  discriminator: Json | undefined;
  pointer: string;
}

/** The minimum or maximum of a value; a bigint where no number holds it exactly. */
export interface Bound {
  value: number | bigint;
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
const idOf = (part: Json): number => kept(ids, part as object, () => (nextId += 1));

/** The schemas of one document in normal form, each created once. */
export class Schemas {
  readonly document: Document;
  readonly #own = new Map<string, JsonObject>();
  readonly #byRaw = new Map<object, Schema>();
  readonly #byId = new Map<string, Schema>();

  constructor(document: Document) {
    this.document = document;
  }

  /** The normal form of a raw schema; an absent one, or `true`, admits everything. */
  of(raw: Json | undefined): Schema {
    return this.joining(raw === undefined ? [] : [raw]);
  }

  /** The normal form of raw schemas that must all match; an absent one is where the schema around it is. */
  joining(raws: readonly Json[], excludesNull = false, around?: Schema): Schema {
    const make = (): Schema => {
      const made = new Schema(this, raws, excludesNull, around);
      return kept(this.#byId, made.id, () => made);
    };
    const [only] = raws;
    return raws.length === 1 && isObject(only) && !excludesNull ? kept(this.#byRaw, only, make) : make();
  }

  /** A raw schema without the keywords whose schemas are joined with it. */
  ownPart(raw: JsonObject, merged: ReadonlySet<string>): JsonObject {
    const own = Object.entries(raw).filter(([name]) => !merged.has(name));
    if (own.length === Object.keys(raw).length) return raw;
    // What is merged depends on what else must match.
    const key = [idOf(raw), ...own.map(([name]) => name)].join(" ");
    return kept(this.#own, key, () => this.document.derive(Object.fromEntries(own), raw));
  }

  isOpen(raw: Json): boolean {
    const reference = member(raw, "$ref");
    const target = typeof reference === "string" && this.document.target(reference, raw as JsonObject);
    return [raw, target].some((schema) => member(schema, "x-open") === true);
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
  /** The raw schema that says everything, behind references. */
  #place: JsonObject | undefined;
  readonly #schemas: Schemas;
  readonly #known = new Map<string, unknown>();

  constructor(schemas: Schemas, roots: readonly Json[], excludesNull: boolean, around?: Schema) {
    this.#schemas = schemas;
    this.roots = roots;
    this.excludesNull = excludesNull;
    const seen = new Set<object>();
    for (const raw of roots) {
      if (roots.length > 1 && schemas.isOpen(raw)) this.openParts.push(raw);
      else this.#join(raw, seen, roots.length === 1);
    }
    this.pointer =
      this.#schemas.document.pointerOf(this.#place ?? this.#parts[0] ?? roots[0]) ?? around?.pointer ?? "";
    const flags = [this.open, this.#never, this.nullable, this.readOnly, this.writeOnly, excludesNull];
    const [ids, openIds] = [this.#parts, this.openParts].map((parts) => parts.map(idOf));
    // One that says nothing still has a place.
    const said = ids!.length > 0 ? ids!.toSorted((one, other) => one - other) : this.pointer;
    this.id = [said, flags.map(Number), openIds].join("|");
  }

  /** @param isOnly whether nothing else must match, so that a null admitted here is admitted */
  #join(raw: Json | undefined, seen: Set<object>, isOnly: boolean): void {
    if (raw === false) this.#never = true;
    if (!isObject(raw) || seen.has(raw)) return;
    seen.add(raw);
    if (isOnly) this.#place = raw;
    const targets = [raw["$ref"], raw["$dynamicRef"]]
      .filter((reference) => typeof reference === "string")
      .map((reference) => this.#schemas.document.target(reference, raw));
    if (this.#schemas.document.isOld && typeof raw["$ref"] === "string")
      return this.#join(targets[0], seen, isOnly);
    this.open ||= raw["x-open"] === true;
    this.readOnly ||= raw["readOnly"] === true;
    this.writeOnly ||= raw["writeOnly"] === true;
    const choices = choicesOf(raw);
    // Where another schema must match too, null stays one of two alternatives.
    const single = choices.filter(({ members, hasNull }) => members.length === 1 && (isOnly || !hasNull));
    const merged = new Set<string>([...joining, ...single.map(({ keyword }) => keyword)]);
    const isBinding = bindingIn(raw).some((name) => !merged.has(name));
    if (isBinding) this.#parts.push(this.#schemas.ownPart(raw, merged));
    const inner = [...targets, ...itemsOf(raw["allOf"]), ...single.map(({ members }) => members[0])];
    const mentionsNull = raw["nullable"] === true || choices.some(({ hasNull }) => hasNull);
    this.nullable ||= isOnly && mentionsNull && !this.excludesNull;
    for (const part of inner) {
      if (part !== undefined && !targets.includes(part) && this.#schemas.isOpen(part))
        this.openParts.push(part);
      else this.#join(part, seen, isOnly && !isBinding && inner.length === 1);
    }
  }

  /** What was found before under a name, or is found now. */
  #once<Value>(name: string, find: () => Value): Value {
    if (!this.#known.has(name)) this.#known.set(name, find());
    return this.#known.get(name) as Value;
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
    return !this.#never && !this.excludesNull && (this.open || this.#parts.length === 0);
  }

  /** Admits nothing. */
  get isNothing(): boolean {
    return this.types.size === 0;
  }

  /** The distinct values of each of some keywords in the schemas that this one consists of. */
  all(...keywords: string[]): Json[] {
    return keywords.flatMap((keyword) => {
      const values = this.#parts.flatMap((part) => (Object.hasOwn(part, keyword) ? [part[keyword]!] : []));
      return values.length < 2 ? values : [...byText(values).values()];
    });
  }

  /** The binding keywords. */
  get keywords(): ReadonlySet<string> {
    return this.#once("keywords", () => new Set(this.#parts.flatMap(bindingIn)));
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
      const part = this.#parts.find((part) => Object.hasOwn(part, keyword));
      const pointer = part && this.#schemas.document.pointerOf(part);
      return pointer === undefined ? [] : `${pointer}/${step(keyword)}`;
    });
    return found;
  }

  /** The admitted types. An `enum` has the types of its values. */
  get types(): Types {
    return this.#once("types", () => {
      const listed = this.#never ? [] : this.#listed?.map(typeOf);
      const types = sharedTypes([...this.#parts.map(typesOf), ...(listed ? [typesNamed(listed)] : [])]);
      if (isAnyType(types)) return types;
      return this.excludesNull
        ? without(types, "null")
        : new Set([...types, ...(this.nullable ? ["null"] : [])]);
    });
  }

  /** The values of `enum` and `const`; null when it lists none, or both booleans, which the type says as well. */
  get values(): Json[] | null {
    const listed = this.#listed;
    const isType = [true, false].every((value) => listed?.includes(value)) && this.types.has("boolean");
    return isType && isWithin(this.types, booleanOrNull) ? null : listed;
  }

  get #listed(): Json[] | null {
    return this.#once("listed", () => {
      const withNull = (list: Json[], isNullable: boolean): Json[] =>
        isNullable && !list.includes(null) ? [...list, null] : list;
      const lists = this.#parts.flatMap((part) =>
        [part["enum"], "const" in part ? [part["const"]!] : undefined]
          .filter((list) => Array.isArray(list))
          .map((list) => withNull(list, part["nullable"] === true)),
      );
      if (lists.length === 0) return null;
      const values = lists.reduce((one, other) => {
        const known = byText(other);
        return one.filter((value) => known.has(canonical(value)));
      });
      return this.excludesNull ? values.filter((value) => value !== null) : withNull(values, this.nullable);
    });
  }

  /** The same without null. */
  get withoutNull(): Schema {
    return this.excludesNull ? this : this.#once("not null", () => this.#schemas.joining(this.roots, true));
  }

  /** A bound in the form of OpenAPI 3.1; undefined when there is none or it has no effect. */
  bound(name: BoundName): Bound | undefined {
    const about = boundTypes[name.slice(3) as keyof typeof boundTypes];
    if (!mayBe(this, about)) return undefined;
    const isWhole = about !== "number" || !this.types.has("number");
    const multiple = about === "number" && this.all("multipleOf").find((value) => Number.isInteger(value));
    const step = Number(multiple || isWhole);
    const sign = signOf(name);
    const tightest = this.#parts
      .flatMap((part) => boundsIn(part, name))
      .map((bound) => (step === 0 ? bound : wholeBound(bound, sign, step)))
      .reduce<Bound | undefined>(
        (one, other) => (one && impliesBound(name, one, other) ? one : other),
        undefined,
      );
    const isIdle = about !== "number" && sign > 0 && tightest?.value === Number(name === "minContains");
    return isIdle ? undefined : tightest;
  }

  /** The alternatives that are not merely types. */
  get choices(): Choice[] {
    return this.#once("choices", () =>
      this.#parts.flatMap((part) =>
        choicesOf(part).flatMap(({ keyword, members, hasNull, types }) => {
          if (types !== null) return [];
          const ways = [...members, ...(hasNull ? [onlyNull] : [])];
          const pointer = `${this.#schemas.document.pointerOf(part) ?? this.pointer}/${keyword}`;
          // Next to two or more, null is compared as a type.
          const compared = (members.length > 1 ? members : ways).map((alternative) =>
            this.schemaOf(alternative),
          );
          return { keyword, part, ways, members: compared, discriminator: part["discriminator"], pointer };
        }),
      ),
    );
  }

  /** The ways to satisfy the first of its choices, each with all else that binds; null without a choice. */
  get cases(): Schema[] | null {
    return this.#once("cases", () => {
      const [choice] = this.choices;
      if (choice === undefined) return null;
      const { part, keyword, ways } = choice;
      const rest = this.#schemas.ownPart(part, new Set([keyword, "discriminator"]));
      const others = [...this.#parts.filter((other) => other !== part), rest];
      const all = others.filter((other) => bindingIn(other).length > 0);
      const joined = ways.map((way) => this.#schemas.joining([...all, way], this.excludesNull));
      return this.nullable ? [...joined, this.schemaOf(onlyNull)] : joined;
    });
  }

  /** The same as far as another raw schema admits it. */
  narrowed(by: JsonObject): Schema {
    return this.#once(`with ${canonical(by)}`, () => this.#schemas.joining([...this.roots, by]));
  }

  /** Whether anything besides its alternatives is binding. */
  get bindsBesideChoices(): boolean {
    const others = new Set(this.keywords).difference(new Set(["anyOf", "oneOf", "discriminator"]));
    // Alternatives that are merely types are a type.
    if (this.#parts.some((part) => choicesOf(part).some(({ types }) => types !== null))) others.add("type");
    // A type that every alternative has is redundant.
    if ([...others].join() !== "type") return others.size > 0;
    return !this.choices.some(({ members }) => members.every(({ types }) => isWithin(types, this.types)));
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
    return this.#once(`required ${side}`, () => {
      const names = this.all("required").flatMap(itemsOf).map(String);
      const isOpen = (name: string): boolean => this.fields(side).get(name)?.open === true;
      return new Set(names.filter((name) => !this.isHidden(name, side) && !isOpen(name)));
    });
  }

  /** The schema of a field that it declares, or that each alternative of a choice does. */
  declaredField(name: string, side: Side): Schema | undefined {
    const field = this.fields(side).get(name);
    const choice = this.choices.find(({ members }) =>
      members.every((member) => member.fields(side).has(name)),
    );
    if (field !== undefined || choice === undefined) return field;
    return this.#once(`field ${side} ${name}`, () => {
      const fields = choice.members.map((member) => ({ allOf: [...member.fields(side).get(name)!.roots] }));
      return this.schemaOf(this.#schemas.document.derive({ anyOf: fields }, choice.part));
    });
  }

  /** The fields that it declares, or one of its alternatives. */
  declared(side: Side): ReadonlySet<string> {
    return this.#once(`declared ${side}`, () => {
      const all = new Set<Schema>([this]);
      for (const { choices } of all)
        for (const schema of choices.flatMap(({ members }) => members)) all.add(schema);
      return new Set([...all].flatMap((schema) => [...schema.fields(side).keys()]));
    });
  }

  /** Whether it requires a field, or each alternative of a choice does. */
  needs(name: string, side: Side): boolean {
    const isNeeded = (schema: Schema): boolean => schema.required(side).has(name);
    return isNeeded(this) || this.choices.some(({ members }) => members.every(isNeeded));
  }

  /** The required fields of an object for which a few values are listed, with these. */
  tags(side: Side): ReadonlyMap<string, ReadonlySet<string>> {
    return this.#once(`tags ${side}`, () => {
      const names = [...this.types].join() === "object" ? this.required(side) : [];
      const listed = [...names].map((name) => [name, this.field(name, side).values] as const);
      return new Map(
        listed.flatMap(([name, values]) => (values === null ? [] : [[name, new Set(byText(values).keys())]])),
      );
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
  get conditions(): [test: Schema, then: Schema, otherwise: Schema][] {
    return this.#parts.flatMap(({ if: test, then, else: otherwise }) =>
      test === undefined ? [] : [[this.schemaOf(test), this.schemaOf(then), this.schemaOf(otherwise)]],
    );
  }

  /** A declared field as written. */
  writtenField(name: string): Json | undefined {
    return this.all("properties").flatMap((fields) => member(fields, name) ?? [])[0];
  }

  #named(...keywords: string[]): Map<string, Schema> {
    return this.#once(`named ${keywords.join()}`, () => {
      const named = Map.groupBy(this.all(...keywords).flatMap(entriesOf), ([name]) => name);
      return new Map(
        [...named].map(([name, list]) => [name, this.#schemas.joining(list.map(([, raw]) => raw))]),
      );
    });
  }

  /** The schema under some keywords; the one that admits everything when they are absent. */
  child(...keywords: string[]): Schema {
    return this.#once(`in ${keywords.join()}`, () =>
      this.#schemas.joining(this.all(...keywords), false, this),
    );
  }

  /** A raw schema of the same document; an absent one admits everything. */
  schemaOf(raw: Json | undefined): Schema {
    return this.#schemas.of(raw);
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
    const asked = this.#parts.flatMap((part): Json[] => {
      if (this.schemaOf(part["propertyNames"]).values?.includes(name) === false) return [false];
      const declared = isDeclared ? member(part["properties"], name) : undefined;
      const matching = entriesOf(part["patternProperties"]).flatMap(([pattern, raw]) =>
        matches(pattern, name) ? [raw] : [],
      );
      const said = declared === undefined ? matching : [declared, ...matching];
      return said.length > 0 ? said : [part["additionalProperties"] ?? []].flat();
    });
    return this.#schemas.joining(asked.length > 0 ? asked : this.all("unevaluatedProperties"), false, this);
  }

  /** The schemas of a list's first items. */
  get firstItems(): Schema[] {
    const lists = this.all("prefixItems", "items").map(itemsOf);
    const length = Math.max(0, ...lists.map((list) => list.length));
    return Array.from({ length }, (_, index) => this.item(index));
  }

  /** The schema of an item; at infinity that of all that are not named. */
  item(index: number): Schema {
    return this.#once(`item ${index}`, () => {
      const raws = this.#parts.flatMap((part): Json[] => {
        const { items, prefixItems, additionalItems } = part;
        const first = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : [];
        const others = Array.isArray(items) ? additionalItems : items;
        return index < first.length ? [first[index]!] : others === undefined ? [] : [others];
      });
      return this.#schemas.joining(raws.length > 0 ? raws : this.all("unevaluatedItems"), false, this);
    });
  }
}

/** The bounds that a raw schema states, in the form of OpenAPI 3.0 or of 3.1. */
function boundsIn(part: JsonObject, name: BoundName): Bound[] {
  const exclusive = exclusiveOf(name);
  const stated: { value: unknown; exclusive: boolean }[] = [
    { value: part[name], exclusive: part[exclusive] === true },
    { value: part[exclusive], exclusive: true },
  ];
  return stated.filter((bound): bound is Bound => ["number", "bigint"].includes(typeof bound.value));
}

/** The outermost multiple of a step within a bound. */
function wholeBound({ value, exclusive }: Bound, sign: number, step: number): Bound {
  if (typeof value === "bigint") return { value: value + (exclusive ? BigInt(sign) : 0n), exclusive: false };
  const steps = (sign * value) / step;
  const least = exclusive ? Math.floor(steps) + 1 : Math.ceil(steps);
  return { value: sign * step * least, exclusive: false };
}

const signOf = (name: BoundName): number => (name.startsWith("min") ? 1 : -1);

const onlyNull: JsonObject = { type: "null" };

/** The keyword of a bound that is itself excluded. */
export const exclusiveOf = (name: BoundName): string => `exclusive${name[0]!.toUpperCase()}${name.slice(1)}`;

/** Whether a schema may admit values of a type; `number` stands for whole ones too. */
export const mayBe = ({ types, excludesNull }: Schema, type: string): boolean =>
  types.has(type === "number" ? "integer" : type) && !(excludesNull && type === "null");

/** Whether every value within a bound is within another of that name. */
export function impliesBound(name: BoundName, given: Bound, asked: Bound): boolean {
  const [lower, higher] = [given.value < asked.value, given.value > asked.value];
  const isBeyond = signOf(name) > 0 ? higher : lower;
  return isBeyond || (!lower && !higher && (given.exclusive || !asked.exclusive));
}

/** Whether a text matches a pattern; undefined if the pattern is not valid. */
export function matches(pattern: Json, text: Json): boolean | undefined {
  try {
    return new RegExp(String(pattern), "u").test(String(text));
  } catch {
    return undefined;
  }
}
