import * as api from "./api.ts";
import { canonical, isObject, member, paired, type Json } from "../../base/data.ts";
import { compareOthers, inside, type Part, compareOpen, within } from "./part.ts";
import { versionHeaderOf } from "./versions.ts";
import type { Found, Kind } from "./change.ts";
import type { Document } from "./document.ts";

/** Compares the parameters of an operation. */
export function compareParameters(of: Part, old: api.Operation, now: api.Operation): void {
  const { comparison } = of;
  const list = inside({ ...of, side: "request" }, "parameters");
  const isMoved = api.keysOf(old).plain !== api.keysOf(now).plain;
  for (const [was, is] of paired(api.parametersOf(old, isMoved), api.parametersOf(now, isMoved))) {
    const { name, in: place } = was ?? is;
    // The path itself says which it has, whether they are declared or not.
    if (place === "path" && (was === undefined || is === undefined)) continue;
    const part = within(list, String(name), `${place} parameter ${name}`, was, is);
    const [had, has] = [api.formOf(was), api.formOf(is)];
    // An added or removed one is a change of the list.
    if (was === undefined) {
      const kind = has.required ? "request_required_parameter_added" : "request_parameter_added";
      comparison.add(kind, { ...part, oldPointer: list.oldPointer });
    } else if (is === undefined) {
      const announced = api.announcedRemoval(was, comparison.settings.today) ?? "request_parameter_removed";
      const kind = was["x-open"] === true ? "open_changed" : announced;
      comparison.add(kind, { ...part, newPointer: list.newPointer });
    } else if (!compareOpen(part)) {
      compareRequired(part, "request_parameter", [had.required, has.required]);
      compareForm(part, had, has);
      if (!compareLists(part, had, has)) compareCarriedValue(part, had.required && has.required);
      compareOthers(part, known);
    }
  }
}

const known = `name in required style explode allowEmptyValue allowReserved schema content x-open`.split(" ");

/** Compares whether a part of a message is required. */
function compareRequired(
  part: Part,
  what: "request_parameter" | "request_body" | "answer_header",
  [needed, needs]: readonly boolean[],
): void {
  if (needed === needs) return;
  const details = { ...inside(part, "required"), old: needed, new: needs };
  part.comparison.add(`${what}_now_${needs ? "required" : "optional"}`, details);
}

/**
 * Compares a single value with a list: of repeated parameters, one is a list of one; one written in one value is a text.
 * @returns false where both sides are lists, or neither is
 */
function compareLists(part: Part, old: api.Form, now: api.Form): boolean {
  const { comparison } = part;
  if ([part.old, part.new].some((raw) => member(raw, "content") !== undefined)) return false;
  const { was, is } = comparison.schemasOf(part);
  const [wasList, isList] = [was, is].map(({ types }) => types.size === 1 && types.has("array"));
  const isRepeated = ({ style, explode }: api.Form): boolean => style === "form" && explode;
  if (!wasList && isList && isRepeated(now) && (is.bound("minItems")?.value ?? 0) <= 1) {
    const mode = { text: true, required: old.required && now.required };
    comparison.compareSchemas(part, mode, { was, is: is.item(0) });
    return true;
  }
  const isAnyText = is.types.has("string") && [...is.keywords].join() === "type";
  if (!wasList || isList || !isAnyText || isRepeated(old)) return false;
  comparison.add("request_type_widened", { ...part, old: "a list, written as one value", new: "string" });
  return true;
}

