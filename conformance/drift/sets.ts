import { compared, demandsOf, givenBy, type Known } from "./demands.ts";
import { holds } from "./holds.ts";
import { byText, canonical, kept, paired, type Json, type JsonObject } from "../../base/data.ts";
import { samplesOf } from "./samples.ts";
import { booleanOrNull, isWithin, namesOf, without } from "./types.ts";
import { boundTypes, mayBe, type Choice, type Schema, type Side } from "./schema.ts";

/** Maximum number of pairs of schemas examined for one question. */
const maxPairs = 2000;
/** Maximum number of alternatives tried for one value's schema, besides those that its name or tag points to. */
const maxTried = 24;

const jsonTypes = ["null", "boolean", "number", "string", "array", "object"];

/**
 * Schemas as sets of the values that they admit in one direction: whether one holds the other, and whether they share a
 * value. "Yes" is proved by the schemas' structure, "no" by a value, and all else is unknown.
 */
export class Sets {
  readonly side: Side;
  readonly #areSame: (one: Schema, other: Schema) => boolean;
  readonly #holdsAll = new Map<string, boolean>();
  readonly #apart = new Map<string, boolean>();
  readonly #samples = new Map<string, Json[]>();
  readonly #fitting = new Map<string, Map<Json, boolean>>();
  /** What is being proved, and what was proved with it: each pair may be assumed inside its own proof. */
  #assumed = new Set<string>();
  #steps = 0;

  /** @param areSame whether two schemas are written alike, so that they need not be looked at */
  constructor(side: Side, areSame: (one: Schema, other: Schema) => boolean = () => false) {
    this.side = side;
    this.#areSame = areSame;
  }

