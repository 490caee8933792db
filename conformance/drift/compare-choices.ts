import type { Mode, Pair } from "./pair.ts";
import { canonical, entriesOf, member, paired } from "./json.ts";
import { matched, type Partners } from "./matched.ts";
import type { Choice, Schema } from "./schema.ts";
import type { Sets } from "./sets.ts";

/** Compares `anyOf` and `oneOf`. @returns true when there is nothing else to compare */
export function compareChoices(pair: Pair): boolean {
  const { old, new: now } = pair;
  const flatIn = ({ choices }: Schema): Choice[] => choices.map((one) => flat(pair.sets, one));
  const [before, after] = [flatIn(old), flatIn(now)];
  if (before.length === 0 && after.length === 0) return false;
  const [chosen, single] = before.length === 0 ? [now, old] : [old, now];
  const isOneSided = before.length === 0 || after.length === 0;
  if (isOneSided && chosen.choices.length === 1 && !chosen.bindsBesideChoices && !single.isAnything) {
    // When `X` becomes `anyOf: [X, Y]`, or the reverse, compare a choice of one with a choice of two.
    const choice = (before[0] ?? after[0])!;
    const isNullable = choice.members.some((one) => pair.sets.holds(one, null) === true);
    const members = [isNullable ? single : single.withoutNull];
    const only = { ...choice, members, discriminator: undefined };
    compareNull(pair);
    compareChoice(pair, before[0] ?? only, after[0] ?? only);
    return true;
  }
  for (let index = 0; index < Math.max(before.length, after.length); index += 1) {
    const [was, is] = [before[index], after[index]];
    if (was !== undefined && is !== undefined) compareChoice(pair, was, is);
    else {
      const shown = (choice?: Choice) => choice?.members.map((one) => one.name ?? one.shown);
      const at = { ...(was && { oldPointer: was.pointer }), ...(is && { newPointer: is.pointer }) };
      const how = was === undefined ? "added" : "removed";
      pair.add(`${pair.mode.side}_constraint_${how}`, { old: shown(was), new: shown(is), ...at });
    }
  }
  if (isOneSided || old.bindsBesideChoices || now.bindsBesideChoices) return false;
  compareNull(pair);
  return true;
}

/** Flattens alternatives of alternatives, where that admits the same. */
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

/** Null was added to the alternatives, or removed. */
function compareNull(pair: Pair): void {
  const [before, after] = [pair.old, pair.new].map((one) => pair.sets.holds(one, null) === true);
  if (before === after || pair.mode.text) return;
  const [was, is] = [before, after].map((admits) => (admits ? "or null" : "not null"));
  pair.add(`${pair.mode.side}_type_${after ? "widened" : "narrowed"}`, { old: was, new: is });
}

function compareChoice(pair: Pair, was: Choice, is: Choice): void {
  const { sets, isContained } = pair;
  const mode: Mode = { ...pair.mode, isContained };
  const isRequest = mode.side === "request";
  const partners = matched(sets, was.members, is.members);
  for (const [one, other] of partners)
    pair.inside(one.name === undefined ? "" : ` (${one.name})`, one, other, mode);
  compareDiscriminators(pair, was, is, partners);
  const origins = new Map([...partners].map(([one, other]) => [other, one]));
  for (const one of new Set(was.members)) {
    if (!partners.has(one) && !(isRequest && sets.hasMember(is, one)))
      pair.add(`${mode.side}_alternative_removed`, { old: one.shown, oldPointer: one.pointer });
  }
  for (const other of new Set(is.members)) {
    if (!origins.has(other) && (isRequest || !sets.hasMember(was, other)))
      pair.add(`${mode.side}_alternative_added`, { new: other.shown, newPointer: other.pointer });
  }
  if (!isContained) compareOverlaps(pair, was, is, isRequest ? origins : partners);
}

/**
 * Exactly one alternative of a `oneOf` may fit: a request is refused if a new one is wider and fits a value of another;
 * an excluded answer becomes possible if an old one that shared values with another is narrower.
 */