/** Compares the serialisation of a value: the style of a list or object, the encoding of any value. */
function compareForm(part: Part, old: api.Form, now: api.Form): void {
  const { was, is } = part.comparison.schemasOf(part);
  const isScalar = [was, is].every(({ types }) => !types.has("array") && !types.has("object"));
  const arePlain = [old, now].every(({ style }) => ["form", "simple", "deepObject"].includes(style));
  const add = (name: string, before: unknown, after: unknown): void => {
    if (before === after) return;
    const kind = before === false ? "request_parameter_form_widened" : "request_parameter_form_changed";
    part.comparison.add(kind, { ...part, where: `${part.where} (${name})`, old: before, new: after });
  };
  if (!isScalar || !arePlain) add("style", old.style, now.style);
  if (!isScalar) add("explode", String(old.explode), String(now.explode));
  for (const name of ["allowEmptyValue", "allowReserved"])
    add(name, member(part.old, name) === true, member(part.new, name) === true);
}

/** Compares the parameters of a request that the server sends, which clients receive. */
export function compareReceivedParameters(of: Part, old: api.Operation, now: api.Operation): void {
  const list = inside({ ...of, side: "answer" }, "parameters");
  for (const [was, is] of paired(api.parametersOf(old, true), api.parametersOf(now, true))) {
    const { name, in: place } = was ?? is;
    const part = within(list, String(name), `${of.where} ${place} parameter ${name}`, was, is);
    const [had, has] = [api.formOf(was), api.formOf(is)];
    const add = (kind: Kind, details: Found = {}): unknown =>
      of.comparison.add(kind, { ...part, ...details });
    if (was === undefined) add("callback_parameter_added", { new: name });
    else if (is === undefined)
      add(had.required ? "callback_parameter_removed" : "callback_optional_parameter_removed", { old: name });
    else if (!compareOpen(part)) {
      if (had.required && !has.required) add("callback_parameter_now_optional", { old: true, new: false });
      if (canonical([had.style, had.explode]) !== canonical([has.style, has.explode]))
        add("callback_parameter_form_changed", { old: had.style, new: has.style });
      compareCarriedValue(part, false);
      compareOthers(part, known);
    }
  }
}

/** Compares the body of a request. */
export function compareBody(part: Part): void {
  const { comparison, old, new: now } = part;
  const needs = [old, now].map((body) => member(body, "required") === true);
  if (isObject(old) && isObject(now)) {
    compareRequired(part, "request_body", needs);
    compareContent(part);
    compareOthers(part, ["required", "content"]);
  } else if (isObject(old)) comparison.add("request_body_removed", part);
  else if (isObject(now))
    comparison.add(needs[1] ? "request_required_body_added" : "request_body_added", part);
}

/** Compares the answers of an operation: statuses and ranges, headers, bodies. */
export function compareAnswers(of: Part): void {
  const all = inside(of, "responses");
  const [before, after] = [api.answersOf(all.old), api.answersOf(all.new)];
  for (const status of new Set([...before.keys(), ...after.keys()])) {
    const [one, other] = [api.statusFor(before, status), api.statusFor(after, status)];
    const covers = (now: string): boolean => api.statusFor(new Map([[status, 0]]), now) === status;
    // A range remains while any of its statuses is still answered.
    if (other === undefined && [...after.keys()].some(covers)) continue;
    const part = within(all, status, `answer ${status}`, before.get(one ?? ""), after.get(other ?? ""));
    if (one !== undefined && other !== undefined) compareAnswer(part);
    else {
      const how = one === undefined ? "added" : "removed";
      const kind = `answer_${api.isSuccess(status) ? "success" : "refusal"}_status_${how}` as const;
      const isOpen = member(part.old ?? part.new, "x-open") === true;
      of.comparison.add(isOpen ? "open_changed" : kind, { ...part, old: one, new: other });
    }
  }
}

function compareAnswer(part: Part): void {
  const { comparison, old, new: now } = part;
  if (!isObject(old) || !isObject(now) || compareOpen(part)) return;
  compareHeaders(part);
  const [[had], [has]] = [Object.keys(old["content"] ?? {}), Object.keys(now["content"] ?? {})];
  if ((had === undefined) === (has === undefined)) compareContent(part);
  else
    comparison.add(`answer_body_${had === undefined ? "added" : "removed"}`, { ...part, old: had, new: has });
  compareOthers(part, ["headers", "content", "links", "x-open"]);
}