  /** Whether `outer` is known to admit every value of `inner`. */
  includes(outer: Schema, inner: Schema): boolean {
    // What is excluded is asked within another proof, whose assumptions are not those of this one.
    const assumed = this.#assumed;
    this.#assumed = new Set();
    this.#steps = 0;
    const isProved = this.#includes(outer, inner);
    for (const key of this.#assumed) this.#holdsAll.set(key, true);
    this.#assumed = assumed;
    return isProved;
  }

  /** Whether one alternative of a choice is known to admit every value of a schema. */
  hasMember({ members }: Choice, inner: Schema): boolean {
    return this.#candidates(members, inner).some((candidate) => this.includes(candidate, inner));
  }

  areAlike(one: Schema, other: Schema): boolean {
    return this.includes(one, other) && this.includes(other, one);
  }

  /** Whether a value is known that fits all of the schemas. */
  share(...schemas: Schema[]): boolean {
    return schemas
      .flatMap((schema) => this.samplesOf(schema))
      .some((value) => schemas.every((schema) => this.#fits(schema, value)));
  }

  /** Whether a schema admits a value. */
  holds = (schema: Schema, value: unknown): Known => holds(schema, value, this.side);

  /** Whether a schema surely admits a sample, which is asked for each two of many alternatives. */
  #fits(schema: Schema, sample: Json): boolean {
    const known = kept(this.#fitting, schema.id, () => new Map<Json, boolean>());
    return kept(known, sample, () => this.holds(schema, sample) === true);
  }

  /** Some values that a schema surely admits. */
  samplesOf(schema: Schema): Json[] {
    return kept(this.#samples, schema.id, () => samplesOf(schema, this.side));
  }

  #includes(outer: Schema, inner: Schema): boolean {
    if (outer === inner || outer.isAnything || inner.isNothing) return true;
    const key = `${outer.id} ${inner.id}`;
    const known = this.#holdsAll.get(key);
    if (known !== undefined) return known;
    if (this.#assumed.has(key)) return true;
    if (this.#areSame(outer, inner)) return true;
    this.#steps += 1;
    if (this.#steps > maxPairs) return false;
    const { size } = this.#assumed;
    this.#assumed.add(key);
    const isProved = this.#proveIncludes(outer, inner) || this.areApart(inner, inner);
    if (isProved) return true;
    // What a failed proof assumed is not proved; and if it ran out of steps, it says nothing about the pair itself.
    for (const assumption of [...this.#assumed].slice(size)) this.#assumed.delete(assumption);
    if (this.#steps <= maxPairs) this.#holdsAll.set(key, false);
    return false;
  }

  #proveIncludes(outer: Schema, inner: Schema): boolean {
    const values = inner.values ?? (isWithin(inner.types, booleanOrNull) ? [true, false, null] : null);
    if (values !== null) {
      return values.every((value) => this.holds(inner, value) === false || this.holds(outer, value) === true);
    }
    if (this.holds(inner, null) !== false && this.holds(outer, null) !== true) return false;
    if (mayBe(inner, "null")) return this.#includes(outer, inner.withoutNull);
    const { cases } = inner;
    if (cases !== null)
      return cases.every((schema) => this.#includes(outer, schema)) || this.#includesWhole(outer, inner);
    return (
      this.#keywordsInclude(outer, inner) && outer.choices.every((choice) => this.#isChosen(choice, inner))
    );
  }

  /** Whether a schema admits another, whose alternatives exclude each other's values, without a look at each by itself. */
  #includesWhole(outer: Schema, inner: Schema): boolean {
    if (inner.choices[0]?.keyword !== "oneOf" || outer.choices.length === 0) return false;
    const isSaid = ({ keyword, members }: Choice): boolean =>
      inner.choices.some((other) => keyword === other.keyword && this.#areAlike(members, other.members));
    const areMet =
      this.#keywordsInclude(outer, inner) &&
      outer.choices.every((choice) => isSaid(choice) || this.#isChosen(choice, inner, true));
    // Or exactly one of the same alternatives must fit in both, each with all else that binds.
    return areMet || (outer.choices[0]?.keyword === "oneOf" && this.#areAlike(outer.cases!, inner.cases!));
  }

  /** Whether two lists have the same alternatives, in any order. */
  #areAlike(members: readonly Schema[], others: readonly Schema[]): boolean {
    const free = new Set(others);
    if (members.length !== others.length) return false;
    return members.every((member) => {
      const match = this.#candidates([...free], member).find(
        (each) => free.has(each) && this.#includes(each, member) && this.#includes(member, each),
      );
      return match !== undefined && free.delete(match);
    });
  }

  #isChosen(choice: Choice, inner: Schema, isSplit = false): boolean {
    const { keyword, members } = choice;
    const match = this.#candidates(members, inner).find((candidate) => this.#includes(candidate, inner));
    if (match === undefined) {
      const isPart = (part: JsonObject): boolean => this.#isChosen(choice, inner.narrowed(part), true);
      return !isSplit && this.#splits(members, inner).some((parts) => parts.every(isPart));
    }
    if (keyword === "anyOf") return true;
    const others = members.toSpliced(members.indexOf(match), 1);
    return others.every((schema) => this.areApart(schema, inner));
  }

  /** How to divide what a schema admits, where no alternative has all: by the values of a field, and by type. */
  #splits(members: readonly Schema[], inner: Schema): JsonObject[][] {
    const { side } = this;
    const valuesOf = (schema: Schema, name: string) => schema.fields(side).get(name)?.values ?? [];
    const tag = inner
      .fields(side)
      .keys()
      .find((name) => {
        const { length } = valuesOf(inner, name);
        return (
          length > 1 && length <= maxTried && members.some((member) => valuesOf(member, name).length > 0)
        );
      });
    const types = namesOf(inner.types);
    const byType = types.length > 1 ? [types.map((type) => ({ type }))] : [];
    if (tag === undefined) return byType;
    const values: Json[] = valuesOf(inner, tag).map((value) => ({ const: value }));
    if (!inner.required(side).has(tag)) values.push(false);
    return [values.map((value) => ({ properties: { [tag]: value } })), ...byType];
  }

  /** The alternatives that may admit what a schema does: those of its name first, and only some of the others. */
  #candidates(members: readonly Schema[], inner: Schema): Schema[] {
    const likely = members.filter((member) => member.name !== undefined && member.name === inner.name);
    return [...likely, ...members.filter((member) => !this.#differInTag(member, inner)).slice(0, maxTried)];
  }

  /** Whether the keywords of a schema, apart from its choices, admit every value of another without choices. */
  #keywordsInclude(outer: Schema, inner: Schema): boolean {
    const isWhole = inner.all("multipleOf").some((step) => Number.isInteger(step));
    const types = isWhole ? without(inner.types, "number") : inner.types;
    if (!isWithin(types, outer.types) || outer.values !== null) return false;
    if (!this.#demandsInclude(outer, inner)) return false;
    const [needed, given] = [outer.required(this.side), inner.required(this.side)];
    if (mayBe(inner, "object") && !needed.isSubsetOf(given)) return false;
    const isMet = this.#inside(outer, inner).every(([whole, ...parts]) =>
      parts.some((part) => this.#includes(whole, part)),
    );
    const excluded = byText(inner.all("not"));
    const isFree = (raw: Json): boolean =>
      excluded.has(canonical(raw)) || this.areApart(outer.schemaOf(raw), inner);
    if (!isMet || !outer.all("not").every(isFree)) return false;
    return [...outer.keywords].every((name) => {
      const isIdle = !undecidedTypes(name).some((type) => mayBe(inner, type));
      const isSaid = canonical(outer.all(name)) === canonical(inner.all(name));
      return isIdle || isSaid || (name === "contains" && this.#isContained(outer, inner));
    });
  }

  /** Whether the item that a list must hold is one that another asks for, where neither counts them. */
  #isContained(outer: Schema, inner: Schema): boolean {
    const areCounted = [outer, inner].some((schema) => schema.all("minContains", "maxContains").length > 0);
    if (areCounted || inner.all("contains").length !== 1) return false;
    return this.#includes(outer.child("contains"), inner.child("contains"));
  }

  /** What one schema says of each part of a value, with what another says, of which one thing must be as strict. */
  *#inside(outer: Schema, inner: Schema): Generator<[outer: Schema, ...inner: Schema[]]> {
    const { side } = this;
    if (mayBe(inner, "object")) {
      for (const [, , name] of paired(outer.fields(side), inner.fields(side)))
        yield [outer.field(name, side), inner.field(name, side)];
      // What a pattern of one schema matches is an undeclared field of the other.
      for (const [was = inner.extras, is = outer.extras] of paired(inner.patterns, outer.patterns))
        yield [is, was];
      yield [outer.extras, inner.extras];
      yield [outer.child("propertyNames"), inner.child("propertyNames")];
      for (const [name, dependent] of outer.dependents)
        if (!inner.field(name, side).isNothing) yield [dependent, inner, inner.dependents.get(name) ?? inner];
    }
    const length = Math.max(outer.firstItems.length, inner.firstItems.length);
    for (let index = 0; index <= length && mayBe(inner, "array"); index += 1)
      yield [outer.item(index), inner.item(index)];
    for (const [test, then, otherwise] of outer.conditions) {
      const alike = inner.conditions.filter(
        ([other]) => this.#includes(test, other) && this.#includes(other, test),
      );
      if (!this.areApart(test, inner)) yield [then, inner, ...alike.map(([, one]) => one)];
      if (!this.#includes(test, inner)) yield [otherwise, inner, ...alike.map(([, , one]) => one)];
    }
  }

  /** Whether each demand of a schema is met by one of another. */
  #demandsInclude(outer: Schema, inner: Schema): boolean {
    return [...demandsOf(outer)].every(([demand, demanded]) => {
      if (!demand.types.some((type) => mayBe(inner, type))) return true;
      const given = givenBy(inner, demand);
      return demanded.every((asked) => given.some((one) => demand.implies(one, asked)));
    });
  }

  /** Whether no value is known to fit both; one that no value fits at all is apart from itself. */
  areApart(one: Schema, other: Schema): boolean {
    if (one.isNothing || other.isNothing) return true;
    if (one.isAnything || other.isAnything) return false;
    const [first, second] = one.id < other.id ? [one, other] : [other, one];
    const key = `${first.id} ${second.id}`;
    return kept(this.#apart, key, () => {
      // Until it is proved, and wherever a schema leads back to itself, they may share a value.
      this.#apart.set(key, false);
      return this.#proveApart(first, second);
    });
  }

  #proveApart(one: Schema, other: Schema): boolean {
    const types = jsonTypes.filter((type) => mayBe(one, type) && mayBe(other, type));
    if (types.length === 0) return true;
    const ways = bothWays(one, other);
    const values = one.values ?? other.values;
    if (values !== null)
      return values.every((value) => [one, other].some((each) => this.holds(each, value) === false));
    if (this.#differInTag(one, other)) return true;
    for (const [chosen, schema] of ways) {
      if (chosen.cases !== null) return chosen.cases.every((each) => this.areApart(each, schema));
    }
    // What `not` says is nothing to a null that is admitted in addition.
    const isExcluded = ([excluding, schema]: readonly [Schema, Schema]): boolean =>
      !(excluding.nullable && types.includes("null")) &&
      excluding.all("not").some((raw) => this.includes(excluding.schemaOf(raw), schema));
    if (ways.some(isExcluded)) return true;
    return types.every((type) => this.#areApartAs(type, one, other));
  }

  #areApartAs(type: string, one: Schema, other: Schema): boolean {
    const { side } = this;
    const both = [one, other];
    const isBeyond = ([low, high]: readonly [Schema, Schema]): boolean =>
      (["imum", "Length", "Items", "Properties"] as const).some((about) => {
        if (boundTypes[about] !== type) return false;
        const [min, max] = [low.bound(`min${about}`), high.bound(`max${about}`)];
        if (min === undefined || max === undefined) return false;
        return min.value > max.value || (min.value === max.value && (min.exclusive || max.exclusive));
      });
    if (bothWays(one, other).some(isBeyond)) return true;
    const isFilled = both.some((each) => (each.bound("minItems")?.value ?? 0) > 0);
    if (type === "array") return isFilled && this.areApart(one.item(0), other.item(0));
    if (type !== "object") return false;
    const needed = one.required(side).union(other.required(side));
    const isFull = both.some((each) => needed.size > (each.bound("maxProperties")?.value ?? Infinity));
    const isRefused = (name: string): boolean =>
      this.areApart(one.field(name, side), other.field(name, side)) ||
      both.some((each) => this.holds(each.child("propertyNames"), name) === false);
    return isFull || [...needed].some(isRefused);
  }

  /** Whether a field that both need has different values in each, which quickly separates alternatives. */
  #differInTag(one: Schema, other: Schema): boolean {
    const tags = other.tags(this.side);
    return [...one.tags(this.side)].some(([name, values]) => tags.get(name)?.isDisjointFrom(values));
  }
}

/** The types of whose values it is unknown what a keyword admits of them, unless another is equal. */
function undecidedTypes(keyword: string): readonly string[] {
  if (/^(contains|(min|max)Contains|(unevaluated|additional)Items)$/.test(keyword)) return ["array"];
  if (keyword === "contentSchema") return ["string"];
  return compared.has(keyword) && !keyword.startsWith("x-") ? [] : jsonTypes;
}

const bothWays = (one: Schema, other: Schema): (readonly [Schema, Schema])[] => [
  [one, other],
  [other, one],
];
