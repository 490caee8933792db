import {
  parametersOf,
  type Operation,
  type Parameter,
  announcedRemoval,
  answersOf,
  isSuccess,
  statusFor,
  generalOf,
  mediaTypesOf,
  takingIn,
} from "./api.ts";
import { member, paired, entriesOf, isObject, type Json } from "./json.ts";
import { compareOthers, inside, type Part, compareOpen, within } from "./part.ts";
import { versionHeaderOf } from "./versions.ts";
import type { Kind } from "./change.ts";

/** Compares the parameters of an operation. */
export function compareParameters(of: Part, old: Operation, now: Operation): void {
  const { findings } = of;
  const list = inside(of, "parameters");
  for (const [was, is] of paired(parametersOf(old), parametersOf(now))) {
    const { in: place, name } = was ?? is;
    const where = `${place} parameter ${name}`;
    const part: Part = { ...within(list, name, where, was?.raw, is?.raw), side: "request" };
    // An added or removed one is a change of the list.
    if (was === undefined) part.oldPointer = list.oldPointer;
    if (is === undefined) part.newPointer = list.newPointer;
    if (was === undefined)
      findings.add(is.required ? "request_required_parameter_added" : "request_parameter_added", part);
    else if (is === undefined) {
      const announced = announcedRemoval(was.raw, findings.settings.today) ?? "request_parameter_removed";
      findings.add(was.raw["x-open"] === true ? "open_changed" : announced, part);
    } else if (comparePromise(part, was.required, is.required)) {
      compareForm(part, was, is);
      if (!compareLists(part, was, is)) compareCarriedValue(part, was.required && is.required);
      compareOthers(part, known);
    }
  }
}

const known = `name in required style explode allowEmptyValue allowReserved schema content x-open`.split(" ");

/**
 * Compares a single value with a list. A list that is written as repeated parameters takes a single value as a list of
 * one; one that is written in one value is a text.
 * @returns false where both sides are lists, or neither is
 */
function compareLists(part: Part, old: Parameter, now: Parameter): boolean {
  const { findings } = part;
  if (old.raw["content"] !== undefined || now.raw["content"] !== undefined) return false;
  const { was, is } = findings.schemasOf(part);
  const [wasList, isList] = [was, is].map(({ types }) => types.size === 1 && types.has("array"));
  const isRepeated = ({ style, explode }: Parameter): boolean => style === "form" && explode;
  if (!wasList && isList && isRepeated(now) && (is.bound("minItems")?.value ?? 0) <= 1) {
    const mode = { text: true, required: old.required && now.required };
    findings.compareSchemas(part, mode, { was, is: is.item(0) });
    return true;
  }
  const isAnyText = is.types.has("string") && [...is.keywords].join() === "type";
  if (!wasList || isList || !isAnyText || isRepeated(old)) return false;
  findings.add("request_type_widened", { ...part, old: "a list, written as one value", new: "string" });
  return true;
}

/** Compares the serialisation of a value: the style of a list or object, the encoding of any value. */
function compareForm(part: Part, old: Parameter, now: Parameter): void {
  const { was, is } = part.findings.schemasOf(part);
  const isScalar = [was, is].every(({ types }) => !types.has("array") && !types.has("object"));
  const arePlain = [old, now].every(({ style }) => ["form", "simple", "deepObject"].includes(style));
  const add = (name: string, before: unknown, after: unknown): void => {
    if (before === after) return;
    const kind = before === false ? "request_parameter_form_widened" : "request_parameter_form_changed";
    part.findings.add(kind, { ...part, where: `${part.where} (${name})`, old: before, new: after });
  };
  if (!isScalar || !arePlain) add("style", old.style, now.style);
  if (old.explode !== now.explode && !isScalar) add("explode", String(old.explode), String(now.explode));
  for (const name of ["allowEmptyValue", "allowReserved"])
    add(name, member(part.old, name) === true, member(part.new, name) === true);
}

/** Compares the answers of an operation: statuses and ranges, headers, bodies. */
export function compareAnswers(of: Part): void {
  const { findings } = of;
  const all = inside(of, "responses");
  const [before, after] = [answersOf(all.old), answersOf(all.new)];
  const compared = new Set<string>();
  const compare = (status: string, one?: string, other?: string): void => {
    if (compared.has(`${one} ${other}`)) return;
    compared.add(`${one} ${other}`);
    const part = within(all, status, `answer ${status}`, before.get(one ?? ""), after.get(other ?? ""));
    if (one !== undefined && other !== undefined) return compareAnswer(part);
    const how = one === undefined ? "added" : "removed";
    const kind = `answer_${isSuccess(status) ? "success" : "refusal"}_status_${how}` as const;
    const isOpen = member(part.old ?? part.new, "x-open") === true;
    findings.add(isOpen ? "open_changed" : kind, { ...part, old: one, new: other });
  };
  for (const status of before.keys()) {
    // A range remains while any of its statuses is still answered.
    const isKept = [...after.keys()].some((one) => statusFor(new Map([[status, 0]]), one) === status);
    const other = statusFor(after, status);
    if (other !== undefined || !isKept) compare(status, status, other);
  }
  for (const status of after.keys()) compare(status, statusFor(before, status), status);
}