function compareHeaders(of: Part): void {
  const { comparison } = of;
  const all = inside(of, "headers");
  for (const [was, is, key] of paired(api.headersOf(all.old), api.headersOf(all.new))) {
    const [name] = was ?? is;
    const part = within(all, name, `${of.where} header ${name}`, was?.[1], is?.[1]);
    if (key === "content-type") continue;
    const promises = [part.old, part.new].map((raw) => member(raw, "required") === true);
    if (was === undefined) comparison.add("answer_header_added", { ...part, new: name });
    else if (is === undefined) {
      const removed = promises[0] ? "answer_header_removed" : "answer_optional_header_removed";
      comparison.add(member(part.old, "x-open") === true ? "open_changed" : removed, { ...part, old: name });
    } else if (!compareOpen(part)) {
      compareRequired(part, "answer_header", promises);
      // The value of the version header is the version, and is reported as such.
      if ([comparison.old, comparison.new].every((document) => versionHeaderOf(document)?.name === key))
        continue;
      compareCarriedValue(part, false);
      compareOthers(part, ["required", "schema", "content", "style", "explode", "x-open"]);
    }
  }
}

/** Compares the media types of a body, and the schema of each. */
export function compareContent(part: Part): void {
  const content = inside(part, "content");
  const isRequest = part.side === "request";
  const { comparison } = part;
  const before = api.mediaTypesOf(comparison.old, content.old);
  const after = api.mediaTypesOf(comparison.new, content.new);
  /** The types that must be included, which clients send or servers answer with; and the known types. */
  const [sent, known] = isRequest ? [before, after] : [after, before];
  const compare = (one?: api.Media, other?: api.Media, isSpecial = false): void => {
    const [was, is] = isRequest ? [one, other] : [other, one];
    const here = inside(content, (one ?? other)!.type);
    const add = (kind: Kind): unknown => comparison.add(kind, { ...here, old: was?.type, new: is?.type });
    if (was === undefined) add(isRequest ? "request_media_type_added" : "answer_media_type_added");
    else if (is === undefined) add(isRequest ? "request_media_type_removed" : "answer_media_type_removed");
    else {
      const media = { ...here, old: was.media, new: is.media };
      compareOthers(media, ["schema", "itemSchema"]);
      comparison.compareSchemas({ ...media, where: `${part.where}:` });
      // Of a sequence, such as lines of JSON or events, it describes each item.
      const items = comparison.schemasOf(media, "itemSchema");
      comparison.compareSchemas({ ...media, where: `${part.where} item:` }, {}, items);
      if (isSpecial) add(isRequest ? "request_media_type_generalised" : "answer_media_type_specialised");
    }
  };
  const used = new Set<unknown>();
  for (const [key, one] of sent) {
    const general = api.generalOf(known, key);
    const other = api.takingIn(known, key) ?? general;
    used.add(other);
    compare(one, other, other === general);
  }
  for (const [key, other] of known) if (!used.has(other)) compare(api.takingIn(sent, key), other);
}

/** Compares a value that is transmitted as text, described by a schema or by one media type. */
function compareCarriedValue(part: Part, required: boolean): void {
  const { comparison, side } = part;
  const [before, after] = [member(part.old, "content"), member(part.new, "content")];
  if (before !== undefined && after !== undefined) return compareContent(part);
  const isText = Object.keys(before ?? after ?? {}).every((type) => type.startsWith("text/plain"));
  if (!isText && side === "request") comparison.add("request_parameter_form_changed", part);
  else {
    const described = (document: Document, raw: Json | undefined): Json | undefined =>
      isObject(raw) && raw["schema"] === undefined
        ? [...api.mediaTypesOf(document, raw["content"]).values()][0]?.media
        : raw;
    const holders = { old: described(comparison.old, part.old), new: described(comparison.new, part.new) };
    comparison.compareSchemas({ ...part, ...holders }, { text: true, required });
  }
}
