import { isFields } from "./seen.ts";

type Param = Record<string, unknown>;

const paramsIn = (params: unknown): Param[] => (Array.isArray(params) ? params.filter(isFields) : []);

/** The mark of a definition; undefined when it has none. */
function markOf(param: Param): unknown {
  const mark = param["one_of_required"];
  const isEmpty = Array.isArray(mark) && mark.length === 0;
  return mark === null || mark === false || mark === "" || isEmpty ? undefined : mark;
}

const namesIn = (params: readonly Param[]): string[] =>
  params.flatMap(({ name }) => (typeof name === "string" ? [name] : []));

/**
 * The parameters of a tool that belong to a one-of group: those that are marked and those that a mark names. The
 * contract says that groups are marked `one_of_required` but not with which value or where.
 */
export function oneOfFields(params: unknown): string[] {
  const definitions = paramsIn(params);
  const marked = definitions.filter((param) => markOf(param) !== undefined);
  const marks = marked.map((param) => JSON.stringify(markOf(param))).join(" ");
  const named = new Set(marks.match(/[\w.-]+/g));
  const names = namesIn(marked);
  return namesIn(definitions).filter((name) => names.includes(name) || named.has(name));
}

/**
 * The one-of groups that the marks reveal, as lists of parameter names: a mark that names parameters, or a label that
 * several definitions share. Empty when the marks have another form, such as a flag.
 */
export function oneOfGroups(params: unknown): string[][] {
  const definitions = paramsIn(params);
  const known = namesIn(definitions);
  const named = new Map<string, string[]>();
  const labelled = new Map<string, string[]>();
  for (const param of definitions) {
    const mark = markOf(param);
    const own = namesIn([param]);
    const labels = (Array.isArray(mark) ? mark : [mark]).filter((label) => typeof label === "string");
    if (
      Array.isArray(mark) &&
      labels.length === mark.length &&
      labels.every((label) => known.includes(label))
    ) {
      const names = [...new Set([...labels, ...own])];
      named.set(names.toSorted().join(), names);
    } else for (const label of labels) labelled.set(label, [...(labelled.get(label) ?? []), ...own]);
  }
  return [...named.values(), ...[...labelled.values()].filter((names) => names.length > 1)];
}

/** Whether an enum allows a value; of a list, every member. */
export const allows = (allowed: readonly unknown[], value: unknown): boolean =>
  (Array.isArray(value) ? (value as unknown[]) : [value]).every((member) => allowed.includes(member));

/** How parameters violate the required, enum and one-of constraints of a contract; null when they satisfy them. */
export function missingFrom(parameters: Record<string, unknown>, params: unknown): string | null {
  const gives = (name: string): boolean => Object.hasOwn(parameters, name);
  for (const param of paramsIn(params)) {
    const { name } = param;
    // A name of another type is a separate fault.
    if (typeof name !== "string") continue;
    if (param["required"] === true && !gives(name)) return `the required ${name}`;
    const allowed = param["enum"];
    if (!gives(name) || !Array.isArray(allowed) || allowed.length === 0) continue;
    if (!allows(allowed, parameters[name])) return `${name} out of ${JSON.stringify(allowed)}`;
  }
  const some = oneOfFields(params);
  const groups = some.length > 0 ? [...oneOfGroups(params), some] : [];
  const lacking = groups.find((group) => !group.some(gives));
  return lacking === undefined ? null : `one of ${lacking.join(", ")}`;
}
