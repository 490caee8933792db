import { compareChoices } from "./compare-choices.ts";
import { compareConditions } from "./compare-conditions.ts";
import {
  compareBounds,
  compareDefaults,
  compareForms,
  compareRest,
  compareTypes,
  compareValues,
} from "./compare-keywords.ts";
import type { Comparison, Pair } from "./comparison.ts";
import type { Found } from "./finding.ts";
import { step } from "./json.ts";
import { paired } from "./paired.ts";
import { announcedRemoval } from "./sunset.ts";
import { mayBe, type Schema } from "./schema.ts";

/** Compares two schemas: their own keywords, and what is inside. */
export function compareSchema(comparison: Comparison, pair: Pair): void {
  const { old, new: now } = pair;
  if (old.open || now.open) {
    compareOpen(pair);
    return;
  }
  if (old.saidOpenly !== now.saidOpenly) {
    pair.tell("open_changed", { old: old.openParts, new: now.openParts });
  }
  if (compareChoices(comparison, pair)) return;
  if (!compareTypes(pair)) return;
  compareValues(comparison, pair);
  compareBounds(pair);
  compareForms(pair);
  compareDefaults(pair);
  const canBoth = (type: string): boolean => mayBe(old, type) && mayBe(now, type);
  if (canBoth("object")) compareFields(comparison, pair);
  if (canBoth("array")) compareItems(comparison, pair);
  compareConditions(comparison, pair);
  compareRest(pair);
}

function compareOpen(pair: Pair): void {
  const { old, new: now, mode } = pair;
  if (old.open && now.open) {
    if (old.said !== now.said) pair.tell("open_changed", { old: old.shown, new: now.shown });
  } else if (now.open) {
    if (!old.isAnything) pair.tell("obligation_dropped", { old: old.shown, new: "open" });
  } else if (!now.isAnything) {
    const kind = mode.side === "request" ? "request_obligation_added" : "obligation_added";
    pair.tell(kind, { old: "open", new: now.shown });
  }
}

function compareFields(comparison: Comparison, pair: Pair): void {
  const { old, new: now, mode } = pair;
  const [before, after] = [old.fields(mode.side), now.fields(mode.side)];
  const [promised, promises] = [old.required(mode.side), now.required(mode.side)];
  for (const name of new Set([...before.keys(), ...after.keys(), ...promised, ...promises])) {
    const [was, is] = [before.get(name), after.get(name)];
    const at = {
      oldPointer: was?.pointer || `${old.at("properties")}/${step(name)}`,
      newPointer: is?.pointer || `${now.at("properties")}/${step(name)}`,
    };
    if (was !== undefined && is === undefined) {
      compareRemoved(comparison, pair, name, was, at);
      if (mode.side === "answer" && !promises.has(name)) continue;
    } else if (was === undefined && is !== undefined) {
      compareAdded(comparison, pair, name, is, at);
      if (mode.side === "request" && promises.has(name) && !promised.has(name)) continue;
    } else if (was !== undefined && is !== undefined) {
      const required = promised.has(name) && promises.has(name);
      comparison.inside(pair, `.${name}`, was, is, { ...mode, required });
    }
    compareNeeded(pair, name, promised.has(name), promises.has(name), at);
  }
  for (const [was = old.extras, is = now.extras, pattern] of paired(old.patterns, now.patterns)) {
    comparison.inside(pair, ` (patternProperties ${pattern})`, was, is);
  }
  compareExtras(comparison, pair);
}

/** A field is no longer declared: it was removed, or falls under the schema of undeclared fields. */
function compareRemoved(comparison: Comparison, pair: Pair, name: string, was: Schema, at: Found): void {
  const { new: now, mode } = pair;
  const found = { old: was.shown, ...at };
  const other = now.field(name, mode.side);
  const field = `.${name}`;
  const announced = announcedRemoval(pair.old.writtenField(name), comparison.settings.today);
  if (was.open) pair.tell("open_changed", found, field);
  else if (!other.isAnything && !other.isNothing) comparison.inside(pair, field, was, other);
  else if (announced !== undefined) pair.tell(announced, found, field);
  else if (mode.side === "request") {
    if (other.isNothing && was.isNothing) return;
    pair.tell(other.isNothing ? "request_field_refused" : "request_field_removed", found, field);
  } else if (pair.old.required("answer").has(name)) {
    if (!now.required("answer").has(name)) pair.tell("answer_field_removed", found, field);
    else if (!was.isAnything) pair.tell("answer_type_widened", { ...found, new: "anything" }, field);
  } else if (!was.isNothing) pair.tell("answer_optional_field_removed", found, field);
}

