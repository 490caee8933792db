import type { Comparison, Mode, Pair } from "./comparison.ts";
import { canonical, entriesOf, member } from "./json.ts";
import type { Kind } from "./kinds.ts";
import { paired } from "./paired.ts";
import type { Choice, Schema } from "./schema.ts";
import { tagsOf, type Sets } from "./sets.ts";

/** Compares `anyOf` and `oneOf`. @returns true when there is nothing else to compare */
export function compareChoices(comparison: Comparison, pair: Pair): boolean {
  const { old, new: now } = pair;
  const [before, after] = [old.choices, now.choices].map((list) =>
    list.map((one) => flat(comparison.setsOf(pair), one)),
  );
  if (before!.length === 0 && after!.length === 0) return false;
  const mode: Mode = { ...pair.mode, isContained: comparison.isContained(pair) };
  const compare = (was: Choice, is: Choice): void => compareChoice(comparison, pair, mode, was, is);
  if (before!.length === 0 || after!.length === 0) {
    const [choice] = before!.length === 0 ? after! : before!;
    const [chosen, single] = before!.length === 0 ? [now, old] : [old, now];
    // When `X` becomes `anyOf: [X, Y]`, or the reverse, compare a choice of one with a choice of two.
    if (chosen.choices.length === 1 && !chosen.bindsBesideChoices && !single.isAnything) {
      const isNullable = choice!.members.some(({ admitsNull }) => admitsNull);
      const only = {
        ...choice!,
        members: [isNullable ? single : single.withoutNull],
        discriminator: undefined,
      };
      compareNull(pair);
      compare(before![0] ?? only, after![0] ?? only);
      return true;
    }
    for (const each of after!) constraint(pair, "added", undefined, each);
    for (const each of before!) constraint(pair, "removed", each, undefined);
    return false;
  }
  for (let index = 0; index < Math.max(before!.length, after!.length); index += 1) {
    const [was, is] = [before![index], after![index]];
    if (was === undefined) constraint(pair, "added", undefined, is!);
    else if (is === undefined) constraint(pair, "removed", was, undefined);
    else compare(was, is);
  }
  if (old.bindsBesideChoices || now.bindsBesideChoices) return false;
  compareNull(pair);
  return true;
}

/** Alternatives of alternatives as alternatives, where that admits the same. */
function flat(sets: Sets, choice: Choice): Choice {
  const members = choice.members.flatMap((one): Schema[] => {
    const [inner] = one.choices;
    if (inner === undefined || one.choices.length > 1 || one.bindsBesideChoices || inner.hasNull)
      return [one];
    const isUnion = choice.keyword === "anyOf" && inner.keyword === "anyOf";
    return isUnion || areExclusive(sets, inner) ? flat(sets, inner).members : [one];
  });
  return { ...choice, members };
}

function constraint(
  pair: Pair,
  how: "added" | "removed",
  was: Choice | undefined,
  is: Choice | undefined,
): void {
  const shown = (choice: Choice | undefined): unknown => choice?.members.map((one) => one.name ?? one.shown);
  pair.tell(`${pair.mode.side}_constraint_${how}`, {
    old: shown(was),
    new: shown(is),
    oldPointer: was?.pointer ?? pair.old.pointer,
    newPointer: is?.pointer ?? pair.new.pointer,
  });
}

/** Null was added to the alternatives, or removed. */
function compareNull(pair: Pair): void {
  const [before, after] = [pair.old.admitsNull, pair.new.admitsNull];
  if (before === after || pair.mode.text) return;
  const [was, is] = [before, after].map((admits) => (admits ? "or null" : "not null"));
  pair.tell(`${pair.mode.side}_type_${after ? "widened" : "narrowed"}`, { old: was, new: is });
}

