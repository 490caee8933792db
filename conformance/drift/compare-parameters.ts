import { mediaTypesOf, parametersOf, type Operation, type Parameter } from "./api.ts";
import { compareContent } from "./compare-content.ts";
import { compareOpen } from "./compare-open.ts";
import type { Findings, Spot } from "./findings.ts";
import { member } from "./json.ts";
import { announcedRemoval } from "./sunset.ts";

/** Compares the parameters of an operation. */
export function compareParameters(findings: Findings, of: Spot, old: Operation, now: Operation): void {
  const [before, after] = [parametersOf(findings.old, old), parametersOf(findings.new, now)];
  const spotOf = ({ in: place, name }: Parameter): Spot & { side: "request" } => ({
    ...of,
    side: "request",
    where: `${place} parameter ${name}`,
  });
  for (const [key, was] of before) {
    const is = after.get(key);
    if (is !== undefined) {
      compareParameter(findings, spotOf(was), was, is);
      continue;
    }
    const kind =
      was.raw["x-open"] === true
        ? "open_changed"
        : (announcedRemoval(was.raw, findings.settings.today) ?? "request_parameter_removed");
    const found = { old: was.raw, oldPointer: was.pointer, newPointer: `${now.pointer}/parameters` };
    findings.add(kind, spotOf(was), found);
  }
  for (const [key, is] of after) {
    if (before.has(key)) continue;
    const kind = is.required ? "request_required_parameter_added" : "request_parameter_added";
    const found = { new: is.raw, oldPointer: `${old.pointer}/parameters`, newPointer: is.pointer };
    findings.add(kind, spotOf(is), found);
  }
}

const known = [
  "name",
  "in",
  "required",
  "style",
  "explode",
  "allowEmptyValue",
  "allowReserved",
  "schema",
  "content",
  "x-open",
];

function compareParameter(
  findings: Findings,
  spot: Spot & { side: "request" },
  old: Parameter,
  now: Parameter,
): void {
  const at = { oldPointer: old.pointer, newPointer: now.pointer };
  if (compareOpen(findings, spot, old.raw, now.raw, at)) return;
  if (old.required !== now.required) {
    const kind = now.required ? "request_parameter_now_required" : "request_parameter_now_optional";
    const found = { old: old.required, new: now.required, ...at, newPointer: `${now.pointer}/required` };
    findings.add(kind, spot, found);
  }
  compareForm(findings, spot, old, now);
  const how = { text: true, required: old.required && now.required };
  const [content, others] = [old.raw["content"], now.raw["content"]];
  if (content !== undefined && others !== undefined) {
    compareContent(findings, { ...spot, where: `${spot.where}:` }, content, others, at);
  } else if (content === undefined && others === undefined) {
    if (!compareLists(findings, spot, old, now, how.required)) {
      findings.compareSchemas(spot, old.raw["schema"], now.raw["schema"], how);
    }
  } else if (!isTextEither(content ?? others)) {
    findings.add("request_parameter_form_changed", spot, { old: old.raw, new: now.raw, ...at });
  } else {
    const schemaOf = ({ raw }: Parameter) =>
      raw["schema"] ?? member([...mediaTypesOf(raw["content"]).values()][0]?.media, "schema");
    findings.compareSchemas(spot, schemaOf(old), schemaOf(now), how);
  }
  findings.addOthers(spot, old.raw, now.raw, known);
}

/**
 * Compares a single value with a list. A list that is written as repeated parameters takes a single value as a list of
 * one; one that is written in one value is a text.
 * @returns false where both sides are lists, or neither is
 */
function compareLists(
  findings: Findings,
  spot: Spot,
  old: Parameter,
  now: Parameter,
  required: boolean,
): boolean {
  const { comparison } = findings;
  const [was, is] = [comparison.old.of(old.raw["schema"]), comparison.new.of(now.raw["schema"])];
  const [wasList, isList] = [was, is].map(({ types }) => types?.size === 1 && types.has("array"));
  const isRepeated = ({ style, explode }: Parameter): boolean => style === "form" && explode;
  const mode = { side: "request", text: true, required } as const;
  if (!wasList && isList && isRepeated(now) && (is.bound("minItems")?.value ?? 0) <= 1) {
    comparison.at(spot, mode, was, is.item(0));
    return true;
  }
  const isAnyText = is.types?.has("string") === true && [...is.keywords].every((name) => name === "type");
  if (!wasList || isList || !isAnyText || isRepeated(old)) return false;
  const at = { oldPointer: old.pointer, newPointer: now.pointer };
  findings.add("request_type_widened", spot, { old: "a list, written as one value", new: "string", ...at });
  return true;
}

const isTextEither = (content: unknown): boolean =>
  Object.keys(content ?? {}).every((type) => type.startsWith("text/plain"));

/** Compares the serialisation of a value: the style of a list or object, the encoding of any value. */
function compareForm(findings: Findings, spot: Spot, old: Parameter, now: Parameter): void {
  const at = { oldPointer: old.pointer, newPointer: now.pointer };
  const isScalar = [
    findings.comparison.old.of(old.raw["schema"]),
    findings.comparison.new.of(now.raw["schema"]),
  ].every(({ types }) => types !== null && !types.has("array") && !types.has("object"));
  const isPlain = (style: string): boolean =>
    style === "form" || style === "simple" || style === "deepObject";
  for (const name of ["style", "explode"] as const) {
    if (
      old[name] === now[name] ||
      (isScalar && (name === "explode" || (isPlain(old.style) && isPlain(now.style))))
    )
      continue;
    findings.add(
      "request_parameter_form_changed",
      { ...spot, where: `${spot.where} (${name})` },
      { old: old[name], new: now[name], ...at },
    );
  }
  for (const name of ["allowEmptyValue", "allowReserved"]) {
    const [was, is] = [old.raw[name] === true, now.raw[name] === true];
    if (was === is) continue;
    const kind = is ? "request_parameter_form_widened" : "request_parameter_form_changed";
    findings.add(kind, { ...spot, where: `${spot.where} (${name})` }, { old: was, new: is, ...at });
  }
}
