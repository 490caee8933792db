import { asOne, type Found, type Kind } from "./change.ts";
import { compareNull, type Pair } from "./pair.ts";
import { byText, canonical, entriesOf, member, paired, type Json } from "../../base/data.ts";
import { matched, type Partners } from "./matched.ts";
import type { Choice, Schema, Side } from "./schema.ts";
import type { Sets } from "./sets.ts";

/** Compares `anyOf` and `oneOf`. @returns true when there is nothing else to compare */
export function compareChoices(pair: Pair): boolean {
  const { old, new: now, sets } = pair;
  const flatIn = ({ choices }: Schema): Choice[] => choices.map((choice) => flat(sets, choice));
  const [before, after] = [flatIn(old), flatIn(now)];
  if (before.length === 0 && after.length === 0) return false;
  // However the alternatives are grouped and what binds is spread over them.
  if (sets.areAlike(pair.known, pair.sent)) pair.mode = { ...pair.mode, isEqual: true };
  const [chosen, single] = before.length === 0 ? [now, old] : [old, now];
  const isOneSided = before.length === 0 || after.length === 0;
  if (isOneSided && chosen.choices.length === 1 && !chosen.bindsBesideChoices && !single.isAnything) {
    // When `X` becomes `anyOf: [X, Y]`, or the reverse, compare a choice of one with a choice of two.
    const choice = (before[0] ?? after[0])!;
    const isNullable = choice.members.some((member) => sets.holds(member, null) === true);
    const only = { ...choice, members: [isNullable ? single : single.withoutNull], discriminator: undefined };
    compareNull(pair);
    compareChoice(pair, before[0] ?? only, after[0] ?? only);
    return true;
  }
  for (let index = 0; index < Math.max(before.length, after.length); index += 1) {
    const [was, is] = [before[index], after[index]];
    if (was !== undefined && is !== undefined) compareChoice(pair, was, is);
    else if (!admitsAll(sets, (was ?? is)!, was === undefined ? old : now))
      pair.add(`${pair.mode.side}_constraint_${was === undefined ? "added" : "removed"}`, between(was, is));
  }
  if (isOneSided || old.bindsBesideChoices || now.bindsBesideChoices) return false;
  compareNull(pair);
  return true;
}

/** Whether a choice by itself excludes nothing of a schema. */
const admitsAll = (sets: Sets, choice: Choice, schema: Schema): boolean =>
  choice.keyword === "anyOf" &&
  sets.hasMember(choice, schema.withoutNull) &&
  (sets.holds(schema, null) === false || choice.members.some((member) => sets.holds(member, null) === true));

/** What two parts are called or say, and where; a location that is missing here is that of the whole schema. */
function between(was?: Choice | Schema, is?: typeof was): Found {
  return { old: shownOf(was), new: shownOf(is), oldPointer: was?.pointer, newPointer: is?.pointer };
}

/** What an alternative is called: its name or title, else a value that tells it apart, else its position. */
function calledIn({ members }: Choice, schema: Schema, side: Side): string {
  const [title] = schema.all("title");
  const [[field, values] = ["", new Set<string>()]] = schema.tags(side);
  if (schema.name !== undefined) return schema.name;
  if (typeof title === "string") return title.replace(/[.()]/g, "");
  return values.size === 1 ? `${field} ${[...values].join()}` : `alternative ${members.indexOf(schema) + 1}`;
}

/** The step into an alternative; none where there is no other. */
const stepInto = (choice: Choice, schema: Schema, side: Side): string =>
  schema.name === undefined && choice.members.length < 2 ? "" : ` (${calledIn(choice, schema, side)})`;

const shownOf = (part?: Choice | Schema): unknown =>
  part && ("members" in part ? part.members.map(shownOf) : (part.name ?? part.shown));

/** Flattens alternatives of alternatives, where that admits the same. */
function flat(sets: Sets, choice: Choice): Choice {
  const members = choice.members.flatMap((member): Schema[] => {
    const [inner, ...others] = member.choices;
    const hasNull = inner?.ways.length !== inner?.members.length;
    if (inner === undefined || others.length > 0 || member.bindsBesideChoices || hasNull) return [member];
    const isUnion = choice.keyword === "anyOf" && inner.keyword === "anyOf";
    return isUnion || areExclusive(sets, inner) ? flat(sets, inner).members : [member];
  });
  return { ...choice, members };
}