function compareChoice(comparison: Comparison, pair: Pair, mode: Mode, was: Choice, is: Choice): void {
  const sets = comparison.setsOf(pair);
  const isRequest = mode.side === "request";
  const partners = matched(sets, was.members, is.members);
  for (const [one, other] of partners) {
    comparison.inside(pair, one.name === undefined ? "" : ` (${one.name})`, one, other, mode);
  }
  compareDiscriminators(pair, was, is, partners);
  const [left, right] = [new Set(was.members), new Set(is.members)];
  for (const [one, other] of partners) {
    left.delete(one);
    right.delete(other);
  }
  for (const one of left) {
    if (isRequest && sets.hasMember(is, one)) continue;
    pair.tell(`${mode.side}_alternative_removed`, { old: one.shown, oldPointer: one.pointer });
  }
  const overlap =
    mode.isContained === true || !isRequest ? new Map() : overlapsOf(sets, pair.old, was, is, partners);
  for (const [other, kind] of overlap) pair.tell(kind, { new: other.shown, newPointer: other.pointer });
  for (const other of right) {
    if (!isRequest && sets.hasMember(was, other)) continue;
    pair.tell(`${mode.side}_alternative_added`, { new: other.shown, newPointer: other.pointer });
  }
  if (mode.isContained !== true && !isRequest && isParted(sets, was, is, partners)) {
    const at = { oldPointer: was.pointer, newPointer: is.pointer };
    pair.tell("answer_alternative_overlap_lifted", { old: "oneOf", new: is.keyword, ...at });
  }
}

type Partners = ReadonlyMap<Schema, Schema>;
type OverlapKind = "request_alternative_overlaps" | "request_alternative_may_overlap";

/** The new alternatives of a `oneOf` that refuse an old value, since it fits another of them as well. */
function overlapsOf(
  sets: Sets,
  old: Schema,
  was: Choice,
  is: Choice,
  partners: Partners,
): Map<Schema, OverlapKind> {
  const found = new Map<Schema, OverlapKind>();
  if (is.keyword !== "oneOf" || is.discriminator !== undefined) return found;
  const origins = new Map([...partners].map(([one, other]) => [other, one]));
  /** Values that fitted two alternatives of a `oneOf` were refused before. */
  const isNoWider = (one: Schema): boolean => {
    const origin = origins.get(one);
    return (
      was.keyword === "oneOf" && was.members.length > 1 && origin !== undefined && sets.includes(origin, one)
    );
  };
  const wider = new Set(
    is.members.filter((one, index) => !isNoWider(one) || is.members.indexOf(one) < index),
  );
  const told = new Set<Schema>();
  for (const one of wider) {
    const all = is.members.toSpliced(is.members.indexOf(one), 1);
    const others = all.filter((other) => !told.has(other) && !sets.areApart(one, other));
    if (others.length === 0) continue;
    told.add(one);
    const isSure = others.some(
      (other) => (origins.has(other) && sets.includes(one, other)) || sets.share(one, other, old),
    );
    if (isSure || !(isTagged(sets, is) && isTagged(sets, was))) {
      found.set(one, isSure ? "request_alternative_overlaps" : "request_alternative_may_overlap");
    }
  }
  return found;
}

/** Whether values that fitted two alternatives of a `oneOf`, and so were excluded, may come now. */
function isParted(sets: Sets, was: Choice, is: Choice, partners: Partners): boolean {
  if (was.keyword !== "oneOf" || was.discriminator !== undefined || was.members.length < 2) return false;
  const isNoNarrower = (one: Schema): boolean => {
    const partner = partners.get(one);
    return is.keyword === "oneOf" && partner !== undefined && sets.includes(partner, one);
  };
  if (isTagged(sets, was) && isTagged(sets, is)) return false;
  return was.members.some(
    (one, index) =>
      !isNoNarrower(one) && was.members.toSpliced(index, 1).some((other) => !sets.areApart(one, other)),
  );
}

/** Whether alternatives are told apart by a field with other values in each, be it required or not. */
function isTagged({ side }: Sets, { members }: Choice): boolean {
  const [first, ...others] = members.map((one) => one.fields(side));
  return [...(first ?? [])].some(([name]) => {
    const lists = [first!, ...others].map((fields) => fields.get(name)?.values ?? null);
    const values = lists.flatMap((list) => list?.map((value) => canonical(value)) ?? []);
    return others.length > 0 && !lists.includes(null) && new Set(values).size === values.length;
  });
}

/** Whether no value fits two alternatives. */
function areExclusive(sets: Sets, { members, discriminator }: Choice): boolean {
  if (discriminator !== undefined) return true;
  return (
    members.length <= 100 &&
    members.every((one, index) => members.slice(index + 1).every((other) => sets.areApart(one, other)))
  );
}

