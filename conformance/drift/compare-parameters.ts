import { parametersOf, type Operation, type Parameter } from "./api.ts";
import { compareCarriedValue, comparePromise, placesOf } from "./compare-carried.ts";
import type { Spot } from "./finding.ts";
import type { Findings } from "./findings.ts";
import { paired } from "./paired.ts";
import { announcedRemoval } from "./sunset.ts";

/** Compares the parameters of an operation. */
export function compareParameters(findings: Findings, of: Spot, old: Operation, now: Operation): void {
  for (const [was, is] of paired(parametersOf(findings.old, old), parametersOf(findings.new, now))) {
    const { in: place, name } = was ?? is;
    const spot = { ...of, side: "request", where: `${place} parameter ${name}` } as const;
    if (was === undefined) {
      const kind = is.required ? "request_required_parameter_added" : "request_parameter_added";
      const found = { new: is.raw, oldPointer: `${old.pointer}/parameters`, newPointer: is.pointer };
      findings.add(kind, spot, found);
    } else if (is === undefined) {
      const announced = announcedRemoval(was.raw, findings.settings.today) ?? "request_parameter_removed";
      const found = { old: was.raw, oldPointer: was.pointer, newPointer: `${now.pointer}/parameters` };
      findings.add(was.raw["x-open"] === true ? "open_changed" : announced, spot, found);
    } else compareParameter(findings, spot, was, is);
  }
}

const compared = "name in required style explode allowEmptyValue allowReserved schema content x-open".split(
  " ",
);

type RequestSpot = Spot & { side: "request" };

function compareParameter(findings: Findings, spot: RequestSpot, old: Parameter, now: Parameter): void {
  if (!comparePromise(findings, spot, old, now)) return;
  compareForm(findings, spot, old, now);
  if (!compareLists(findings, spot, old, now)) compareCarriedValue(findings, spot, old, now);
  findings.addOthers(spot, old.raw, now.raw, compared);
}

/**
 * Compares a single value with a list. A list that is written as repeated parameters takes a single value as a list of
 * one; one that is written in one value is a text.
 * @returns false where both sides are lists, or neither is
 */
function compareLists(findings: Findings, spot: RequestSpot, old: Parameter, now: Parameter): boolean {
  if (old.raw["content"] !== undefined || now.raw["content"] !== undefined) return false;
  const { comparison } = findings;
  const [was, is] = [comparison.old.of(old.raw["schema"]), comparison.new.of(now.raw["schema"])];
  const [wasList, isList] = [was, is].map(({ types }) => types?.size === 1 && types.has("array"));
  const isRepeated = ({ style, explode }: Parameter): boolean => style === "form" && explode;
  if (!wasList && isList && isRepeated(now) && (is.bound("minItems")?.value ?? 0) <= 1) {
    const mode = { side: "request", text: true, required: old.required && now.required } as const;
    comparison.at(spot, mode, was, is.item(0));
    return true;
  }
  const isAnyText = is.types?.has("string") === true && [...is.keywords].every((name) => name === "type");
  if (!wasList || isList || !isAnyText || isRepeated(old)) return false;
  const found = { old: "a list, written as one value", new: "string", ...placesOf(old, now) };
  findings.add("request_type_widened", spot, found);
  return true;
}

/** Compares the serialisation of a value: the style of a list or object, the encoding of any value. */
function compareForm(findings: Findings, spot: RequestSpot, old: Parameter, now: Parameter): void {
  const { comparison } = findings;
  const isScalar = [comparison.old.of(old.raw["schema"]), comparison.new.of(now.raw["schema"])].every(
    ({ types }) => types !== null && !types.has("array") && !types.has("object"),
  );
  const arePlain = [old, now].every(({ style }) => ["form", "simple", "deepObject"].includes(style));
  const tell = (name: string, how: "changed" | "widened", was: unknown, is: unknown): unknown =>
    findings.add(
      `request_parameter_form_${how}`,
      { ...spot, where: `${spot.where} (${name})` },
      { old: was, new: is, ...placesOf(old, now) },
    );
  if (old.style !== now.style && !(isScalar && arePlain)) tell("style", "changed", old.style, now.style);
  if (old.explode !== now.explode && !isScalar) tell("explode", "changed", old.explode, now.explode);
  for (const name of ["allowEmptyValue", "allowReserved"]) {
    const [was, is] = [old.raw[name] === true, now.raw[name] === true];
    if (was !== is) tell(name, is ? "widened" : "changed", was, is);
  }
}