/**
 * A choice of what is sent, with each alternative that the other side divides by a field cut into its parts: the values
 * that it lists for the field are those of several alternatives there, each with its own.
 */
function cut(pair: Pair, sent: Choice, known: Choice): Choice {
  const names = new Set(known.members.flatMap(({ name }) => name ?? []));
  const members = sent.members.flatMap((member) =>
    member.name !== undefined && names.has(member.name) ? [member] : partsOf(pair, sent, known, member),
  );
  return { ...sent, members };
}

/** An alternative as the parts into which others divide it; itself where none do. What no other admits is reported. */
function partsOf({ sets, mode, add: report }: Pair, sent: Choice, known: Choice, schema: Schema): Schema[] {
  for (const [name, field] of schema.fields(mode.side)) {
    const listed = byText(field.values ?? []);
    const lists = known.members.flatMap(
      (other) => other.tags(mode.side).get(name)?.intersection(listed) ?? [],
    );
    const texts = lists.flatMap((list) => [...list]);
    const dividing = lists.filter(({ size }) => size > 0);
    if (dividing.length < 2 || new Set(texts).size < texts.length) continue;
    const partWith = (values: Json[]): Schema =>
      schema.narrowed({ properties: { [name]: { enum: values } }, required: [name] });
    const rest = [...listed].flatMap(([text, value]) => (texts.includes(text) ? [] : [value]));
    const without = schema.narrowed({ properties: { [name]: false } });
    const [suffix, { pointer }] = [`${stepInto(sent, schema, mode.side)}.${name}`, field];
    const add = (kinds: Record<Side, Kind>, here: unknown, there?: unknown): void =>
      mode.side === "request"
        ? report(kinds.request, { suffix, oldPointer: pointer, old: here, new: there })
        : report(kinds.answer, { suffix, newPointer: pointer, old: there, new: here });
    if (rest.length > 0 && !sets.hasMember(known, partWith(rest)))
      add({ request: "request_enum_value_removed", answer: "answer_enum_value_added" }, asOne(rest));
    if (!schema.needs(name, mode.side) && !sets.hasMember(known, without))
      add(
        { request: "request_field_now_required", answer: "answer_field_now_optional" },
        "optional",
        "required",
      );
    return dividing.map((list) => partWith([...list].map((text) => listed.get(text)!)));
  }
  return [schema];
}