/** Compares which alternative a value of the discriminating field means. */
function compareDiscriminators(pair: Pair, was: Choice, is: Choice, partners: Partners): void {
  if (canonical(was.discriminator) === canonical(is.discriminator) && was.discriminator === undefined) return;
  const at = { oldPointer: was.pointer, newPointer: is.pointer };
  const [field, now] = [was, is].map(({ discriminator }) => member(discriminator, "propertyName"));
  if (field !== now) {
    pair.tell("discriminator_changed", { old: was.discriminator, new: is.discriminator, ...at });
    return;
  }
  const [before, after] = [wireNames(was, String(field)), wireNames(is, String(field))];
  const known = new Set(partners.values());
  const tell = (kind: Kind, side: "old" | "new", name: string, one: Schema): void =>
    pair.tell(kind, { [side]: `${name}: ${one.name ?? "an alternative"}`, ...at });
  for (const [one, other, name] of paired(before, after)) {
    if (one === undefined) {
      if (known.has(other)) tell(`${pair.mode.side}_discriminator_value_added`, "new", name, other);
      continue;
    }
    const partner = partners.get(one);
    if (partner === undefined || other === partner) continue;
    const removed = `${pair.mode.side}_discriminator_value_removed` as const;
    tell(other === undefined ? removed : "discriminator_changed", "old", name, one);
  }
}

/** The values of the discriminating field: those of the mapping, else the names of the components. */
function wireNames({ members, discriminator }: Choice, field: string): Map<string, Schema> {
  const names = new Map<string, Schema>();
  const mapped = new Set<Schema>();
  for (const [value, target] of entriesOf(member(discriminator, "mapping"))) {
    const name = String(target)
      .split("/")
      .at(-1)!
      .replace(/\.(json|ya?ml)$/, "");
    const one = members.find((each) => each.name === name || each.pointer.endsWith(`/${name}`));
    if (one === undefined) continue;
    names.set(value, one);
    mapped.add(one);
  }
  for (const one of members) {
    // A constant of the field is compared with the field.
    const isConstant = (one.fields("answer").get(field)?.values ?? null) !== null;
    if (one.name !== undefined && !mapped.has(one) && !isConstant) names.set(one.name, one);
  }
  return names;
}

/** The alternatives of both sides that mean the same: by name, by words, by tag, by what they admit, by likeness. */
function matched(sets: Sets, before: readonly Schema[], after: readonly Schema[]): Map<Schema, Schema> {
  const { side } = sets;
  const found = new Map<Schema, Schema>();
  const free = new Set(after);
  const left = (): Schema[] => before.filter((one) => !found.has(one));
  const take = (one: Schema, other: Schema | undefined): void => {
    if (other === undefined) return;
    found.set(one, other);
    free.delete(other);
  };
  const by = (
    keyOf: (schema: Schema) => string | undefined,
    fits: (one: Schema, other: Schema) => boolean,
  ): void => {
    const index = new Map<string, Schema[]>();
    for (const other of free) {
      const key = keyOf(other);
      if (key !== undefined) index.set(key, [...(index.get(key) ?? []), other]);
    }
    for (const one of left()) {
      const candidates = index.get(keyOf(one) ?? "") ?? [];
      take(
        one,
        candidates
          .filter((other) => free.has(other))
          .slice(0, 16)
          .find((other) => fits(one, other)),
      );
    }
  };
  const always = (): boolean => true;
  const shapeOf = (schema: Schema): string =>
    canonical([[...(schema.types ?? [])].toSorted(), [...schema.fields(side).keys()].toSorted()]);
  by(({ name }) => name, always);
  by((schema) => canonical(schema.shown, 5000), always);
  by((schema) => {
    const [tag] = tagsOf(schema, side);
    return tag && canonical([tag[0], [...tag[1]]]);
  }, always);
  by(shapeOf, (one, other) => sets.areAlike(one, other));
  by((schema) => (schema.fields(side).size > 0 ? shapeOf(schema) : undefined), always);
  for (const one of left()) take(one, likest(one, free, side));
  by((schema) => (schema.fields(side).size === 0 ? shapeOf(schema) : undefined), always);
  return found;
}

/** Maximum number of alternatives looked at as the changed form of one. */
const maxLooked = 64;

/** The alternative that shares more than half of its fields, and most of all. */
function likest(one: Schema, free: ReadonlySet<Schema>, side: Sets["side"]): Schema | undefined {
  const fields = one.fields(side);
  if (fields.size === 0) return undefined;
  let [best, most] = [undefined as Schema | undefined, 0.5];
  let looked = 0;
  for (const other of free) {
    if ((looked += 1) > maxLooked) break;
    const names = other.fields(side);
    const shared =
      [...fields.keys()].filter((name) => names.has(name)).length / Math.max(fields.size, names.size);
    if (shared > most) [best, most] = [other, shared];
  }
  return best;
}
