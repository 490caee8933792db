import type { Comparison, Pair } from "./comparison.ts";
import { canonical, entriesOf, itemsOf, type Json } from "./json.ts";
import { paired } from "./paired.ts";
import type { Schema } from "./schema.ts";

/** Compares the keywords that apply other schemas to a value, apart from its fields and items. */
export function compareConditions(comparison: Comparison, pair: Pair): void {
  const { old, new: now } = pair;
  compareWhole(comparison, pair, "not", true);
  compareIf(comparison, pair);
  compareContains(comparison, pair);
  compareDependents(comparison, pair);
  compareNeededTogether(pair);
  for (const keyword of ["propertyNames", "contentSchema"]) {
    const [was, is] = [old.child(keyword), now.child(keyword)];
    if (!was.isAnything || !is.isAnything) comparison.inside(pair, ` (${keyword})`, was, is);
  }
}

/** Reports that a keyword admits less, more or something else. */
function told(pair: Pair, keyword: string, how: "added" | "removed" | "changed"): void {
  pair.tell(
    `${pair.mode.side}_constraint_${how}`,
    {
      old: pair.old.all(keyword)[0],
      new: pair.new.all(keyword)[0],
      oldPointer: pair.old.at(keyword),
      newPointer: pair.new.at(keyword),
    },
    ` (${keyword})`,
  );
}

/** Reports a keyword that was added or removed. @returns false when both sides have it, or neither */
function comesOrGoes(pair: Pair, keyword: string): boolean {
  const [had, has] = [pair.old, pair.new].map((schema) => schema.all(keyword).length > 0);
  if (had !== has) told(pair, keyword, has === true ? "added" : "removed");
  return had !== has;
}

/** Compares a schema only by what it admits as a whole. @param excludes whether admitted values are refused */
function compareWhole(comparison: Comparison, pair: Pair, keyword: string, excludes: boolean): void {
  if (comesOrGoes(pair, keyword)) return;
  const [was, is] = [pair.old.child(keyword), pair.new.child(keyword)];
  if (was.isAnything && is.isAnything) return;
  const sets = comparison.setsOf(pair);
  const [widened, narrowed] = [sets.includes(is, was), sets.includes(was, is)];
  if (widened && narrowed) return;
  if (widened) told(pair, keyword, excludes ? "added" : "removed");
  else if (narrowed) told(pair, keyword, excludes ? "removed" : "added");
  else told(pair, keyword, "changed");
}

function compareIf(comparison: Comparison, pair: Pair): void {
  if (comesOrGoes(pair, "if")) return;
  const { old, new: now } = pair;
  if (old.all("if").length === 0) return;
  if (!comparison.setsOf(pair).areAlike(old.child("if"), now.child("if"))) {
    told(pair, "if", "changed");
    return;
  }
  for (const keyword of ["then", "else"]) {
    comparison.inside(pair, ` (${keyword})`, old.child(keyword), now.child(keyword));
  }
}

function compareContains(comparison: Comparison, pair: Pair): void {
  if (comesOrGoes(pair, "contains")) return;
  const { old, new: now } = pair;
  if (old.all("contains").length === 0) return;
  const isCapped = [old, now].some((schema) => schema.bound("maxContains") !== undefined);
  if (!isCapped) comparison.inside(pair, " (contains)", old.child("contains"), now.child("contains"));
  else if (!comparison.setsOf(pair).areAlike(old.child("contains"), now.child("contains")))
    told(pair, "contains", "changed");
}

function compareDependents(comparison: Comparison, pair: Pair): void {
  const { old, new: now } = pair;
  for (const [was = old.anything, is = now.anything, name] of paired(old.dependents, now.dependents)) {
    comparison.inside(pair, ` (dependentSchemas ${name})`, was, is);
  }
}

/** Compares `dependentRequired`: the fields required when another is present. */
function compareNeededTogether(pair: Pair): void {
  const keyword = "dependentRequired";
  const pairsOf = (schema: Schema): Set<string> =>
    new Set(
      [...schema.all(keyword), ...schema.all("dependencies")].flatMap((value) =>
        entriesOf(value).flatMap(([name, others]) =>
          itemsOf(others).map((other: Json) => canonical([name, other])),
        ),
      ),
    );
  const [before, after] = [pairsOf(pair.old), pairsOf(pair.new)];
  if ([...after].some((one) => !before.has(one))) told(pair, keyword, "added");
  if ([...before].some((one) => !after.has(one))) told(pair, keyword, "removed");
}