function compareOverlaps(pair: Pair, was: Choice, is: Choice, partners: Partners): void {
  const { sets, mode } = pair;
  const [exclusive, other] = mode.side === "request" ? [is, was] : [was, is];
  const { keyword, members, discriminator } = exclusive;
  if (keyword !== "oneOf" || discriminator !== undefined || members.length < 2) return;
  const wasExclusive = other.keyword === "oneOf" && other.members.length > 1;
  const areTagged = isTagged(sets, was) && isTagged(sets, is);
  const reported = new Set<Schema>();
  const timesIn = (list: readonly Schema[], one: Schema): number =>
    list.filter((each) => each === one).length;
  /** What fitted two alternatives on the other side as well was excluded there, too. */
  const isKept = (one: Schema): boolean => {
    const partner = partners.get(one);
    if (partner === undefined || !wasExclusive) return false;
    return timesIn(members, one) <= timesIn(other.members, partner) && sets.includes(partner, one);
  };
  for (const one of new Set(members)) {
    if (isKept(one)) continue;
    const rest = members.toSpliced(members.indexOf(one), 1);
    const others = rest.filter((each) => !reported.has(each) && !sets.areApart(one, each));
    if (others.length === 0) continue;
    if (mode.side === "answer") {
      const at = { oldPointer: was.pointer, newPointer: is.pointer };
      if (!areTagged) pair.add("answer_alternative_overlap_lifted", { old: "oneOf", new: is.keyword, ...at });
      return;
    }
    reported.add(one);
    const isSure = others.some(
      (each) =>
        (!wasExclusive && partners.has(each) && sets.includes(one, each)) || sets.share(one, each, pair.old),
    );
    const found = { new: one.shown, newPointer: one.pointer };
    if (isSure) pair.add("request_alternative_overlaps", found);
    else if (!areTagged) pair.add("request_alternative_may_overlap", found);
  }
}

/** Whether alternatives are told apart by a field with other values in each, required or not. */
function isTagged({ side }: Sets, { members }: Choice): boolean {
  const [first, ...others] = members.map((one) => one.fields(side));
  return [...(first ?? [])].some(([name]) => {
    const lists = [first!, ...others].map((fields) => fields.get(name)?.values ?? null);
    const values = lists.flatMap((list) => list?.map((value) => canonical(value)) ?? []);
    return others.length > 0 && !lists.includes(null) && new Set(values).size === values.length;
  });
}

/** Whether no value fits two alternatives. */
const areExclusive = (sets: Sets, { members, discriminator }: Choice): boolean =>
  discriminator !== undefined ||
  (members.length <= 100 &&
    members.every((one, index) => members.slice(index + 1).every((other) => sets.areApart(one, other))));

/** Compares which alternative a value of the discriminating field means. */
function compareDiscriminators(pair: Pair, was: Choice, is: Choice, partners: Partners): void {
  if (was.discriminator === undefined && is.discriminator === undefined) return;
  const at = { oldPointer: was.pointer, newPointer: is.pointer };
  const [field, now] = [was, is].map(({ discriminator }) => member(discriminator, "propertyName"));
  if (field !== now) {
    return pair.add("discriminator_changed", { old: was.discriminator, new: is.discriminator, ...at });
  }
  const known = new Set(partners.values());
  const shown = (name: string, one: Schema): string => `${name}: ${one.name ?? "an alternative"}`;
  for (const [one, other, name] of paired(wireNames(was, String(field)), wireNames(is, String(field)))) {
    if (one === undefined) {
      const found = { new: shown(name, other), ...at };
      if (known.has(other)) pair.add(`${pair.mode.side}_discriminator_value_added`, found);
      continue;
    }
    const partner = partners.get(one);
    if (partner === undefined || other === partner) continue;
    const removed = `${pair.mode.side}_discriminator_value_removed` as const;
    pair.add(other === undefined ? removed : "discriminator_changed", { old: shown(name, one), ...at });
  }
}

/** The values of the discriminating field: those of the mapping, else the names of the components. */
function wireNames({ members, discriminator }: Choice, field: string): Map<string, Schema> {
  const names = new Map<string, Schema>();
  for (const [value, target] of entriesOf(member(discriminator, "mapping"))) {
    const name = /([^/]*?)(\.json|\.ya?ml)?$/.exec(String(target))?.[1];
    const one = members.find((each) => each.name === name || each.pointer.endsWith(`/${name}`));
    if (one !== undefined) names.set(value, one);
  }
  const mapped = new Set(names.values());
  for (const one of members) {
    // A constant of the field is compared with the field.
    const isConstant = (one.fields("answer").get(field)?.values ?? null) !== null;
    if (one.name !== undefined && !mapped.has(one) && !isConstant) names.set(one.name, one);
  }
  return names;
}