function compareAnswer(part: Part): void {
  const { findings, old, new: now } = part;
  if (!isObject(old) || !isObject(now) || compareOpen(part)) return;
  compareHeaders(part);
  const [[had], [has]] = [Object.keys(old["content"] ?? {}), Object.keys(now["content"] ?? {})];
  if ((had === undefined) === (has === undefined)) compareContent(part);
  else
    findings.add(`answer_body_${had === undefined ? "added" : "removed"}`, { ...part, old: had, new: has });
  compareOthers(part, ["headers", "content", "links", "x-open"]);
}

const namesOf = (headers: Json | undefined): Map<string, string> =>
  new Map(entriesOf(headers).map(([name]) => [name.toLowerCase(), name]));

function compareHeaders(of: Part): void {
  const { findings } = of;
  const all = inside(of, "headers");
  for (const [was, is, key] of paired(namesOf(all.old), namesOf(all.new))) {
    const name = was ?? is;
    const written = [member(all.old, was ?? ""), member(all.new, is ?? "")] as const;
    const part = within(all, name, `${of.where} header ${name}`, ...written);
    if (key === "content-type") continue;
    const [promised, promises] = [part.old, part.new].map((raw) => member(raw, "required") === true);
    if (was === undefined) findings.add("answer_header_added", { ...part, new: name });
    else if (is === undefined) {
      const removed = promised ? "answer_header_removed" : "answer_optional_header_removed";
      findings.add(member(part.old, "x-open") === true ? "open_changed" : removed, { ...part, old: name });
    } else if (comparePromise(part, promised!, promises!)) {
      // The value of the version header is the version, and is reported as such.
      if ([findings.old, findings.new].every((one) => versionHeaderOf(one)?.name === key)) continue;
      compareCarriedValue(part, false);
      compareOthers(part, ["required", "schema", "content", "style", "explode", "x-open"]);
    }
  }
}

/** Compares the media types of a body, and the schema of each. */
export function compareContent(part: Part): void {
  const content = inside(part, "content");
  const isRequest = part.side === "request";
  const [before, after] = [mediaTypesOf(content.old), mediaTypesOf(content.new)];
  /** The types that must be included, which clients send or servers answer with; and the known types. */
  const [sent, known] = isRequest ? [before, after] : [after, before];
  const inOrder = <T>(one: T, other: T) => (isRequest ? { old: one, new: other } : { old: other, new: one });
  const add = (kind: Kind, type: string, one?: string, other?: string): unknown =>
    part.findings.add(kind, { ...inside(content, type), ...inOrder(one, other) });
  const used = new Set<string>();
  const compare = (one: string, other: string): void => {
    used.add(other);
    const media = { ...part, ...inOrder(sent.get(one)!.media, known.get(other)!.media) };
    compareOthers(media, ["schema"]);
    part.findings.compareSchemas({ ...media, where: `${part.where}:` });
  };
  for (const [key, { type }] of sent) {
    const general = generalOf(known.keys(), key);
    const other = takingIn(known.keys(), key) ?? general;
    if (other === undefined)
      add(isRequest ? "request_media_type_removed" : "answer_media_type_added", type, type);
    else {
      compare(key, other);
      const kind = isRequest ? "request_media_type_generalised" : "answer_media_type_specialised";
      if (other === general) add(kind, type, type, known.get(other)!.type);
    }
  }
  for (const [key, { type }] of known) {
    if (used.has(key)) continue;
    const other = takingIn(sent.keys(), key);
    if (other !== undefined) compare(other, key);
    else add(isRequest ? "request_media_type_added" : "answer_media_type_removed", type, undefined, type);
  }
}

/** Compares whether a parameter or a header binds and is required. @returns false when nothing else is to be compared */
export function comparePromise(part: Part, needed: boolean, needs: boolean): boolean {
  if (compareOpen(part)) return false;
  if (needed !== needs) {
    const what = part.side === "request" ? "request_parameter" : "answer_header";
    const found = { ...inside(part, "required"), old: needed, new: needs };
    part.findings.add(`${what}_now_${needs ? "required" : "optional"}`, found);
  }
  return true;
}

/** Compares a value that is transmitted as text, described by a schema or by one media type. */
export function compareCarriedValue(part: Part, required: boolean): void {
  const { findings, side } = part;
  const [before, after] = [member(part.old, "content"), member(part.new, "content")];
  if (before !== undefined && after !== undefined) return compareContent(part);
  const isText = Object.keys(before ?? after ?? {}).every((type) => type.startsWith("text/plain"));
  if (!isText && side === "request") findings.add("request_parameter_form_changed", part);
  else {
    const described = (raw: Json | undefined): Json | undefined =>
      isObject(raw) && raw["schema"] === undefined
        ? [...mediaTypesOf(raw["content"]).values()][0]?.media
        : raw;
    const holders = { old: described(part.old), new: described(part.new) };
    findings.compareSchemas({ ...part, ...holders }, { text: true, required });
  }
}
