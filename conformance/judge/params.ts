import { isFields } from "./seen.ts";

type Param = Record<string, unknown>;

const fieldsOf = (params: unknown): Param[] => (Array.isArray(params) ? params.filter(isFields) : []);

/**
 * The one-of groups of a tool's `params`, as lists of parameter names. The contract says that groups are marked
 * `one_of_required` and leaves open with what: a label, a flag, or the names of the group or of its other members.
 */
export function oneOfGroups(params: unknown): string[][] {
  const groups = new Map<string, string[]>();
  for (const param of fieldsOf(params)) {
    const mark = param["one_of_required"];
    if (mark === undefined || mark === null || mark === false) continue;
    const key = JSON.stringify(mark);
    if (Array.isArray(mark)) {
      const names = [...new Set([...mark, param["name"]].filter((name) => name !== undefined).map(String))];
      groups.set(names.toSorted().join(), names);
    } else groups.set(key, [...(groups.get(key) ?? []), String(param["name"])]);
  }
  return [...groups.values()];
}

/** What parameters lack to keep the required, enum and one-of constraints of a contract; null when nothing. */
export function missingFrom(parameters: Record<string, unknown>, params: unknown): string | null {
  for (const param of fieldsOf(params)) {
    const name = String(param["name"]);
    const given = Object.hasOwn(parameters, name);
    if (param["required"] === true && !given) return `the required ${name}`;
    const allowed = param["enum"];
    if (!given || !Array.isArray(allowed) || allowed.length === 0) continue;
    const value = parameters[name];
    const values: unknown[] = Array.isArray(value) ? value : [value];
    if (!values.every((one) => allowed.includes(one))) return `${name} out of ${JSON.stringify(allowed)}`;
  }
  const lacking = oneOfGroups(params).find((group) => !group.some((name) => Object.hasOwn(parameters, name)));
  return lacking === undefined ? null : `one of ${lacking.join(", ")}`;
}
