import { isObject } from "../../../base/data.ts";
import { operations, type OperationId, type Parameter } from "../../../generated/contract.ts";
import { misread } from "../../changes/audit-query.ts";
import type { Change } from "../../changes/mutant.ts";
import type { WireRequest } from "../../changes/wire.ts";
import type { SpecMutant } from "./mutant.ts";

type Place = "query" | "headers" | "body";

/** A parameter of an operation and its place in a request. */
interface Named extends Parameter {
  operation: OperationId;
  place: Place;
  name: string;
}

const absent = undefined;

/** The parameter's value as the client sent it; undefined when it was omitted. */
function sentValue(request: WireRequest, { place, name }: Named): unknown {
  if (place === "query") return request.query.get(name) ?? absent;
  if (place === "headers") return request.headers[name.toLowerCase()];
  return (parsed(request.sent()) as Record<string, unknown> | undefined)?.[name];
}

function parsed(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Requests of the operation reach the server with another value of the parameter; undefined removes it. */
const replacing = (parameter: Named, change: (value: unknown) => unknown): Change => ({
  inward: async (request, body) => {
    if (request.operation !== parameter.operation) return null;
    const { place, name } = parameter;
    if (place === "query") {
      const query = new URLSearchParams(request.query);
      const value = change(query.get(name) ?? absent);
      if (value === absent) query.delete(name);
      else query.set(name, String(value));
      return { query };
    }
    if (place === "headers") {
      const { [name.toLowerCase()]: old, ...rest } = request.headers;
      const value = change(old);
      return { headers: value === absent ? rest : { ...rest, [name.toLowerCase()]: String(value) } };
    }
    const sent = parsed(await body());
    if (sent === undefined) return null;
    return {
      body: JSON.stringify({ ...sent, [name]: change((sent as Record<string, unknown>)[name]) }),
    };
  },
});

/** Rejects requests with some values of the parameter. */
const refusing = (parameter: Named, chooses: (value: unknown) => boolean): Change => ({
  wire: (request, answer) => {
    if (request.operation !== parameter.operation || answer.status !== 200) return answer;
    const value = sentValue(request, parameter);
    if (value === absent || !chooses(value)) return answer;
    const detail = [
      { loc: [parameter.place, parameter.name], msg: "Input is not valid", type: "value_error" },
    ];
    const headers = { ...answer.headers, "content-type": "application/json" };
    return { ...answer, headers, status: 422, body: JSON.stringify({ detail }) };
  },
});

const isA = (parameter: Named, type: string): boolean =>
  (parameter.types as readonly string[]).includes(type);
const isNumeric = (parameter: Named): boolean => isA(parameter, "integer") || isA(parameter, "number");
const isDate = ({ name }: Named): boolean => /_date$/.test(name);

/** The parameter's allowed words; empty when it has no enum. */
const wordsOf = ({ enum: values, values: others }: Named): readonly unknown[] =>
  values ?? (others?.every((word) => /^[a-z_]+$/.test(word)) ? others : []);

const flipped = (value: unknown): unknown =>
  typeof value === "boolean" ? !value : value === "true" ? "false" : value === "false" ? "true" : value;

/** The lengths and numbers at the limits of the parameter's range. */
function boundsOf(parameter: Named): Record<
  string,
  {
    bound: number;
    of: (value: unknown) => number;
    clamp: (value: unknown) => unknown;
    beyond: (size: number) => boolean;
  }
> {
  const bounds: ReturnType<typeof boundsOf> = {};
  const number = (bound: number, below: boolean) => ({
    bound,
    of: Number,
    clamp: () => bound,
    beyond: (size: number) => (below ? size < bound : size > bound),
  });
  if (parameter.minimum !== undefined) bounds["minimum"] = number(parameter.minimum, true);
  if (parameter.maximum !== undefined) bounds["maximum"] = number(parameter.maximum, false);
  if (parameter.values?.includes(">= 0")) bounds["minimum"] = { ...number(0, true), clamp: () => absent };
  if (parameter.maxLength !== undefined) {
    const { maxLength } = parameter;
    bounds["maxLength"] = {
      bound: maxLength,
      of: (value) => [...String(value)].length,
      clamp: (value) => [...String(value)].slice(0, maxLength).join(""),
      beyond: (size) => size > maxLength,
    };
  }
  return bounds;
}

/** The value used in place of an omitted one when the default is changed. */
function otherDefaults(parameter: Named): readonly unknown[] {
  const { default: usual, minimum = -Infinity } = parameter;
  if (typeof usual === "boolean") return [!usual];
  if (typeof usual === "number") {
    const smaller = [usual - 1, Math.round(usual / 2)].filter((value) => value >= minimum && value !== usual);
    return [...new Set([...smaller, usual + 1])];
  }
  return wordsOf(parameter).filter((word) => word !== usual && usual !== undefined);
}

/** Whether a value is not of the parameter's type. */
function breaksType(value: unknown, parameter: Named): boolean {
  if (value === absent || value === null) return false;
  const text = String(value);
  if (parameter.place !== "body") {
    if (isNumeric(parameter))
      return !/^-?\d+(\.\d+)?$/.test(text) || (isA(parameter, "integer") && text.includes("."));
    if (isA(parameter, "boolean")) return !/^(true|false|0|1)$/i.test(text);
    return false;
  }
  if (isA(parameter, "integer")) return !Number.isInteger(value);
  const type = Array.isArray(value) ? "array" : typeof value;
  return !isA(parameter, type);
}

const breaksForm = (value: unknown, { pattern, format, items, ...rest }: Named): boolean => {
  if (value === absent) return false;
  if (format === "uuid") return !/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(String(value));
  if (format === "email") return !String(value).includes("@");
  if (isDate({ ...rest } as Named)) return Number.isNaN(Date.parse(String(value).replace(" ", "+")));
  if (items?.enum !== undefined && Array.isArray(value)) {
    return value.some((member) => !items.enum!.includes(member as string));
  }
  return pattern !== undefined && typeof value === "string" && !new RegExp(pattern, "u").test(value);
};

/** Ways to read another date than the requested one. */
const misreadings = ({ name }: Named): Record<string, (value: unknown) => unknown> => ({
  "without its time": misread.noInstant,
  "without its day": misread.noDay,
  "a day early": misread.dayBefore,
  ...(name === "end_date"
    ? { "ended at the beginning of its day": misread.midnight, "a second late": misread.shifted(1000) }
    : { "a second early": misread.shifted(-1000) }),
});

/** All ways to break one parameter, by description. */
function waysToBreak(parameter: Named): Record<string, Change> {
  const ways: Record<string, Change> = {};
  const words = wordsOf(parameter);
  const text = parameter.format === "email" ? "nobody@example.com" : "data";
  const sample = isA(parameter, "array") ? [] : isA(parameter, "object") ? {} : text;
  if (parameter.required) ways["missing accepted"] = replacing(parameter, (value) => value ?? sample);
  else ways["ignored"] = replacing(parameter, () => absent);
  if (isA(parameter, "boolean")) ways["inverted"] = replacing(parameter, flipped);
  if (words.length > 1) {
    ways["inverted"] = replacing(parameter, (value) => {
      const index = words.indexOf(value);
      return index < 0 ? value : words[(index + 1) % words.length];
    });
  }
  for (const value of otherDefaults(parameter)) {
    ways[`default ${JSON.stringify(value)}`] = replacing(parameter, (sent) =>
      sent === absent ? value : sent,
    );
  }
  for (const [name, { bound, of, clamp, beyond }] of Object.entries(boundsOf(parameter))) {
    ways[`${name} refused`] = refusing(parameter, (value) => of(value) === bound);
    ways[`beyond ${name} accepted`] = replacing(parameter, (value) =>
      value !== absent && beyond(of(value)) ? clamp(value) : value,
    );
  }
  for (const word of words) {
    ways[`${JSON.stringify(word)} refused`] = refusing(parameter, (value) => value === word);
    if (word === parameter.default) continue;
    ways[`${JSON.stringify(word)} ignored`] = replacing(parameter, (value) =>
      value === word ? absent : value,
    );
  }
  if (words.length > 0) {
    ways["outside its vocabulary accepted"] = replacing(parameter, (value) =>
      typeof value === "string" && !words.includes(value) ? absent : value,
    );
  }
  const formed =
    parameter.pattern ??
    parameter.format ??
    parameter.items?.enum ??
    (isDate(parameter) ? "date" : undefined);
  if (formed !== undefined && !parameter.required) {
    ways["of another form accepted"] = replacing(parameter, (value) =>
      breaksForm(value, parameter) ? absent : value,
    );
  }
  if (isDate(parameter)) {
    for (const [way, read] of Object.entries(misreadings(parameter)))
      ways[way] = replacing(parameter, (value) => (value === absent ? absent : read(value)));
  }
  if (isNumeric(parameter) || isA(parameter, "boolean") || parameter.place === "body") {
    ways["of another type accepted"] = replacing(parameter, (value) =>
      breaksType(value, parameter) ? (parameter.required ? sample : absent) : value,
    );
  }
  for (const value of parameter.items?.enum ?? []) {
    ways[`${JSON.stringify(value)} refused`] = refusing(
      parameter,
      (sent) => Array.isArray(sent) && sent.includes(value),
    );
  }
  return ways;
}

const named = (Object.keys(operations) as OperationId[]).flatMap((operation) =>
  (["query", "headers", "body"] as const).flatMap((place) =>
    Object.entries(operations[operation][place] as Record<string, Parameter>)
      .filter(([, { open }]) => !open)
      .map(([name, parameter]): Named => ({ ...parameter, operation, place, name })),
  ),
);

/** Each parameter of each operation, broken in each way. */
export const parameterMutants: readonly SpecMutant[] = named.flatMap((parameter) =>
  Object.entries(waysToBreak(parameter)).map(([way, change]) => ({
    id: `parameter ${parameter.operation} ${parameter.place} ${parameter.name} ${way}`,
    family: "parameter",
    operation: parameter.operation,
    // The kind of a way omits the value that it concerns.
    way: way.replace(/^".*" |(?<=^default ).*$/, ""),
    change,
  })),
);
