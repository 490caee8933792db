import { isObject, kept } from "../../base/data.ts";
import { clipped } from "../clipped.ts";
import type { Param } from "./tool.ts";
import { suggestion } from "../../base/yaml/nearest.ts";

/** A violation of a tool's contract by parameters. */
export interface Violation {
  /** The parameter's name, or the label of the one-of group. */
  param: string;
  type: "missing" | "type" | "enum" | "range" | "format" | "unknown" | "one_of";
  /** What is wrong and what would be right, as a sentence; never the given value. */
  message: string;
}

/** A publisher of a parameter contract: a tool or a capability. */
interface Contracted {
  params: readonly Param[];
}

const typeChecks: Record<Param["type"], (value: unknown) => boolean> = {
  string: (value) => typeof value === "string",
  integer: (value) => Number.isSafeInteger(value),
  number: (value) => typeof value === "number" && Number.isFinite(value),
  boolean: (value) => typeof value === "boolean",
  array: (value) => Array.isArray(value),
  object: isObject,
};

const isDate = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) && new Date(`${text}T00:00:00Z`).toJSON()?.slice(0, 10) === text;

const formats: Record<NonNullable<Param["format"]>, { holds(text: string): boolean; such: string }> = {
  date: { holds: isDate, such: "a date such as 2026-09-12" },
  "date-time": {
    holds: (text) =>
      /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/.test(text) &&
      isDate(text.slice(0, 10)) &&
      !Number.isNaN(Date.parse(text)),
    such: "a time such as 2026-09-12T08:30:00Z",
  },
  email: { holds: (text) => /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text), such: "an e-mail address" },
  uri: { holds: (text) => /^https?:/i.test(text) && URL.canParse(text), such: "an http or https address" },
};

const compiled = new Map<string, RegExp>();

/** The pattern as a whole-string expression, compiled once. */
const expression = (pattern: string): RegExp =>
  kept(compiled, pattern, () => new RegExp(`^(?:${pattern})$`, "u"));

const articles: Record<Param["type"], string> = {
  string: "a string",
  integer: "an integer",
  number: "a number",
  boolean: "true or false",
  array: "an array",
  object: "an object",
};

function judgeValue(param: Param, value: unknown): Violation | undefined {
  const broken = (type: Violation["type"], right: string): Violation => ({
    param: param.name,
    type,
    message: `Parameter "${param.name}" must be ${right}.`,
  });
  if (!typeChecks[param.type](value)) return broken("type", articles[param.type]);
  if (param.enum !== undefined && !param.enum.some((allowed) => allowed === value)) {
    return broken("enum", `one of ${param.enum.map((allowed) => JSON.stringify(allowed)).join(", ")}`);
  }
  if (typeof value === "number") {
    if (param.minimum !== undefined && value < param.minimum)
      return broken("range", `at least ${param.minimum}`);
    if (param.maximum !== undefined && value > param.maximum)
      return broken("range", `at most ${param.maximum}`);
  }
  if (typeof value === "string") {
    if (param.pattern !== undefined && !expression(param.pattern).test(value)) {
      return broken("format", `a string that matches ${param.pattern}`);
    }
    if (param.format !== undefined && !formats[param.format].holds(value)) {
      return broken("format", formats[param.format].such);
    }
  }
  return undefined;
}

/** The one-of groups of a contract: label to members, in contract order. */
export function oneOfGroups(contract: Contracted): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const { name, one_of_required: label } of contract.params) {
    if (label !== undefined) groups.set(label, [...(groups.get(label) ?? []), name]);
  }
  return groups;
}

/**
 * All violations of the contract by the parameters, in contract order; empty if there are none. Each unknown name is a
 * violation by itself; `null` is an ordinary value and so breaks the type. Contract: Call failure categories,
 * "Parameter error".
 */
export function violations(contract: Contracted, parameters: Readonly<Record<string, unknown>>): Violation[] {
  const found: Violation[] = [];
  for (const param of contract.params) {
    if (Object.hasOwn(parameters, param.name)) {
      const broken = judgeValue(param, parameters[param.name]);
      if (broken !== undefined) found.push(broken);
    } else if (param.required) {
      const message = `Parameter "${param.name}" is required: give ${articles[param.type]}.`;
      found.push({ param: param.name, type: "missing", message });
    }
  }
  for (const [label, members] of oneOfGroups(contract)) {
    if (!members.some((name) => Object.hasOwn(parameters, name))) {
      const names = members.map((name) => `"${name}"`).join(", ");
      found.push({ param: label, type: "one_of", message: `Give at least one of ${names}.` });
    }
  }
  return [...found, ...unknownNames(contract, Object.keys(parameters))];
}

/** The most unknown names listed; one sentence gives the number of the others. */
const maxUnknown = 10;

function unknownNames(contract: Contracted, sent: readonly string[]): Violation[] {
  const known = new Set(contract.params.map(({ name }) => name));
  const names =
    known.size === 0 ? "It takes none." : `It takes ${[...known].map((name) => `"${name}"`).join(", ")}.`;
  const unknown = sent.filter((name) => !known.has(name)).map((name) => clipped(name, 64));
  const found = unknown.slice(0, maxUnknown).map((name): Violation => ({
    param: name,
    type: "unknown",
    message: `The tool has no parameter ${JSON.stringify(name)}.${suggestion(name, known)} ${names}`,
  }));
  const more = unknown[maxUnknown];
  if (more === undefined) return found;
  const message = `It has none of ${unknown.length - maxUnknown} further parameters either.`;
  return [...found, { param: more, type: "unknown", message }];
}

/**
 * Whether the parameters look like another tool's: there are some, and this contract has none of them (contract: Call
 * failure categories, "Schema mismatch").
 */
export function belongElsewhere(
  contract: Contracted,
  parameters: Readonly<Record<string, unknown>>,
): boolean {
  const names = Object.keys(parameters);
  return names.length > 0 && !contract.params.some(({ name }) => names.includes(name));
}