function compareChoice(pair: Pair, before: Choice, after: Choice): void {
  const { sets, isContained, mode } = pair;
  const isRequest = mode.side === "request";
  const was = isRequest ? cut(pair, before, after) : before;
  const is = isRequest ? after : cut(pair, after, before);
  const partners = matched(sets, was.members, is.members, mode.isEqual);
  for (const [one, other] of partners) pair.insideChoice(stepInto(was, one, mode.side), one, other);
  compareDiscriminators(pair, was, is, partners);
  const origins = new Map([...partners].map(([one, other]) => [other, one]));
  for (const schema of new Set(was.members)) {
    if (!partners.has(schema) && !(isRequest && sets.hasMember(is, schema)))
      pair.add(`${mode.side}_alternative_removed`, between(schema));
  }
  for (const other of new Set(is.members)) {
    if (!origins.has(other) && (isRequest || !sets.hasMember(was, other)))
      pair.add(`${mode.side}_alternative_added`, between(undefined, other));
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
  const timesIn = (list: readonly Schema[], schema: Schema): number =>
    list.filter((each) => each === schema).length;
  /** What fitted two alternatives on the other side as well was excluded there, too. */
  const isKept = (schema: Schema): boolean => {
    const partner = partners.get(schema);
    if (partner === undefined || !wasExclusive) return false;
    return timesIn(members, schema) <= timesIn(other.members, partner) && sets.includes(partner, schema);
  };
  for (const schema of new Set(members)) {
    if (isKept(schema)) continue;
    const rest = members.toSpliced(members.indexOf(schema), 1);
    const others = rest.filter((each) => !reported.has(each) && !sets.areApart(schema, each));
    if (others.length === 0) continue;
    if (mode.side === "answer") {
      const [first, second] = [schema, others[0]!].map((each) => calledIn(was, each, mode.side));
      const details = { ...between(was, is), old: `one of ${first} and ${second}`, new: "both may fit" };
      if (!areTagged) pair.add("answer_alternative_overlap_lifted", details);
      return;
    }
    reported.add(schema);
    const isSure = others.some(
      (each) =>
        (!wasExclusive && partners.has(each) && sets.includes(schema, each)) ||
        sets.share(schema, each, pair.old),
    );
    const kind = isSure ? "request_alternative_overlaps" : "request_alternative_may_overlap";
    if (isSure || !areTagged) pair.add(kind, between(undefined, schema));
  }
}

/** Whether alternatives are distinguished by a field with other values in each, required or not. */
function isTagged({ side }: Sets, { members }: Choice): boolean {
  const fields = members.map((member) => member.fields(side));
  return [...(fields[0]?.keys() ?? [])].some((name) => {
    const lists = fields.map((field) => field.get(name)?.values ?? null);
    const values = lists.flat().map((value) => canonical(value));
    return lists.length > 1 && !lists.includes(null) && new Set(values).size === values.length;
  });
}

/** Whether no value fits two alternatives. */
const areExclusive = (sets: Sets, { members, discriminator }: Choice): boolean =>
  discriminator !== undefined ||
  (members.length <= 100 &&
    members.every((member, index) =>
      members.slice(index + 1).every((other) => sets.areApart(member, other)),
    ));

/** Compares which alternative a value of the discriminating field means. */
function compareDiscriminators(pair: Pair, was: Choice, is: Choice, partners: Partners): void {
  if (was.discriminator === undefined && is.discriminator === undefined) return;
  const at = between(was, is);
  const [field, now] = [was, is].map(({ discriminator }) => member(discriminator, "propertyName"));
  if (field !== now)
    return pair.add("discriminator_changed", { ...at, old: was.discriminator, new: is.discriminator });
  // The alternative of values without a known value of the field (OpenAPI 3.2).
  const [old, usual] = [was, is].map(({ discriminator }) => member(discriminator, "defaultMapping"));
  const [meant, means] = [alternativeOf(was, old), alternativeOf(is, usual)];
  if (old !== usual && (meant === undefined || means === undefined || partners.get(meant) !== means))
    pair.add("discriminator_changed", { ...at, suffix: " (defaultMapping)", old, new: usual });
  const known = new Set(partners.values());
  const shown = (name: string, schema?: Schema): string | undefined =>
    schema && `${name}: ${schema.name ?? "an alternative"}`;
  for (const [one, other, name] of paired(wireNames(was, String(field)), wireNames(is, String(field)))) {
    const partner = one && partners.get(one);
    const details = { ...at, old: shown(name, one), new: shown(name, other) };
    if (one === undefined && known.has(other))
      pair.add(`${pair.mode.side}_discriminator_value_added`, details);
    if (partner === undefined || other === partner) continue;
    const removed = `${pair.mode.side}_discriminator_value_removed` as const;
    pair.add(other === undefined ? removed : "discriminator_changed", details);
  }
}

/** The alternative that a mapping means: by its reference, or by its name. */
function alternativeOf({ members }: Choice, target: Json | undefined): Schema | undefined {
  const name = /([^/]*?)(\.json|\.ya?ml)?$/.exec(String(target))?.[1];
  return members.find((each) => each.name === name || each.pointer.endsWith(`/${name}`));
}

/** The values of the discriminating field: those of the mapping, else the names of the components. */
function wireNames(choice: Choice, field: string): Map<string, Schema> {
  const { members, discriminator } = choice;
  const mapping = entriesOf(member(discriminator, "mapping"));
  const mapped = mapping.map(([value, target]) => [value, alternativeOf(choice, target)] as const);
  const known = new Set(mapped.map(([, schema]) => schema));
  const named = members.flatMap((each) => (known.has(each) ? [] : [[each.name, each] as const]));
  const names = new Map<string, Schema>();
  for (const [name, schema] of [...mapped, ...named]) {
    // A constant of the field is compared with the field.
    const isConstant = (schema?.fields("answer").get(field)?.values ?? null) !== null;
    if (name !== undefined && schema !== undefined && !isConstant) names.set(name, schema);
  }
  return names;
}