function compareAdded(comparison: Comparison, pair: Pair, name: string, is: Schema, at: Found): void {
  const { old, new: now, mode } = pair;
  const found = { new: is.shown, ...at };
  const other = old.field(name, mode.side);
  const field = `.${name}`;
  const isNeeded =
    mode.side === "request" && now.required("request").has(name) && !old.required("request").has(name);
  if (isNeeded) {
    const hasDefault = is.all("default").length > 0;
    pair.tell(
      hasDefault ? "request_required_field_with_default" : "request_required_field_added",
      found,
      field,
    );
  } else if (!other.isAnything && !other.isNothing) comparison.inside(pair, field, other, is);
  else if (is.isNothing && !other.isNothing) {
    pair.tell(
      mode.side === "request" ? "request_field_refused" : "answer_optional_field_removed",
      found,
      field,
    );
  } else if (mode.side === "answer" && other.isNothing && !is.isNothing) {
    pair.tell("answer_field_added_to_closed", found, field);
  } else pair.tell(`${mode.side}_field_added`, found, field);
}

function compareNeeded(pair: Pair, name: string, promised: boolean, promises: boolean, at: Found): void {
  const { old, new: now, mode } = pair;
  // A promise that ends because the field is now open is reported as that.
  const isOpen = [old, now].some((schema) => schema.fields(mode.side).get(name)?.open === true);
  if (promised === promises || isOpen) return;
  const how = promises ? "required" : "optional";
  const found = {
    old: promised ? "required" : "optional",
    new: how,
    oldPointer: promised ? old.at("required") : at.oldPointer!,
    newPointer: promises ? now.at("required") : at.newPointer!,
  };
  const hasDefault = promises && (now.fields(mode.side).get(name)?.all("default").length ?? 0) > 0;
  const isFilled = mode.side === "request" && hasDefault;
  pair.tell(
    isFilled ? "request_required_field_with_default" : `${mode.side}_field_now_${how}`,
    found,
    `.${name}`,
  );
}

function compareExtras(comparison: Comparison, pair: Pair): void {
  const [was, is] = [pair.old.extras, pair.new.extras];
  const suffix = " (additionalProperties)";
  /** Fields of any type admit more than fields of one type, and these more than none. */
  const reach = (schema: Schema): number => (schema.isNothing ? 0 : schema.isAnything ? 2 : 1);
  if (reach(was) === 1 && reach(is) === 1) comparison.inside(pair, suffix, was, is);
  else if (reach(was) !== reach(is)) {
    const keyword = "additionalProperties";
    const found = { old: was.isAnything ? true : was.shown, new: is.isAnything ? true : is.shown };
    const at = { oldPointer: pair.old.at(keyword), newPointer: pair.new.at(keyword) };
    const how = reach(is) > reach(was) ? "allowed" : "refused";
    pair.tell(`${pair.mode.side}_extra_fields_${how}`, { ...found, ...at }, suffix);
  }
}

function compareItems(comparison: Comparison, pair: Pair): void {
  const [before, after] = [pair.old.firstItems, pair.new.firstItems];
  const [others, otherOnes] = [pair.old.otherItems, pair.new.otherItems];
  const most = Math.min(...[pair.old, pair.new].map((schema) => schema.bound("maxItems")?.value ?? Infinity));
  const named = Math.max(before.length, after.length);
  for (let index = 0; index < Math.min(named, most); index += 1) {
    comparison.inside(pair, `.${index}`, before[index] ?? others, after[index] ?? otherOnes);
  }
  if (named < most) comparison.inside(pair, ".*", others, otherOnes);
}
