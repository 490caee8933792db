import { compareChoices } from "./compare-choices.ts";
import {
  compareConditions,
  compareDefaults,
  compareDemands,
  compareRest,
  compareTypes,
  compareValues,
} from "./compare-keywords.ts";
import type { Comparison, Pair } from "./comparison.ts";
import type { Found } from "./change.ts";
import { step, paired } from "./json.ts";
import type { Kind } from "./kinds.ts";
import { mayBe, type Schema } from "./schema.ts";
import { announcedRemoval } from "./api.ts";

/** Compares two schemas: their own keywords, and what is inside. */
export function compareSchema(comparison: Comparison, pair: Pair): void {
  const { old, new: now } = pair;
  if (old.open || now.open) return compareOpen(pair);
  if (old.saidOpenly !== now.saidOpenly)
    pair.tell("open_changed", { old: old.openParts, new: now.openParts });
  if (compareChoices(comparison, pair) || !compareTypes(pair)) return;
  compareValues(comparison, pair);
  compareDemands(pair);
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

/** Reports a difference of one field. */
type Tell = (kind: Kind, found?: Found) => void;

function compareFields(comparison: Comparison, pair: Pair): void {
  const { old, new: now, mode } = pair;
  const { side } = mode;
  const [before, after] = [old.fields(side), now.fields(side)];
  const [promised, promises] = [old.required(side), now.required(side)];
  for (const name of new Set([...before.keys(), ...after.keys(), ...promised, ...promises])) {
    const [was, is] = [before.get(name), after.get(name)];
    const required = promised.has(name) && promises.has(name);
    const at = {
      oldPointer: was?.pointer || `${old.at("properties")}/${step(name)}`,
      newPointer: is?.pointer || `${now.at("properties")}/${step(name)}`,
    };
    const tell: Tell = (kind, found = { old: was?.shown, new: is?.shown }) =>
      pair.tell(kind, { ...at, ...found }, `.${name}`);
    if (was !== undefined && is !== undefined)
      comparison.inside(pair, `.${name}`, was, is, { ...mode, required });
    else if (was !== undefined) compareRemoved(comparison, pair, name, was, tell);
    else if (is !== undefined) compareAdded(comparison, pair, name, is, tell);
    compareNeeded(pair, name, tell);
  }
  for (const [was = old.extras, is = now.extras, pattern] of paired(old.patterns, now.patterns))
    comparison.inside(pair, ` (patternProperties ${pattern})`, was, is);
  compareExtras(comparison, pair);
}

/** A field is no longer declared: it was removed, or falls under the schema of undeclared fields. */
function compareRemoved(comparison: Comparison, pair: Pair, name: string, was: Schema, tell: Tell): void {
  const { new: now, mode } = pair;
  const other = now.field(name, mode.side);
  const announced = announcedRemoval(pair.old.writtenField(name), comparison.settings.today);
  if (was.open) tell("open_changed");
  else if (!other.isAnything && !other.isNothing) comparison.inside(pair, `.${name}`, was, other);
  else if (announced !== undefined) tell(announced);
  else if (mode.side === "request") {
    if (!other.isNothing) tell("request_field_removed");
    else if (!was.isNothing) tell("request_field_refused");
  } else if (!pair.old.required("answer").has(name)) {
    if (!was.isNothing) tell("answer_optional_field_removed");
  } else if (!now.required("answer").has(name)) tell("answer_field_removed");
  else if (!was.isAnything) tell("answer_type_widened", { old: was.shown, new: "anything" });
}

function compareAdded(comparison: Comparison, pair: Pair, name: string, is: Schema, tell: Tell): void {
  const { old, new: now, mode } = pair;
  const isRequest = mode.side === "request";
  const other = old.field(name, mode.side);
  if (isRequest && now.required("request").has(name) && !old.required("request").has(name)) {
    const hasDefault = is.all("default").length > 0;
    tell(hasDefault ? "request_required_field_with_default" : "request_required_field_added");
  } else if (!other.isAnything && !other.isNothing) comparison.inside(pair, `.${name}`, other, is);
  else if (is.isNothing && !other.isNothing)
    tell(isRequest ? "request_field_refused" : "answer_optional_field_removed");
  else if (!isRequest && other.isNothing && !is.isNothing) tell("answer_field_added_to_closed");
  else tell(`${mode.side}_field_added`);
}

function compareNeeded(pair: Pair, name: string, tell: Tell): void {
  const { old, new: now, mode } = pair;
  const { side } = mode;
  const [was, is] = [old.fields(side).get(name), now.fields(side).get(name)];
  const [promised, promises] = [old.required(side).has(name), now.required(side).has(name)];
  // A field that comes and is needed, or was promised and goes, is reported as that, and so is one that is now open.
  const isTold =
    side === "request" ? promises && was === undefined && is : promised && was && is === undefined;
  if (promised === promises || isTold || was?.open || is?.open) return;
  const how = promises ? "required" : "optional";
  const found = {
    ...{ old: promised ? "required" : "optional", new: how },
    ...(promised && { oldPointer: old.at("required") }),
    ...(promises && { newPointer: now.at("required") }),
  };
  const isFilled = side === "request" && promises && (is?.all("default").length ?? 0) > 0;
  tell(isFilled ? "request_required_field_with_default" : `${side}_field_now_${how}`, found);
}

function compareExtras(comparison: Comparison, pair: Pair): void {
  const [was, is] = [pair.old.extras, pair.new.extras];
  const keyword = "additionalProperties";
  /** Fields of any type admit more than fields of one type, and these more than none. */
  const reach = (schema: Schema): number => (schema.isNothing ? 0 : schema.isAnything ? 2 : 1);
  if (reach(was) === 1 && reach(is) === 1) comparison.inside(pair, ` (${keyword})`, was, is);
  else if (reach(was) !== reach(is)) {
    const found = { old: was.isAnything || was.shown, new: is.isAnything || is.shown };
    const how = reach(is) > reach(was) ? "allowed" : "refused";
    pair.tell(`${pair.mode.side}_extra_fields_${how}`, found, ` (${keyword})`, keyword);
  }
}

function compareItems(comparison: Comparison, pair: Pair): void {
  const { old, new: now } = pair;
  const max = Math.min(...[old, now].map((schema) => schema.bound("maxItems")?.value ?? Infinity));
  const named = Math.max(old.firstItems.length, now.firstItems.length);
  for (let index = 0; index < Math.min(named, max); index += 1)
    comparison.inside(pair, `.${index}`, old.item(index), now.item(index));
  if (named < max) comparison.inside(pair, ".*", old.item(Infinity), now.item(Infinity));
}
