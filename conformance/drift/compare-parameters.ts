import { parametersOf, type Operation, type Parameter, announcedRemoval } from "./api.ts";
import { compareCarriedValue, comparePromise } from "./compare-content.ts";
import { member, paired } from "./json.ts";
import { compareOthers, inside, type Part } from "./part.ts";

/** Compares the parameters of an operation. */
export function compareParameters(of: Part, old: Operation, now: Operation): void {
  const { findings } = of;
  const list = inside(of, "parameters");
  for (const [was, is] of paired(parametersOf(findings.old, old), parametersOf(findings.new, now))) {
    const { in: place, name } = was ?? is;
    const [oldPointer, newPointer] = [was?.pointer ?? list.oldPointer, is?.pointer ?? list.newPointer];
    const spot = { side: "request", where: `${place} parameter ${name}` } as const;
    const part: Part = { ...of, ...spot, old: was?.raw, new: is?.raw, oldPointer, newPointer };
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
  const [wasList, isList] = [was, is].map(({ types }) => types?.size === 1 && types.has("array"));
  const isRepeated = ({ style, explode }: Parameter): boolean => style === "form" && explode;
  if (!wasList && isList && isRepeated(now) && (is.bound("minItems")?.value ?? 0) <= 1) {
    const mode = { side: "request", text: true, required: old.required && now.required } as const;
    findings.comparison.at(part, mode, was, is.item(0));
    return true;
  }
  const isAnyText = is.types?.has("string") === true && [...is.keywords].every((name) => name === "type");
  if (!wasList || isList || !isAnyText || isRepeated(old)) return false;
  findings.add("request_type_widened", { ...part, old: "a list, written as one value", new: "string" });
  return true;
}

/** Compares the serialisation of a value: the style of a list or object, the encoding of any value. */
function compareForm(part: Part, old: Parameter, now: Parameter): void {
  const { was, is } = part.findings.schemasOf(part);
  const isScalar = [was, is].every(
    ({ types }) => types !== null && !types.has("array") && !types.has("object"),
  );
  const arePlain = [old, now].every(({ style }) => ["form", "simple", "deepObject"].includes(style));
  const tell = (name: string, before: unknown, after: unknown): void => {
    if (before === after) return;
    const kind = before === false ? "request_parameter_form_widened" : "request_parameter_form_changed";
    part.findings.add(kind, { ...part, where: `${part.where} (${name})`, old: before, new: after });
  };
  if (!isScalar || !arePlain) tell("style", old.style, now.style);
  if (old.explode !== now.explode && !isScalar) tell("explode", String(old.explode), String(now.explode));
  for (const name of ["allowEmptyValue", "allowReserved"])
    tell(name, member(part.old, name) === true, member(part.new, name) === true);
}
