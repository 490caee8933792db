import type { Comparison, Pair } from "./comparison.ts";
import { canonical } from "./json.ts";
import { isWithin, type Choice, type Schema } from "./schema.ts";

/** Compares `anyOf` and `oneOf`. @returns true when there is nothing else to compare */
export function compareChoices(comparison: Comparison, pair: Pair): boolean {
  const { old, new: now } = pair;
  const [before, after] = [old.choices, now.choices];
  if (before.length === 0 && after.length === 0) return false;
  if (before.length === 0 || after.length === 0) {
    const chosen = before.length === 0 ? now : old;
    const single = before.length === 0 ? old : now;
    // When `X` becomes `anyOf: [X, Y]`, or the reverse, compare a choice of one with a choice of two.
    if (chosen.choices.length === 1 && !chosen.bindsBesideChoices && !single.isAnything) {
      const choice = chosen.choices[0]!;
      const only = {
        ...choice,
        members: [
          chosen.choices[0]!.members.some(({ admitsNull }) => admitsNull) ? single : single.withoutNull,
        ],
      };
      compareNull(pair);
      matchMembers(comparison, pair, before[0] ?? only, after[0] ?? only);
      return true;
    }
    for (const choice of after) constraint(pair, "added", undefined, choice);
    for (const choice of before) constraint(pair, "removed", choice, undefined);
    return false;
  }
  for (let index = 0; index < Math.max(before.length, after.length); index += 1) {
    const [was, is] = [before[index], after[index]];
    if (was === undefined) constraint(pair, "added", undefined, is!);
    else if (is === undefined) constraint(pair, "removed", was, undefined);
    else compareChoice(comparison, pair, was, is);
  }
  if (old.bindsBesideChoices || now.bindsBesideChoices) return false;
  compareNull(pair);
  return true;
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
  if (before === after) return;
  const [was, is] = [before, after].map((admits) => (admits ? "or null" : "not null"));
  pair.tell(`${pair.mode.side}_type_${after ? "widened" : "narrowed"}`, { old: was, new: is });
}

function compareChoice(comparison: Comparison, pair: Pair, was: Choice, is: Choice): void {
  if (was.keyword !== is.keyword) {
    // Exactly one must match: for mutually exclusive alternatives, that is the same as at least one.
    const chosen = is.keyword === "oneOf" ? is : was;
    if (!excludeEachOther(chosen)) constraint(pair, is.keyword === "oneOf" ? "added" : "removed", was, is);
  }
  if (canonical(was.discriminator) !== canonical(is.discriminator)) {
    pair.tell("discriminator_changed", {
      old: was.discriminator,
      new: is.discriminator,
      oldPointer: was.pointer,
      newPointer: is.pointer,
    });
  }
  matchMembers(comparison, pair, was, is);
}

function matchMembers(comparison: Comparison, pair: Pair, was: Choice, is: Choice): void {
  const left = new Set(was.members);
  const right = new Set(is.members);
  const take = (alike: (one: Schema, other: Schema) => boolean): void => {
    for (const one of left) {
      for (const other of right) {
        if (!alike(one, other)) continue;
        left.delete(one);
        right.delete(other);
        comparison.inside(pair, one.name === undefined ? "" : ` (${one.name})`, one, other);
        break;
      }
    }
  };
  take((one, other) => one.name !== undefined && one.name === other.name);
  const texts = new Map([...left, ...right].map((one) => [one, canonical(one.shown, 5000)]));
  take((one, other) => texts.get(one) === texts.get(other));
  take((one, other) => comparison.areAlike(one, other));
  take((one, other) => likeness(one, other, pair.mode.side) > 0.5);
  const request = pair.mode.side === "request";
  for (const one of left) {
    if (request && is.members.some((other) => comparison.admits(other, one))) continue;
    pair.tell(`${pair.mode.side}_alternative_removed`, { old: one.shown, oldPointer: one.pointer });
  }
  for (const other of right) {
    const found = { new: other.shown, newPointer: other.pointer };
    if (request && is.keyword === "oneOf" && is.discriminator === undefined)
      compareOverlap(comparison, pair, is, other);
    else if (!request && was.members.some((one) => comparison.admits(one, other))) continue;
    pair.tell(`${pair.mode.side}_alternative_added`, found);
  }
}

/** Under `oneOf`, a value that an added alternative also admits is refused. */
function compareOverlap(comparison: Comparison, pair: Pair, { members }: Choice, added: Schema): void {
  const others = members.filter((one) => one !== added && !areDisjoint(one, added));
  if (others.length === 0) return;
  const isSure = others.some((one) => comparison.admits(one, added) || comparison.admits(added, one));
  const found = { new: added.shown, newPointer: added.pointer };
  pair.tell(isSure ? "request_alternative_overlaps" : "request_alternative_may_overlap", found);
}

const excludeEachOther = ({ members, discriminator }: Choice): boolean =>
  discriminator !== undefined ||
  members.every((one, index) => members.slice(index + 1).every((other) => areDisjoint(one, other)));

/** Whether no value matches both, judging by types and the values of required fields. */
function areDisjoint(one: Schema, other: Schema): boolean {
  const [types, others] = [one.types, other.types];
  if (types !== null && others !== null) {
    const shares = [...types].some(
      (type) =>
        isWithin(new Set([type]), others) ||
        [...others].some((two) => isWithin(new Set([two]), new Set([type]))),
    );
    if (!shares) return true;
  }
  const [values, otherValues] = [one.values, other.values];
  if (values !== null && otherValues !== null) {
    const known = new Set(values.map((value) => canonical(value)));
    return !otherValues.some((value) => known.has(canonical(value)));
  }
  const needed = other.required("answer");
  return [...one.required("answer")].some((name) => {
    const [field, otherField] = [one.fields("answer").get(name), other.fields("answer").get(name)];
    if (field === undefined || otherField === undefined || !needed.has(name)) return false;
    return field.values !== null && otherField.values !== null && areDisjoint(field, otherField);
  });
}

/** From 0 to 1: the similarity of two alternatives, to recognise a changed one. */
function likeness(one: Schema, other: Schema, side: "request" | "answer"): number {
  const [before, after] = [one.fields(side), other.fields(side)];
  if (before.size === 0 && after.size === 0)
    return canonical([...(one.types ?? [])]) === canonical([...(other.types ?? [])]) ? 1 : 0;
  const shared = [...before.keys()].filter((name) => after.has(name)).length;
  return shared / Math.max(before.size, after.size);
}
