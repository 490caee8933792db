import { isFields } from "../../judge/seen.ts";

/** One token of JSON, and the white space before it. */
const token = /\s*("(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|[[\]{}:,])/y;

function tokensOf(text: string): { tokens: string[]; rest: string } {
  const tokens: string[] = [];
  let end = 0;
  token.lastIndex = 0;
  for (let found = token.exec(text); found !== null; found = token.exec(text)) {
    tokens.push(found[1]!);
    end = token.lastIndex;
  }
  return { tokens, rest: text.slice(end).trimStart() };
}

/**
 * Whether a text is the beginning of a payload, however the server writes JSON: white space and escapes may differ.
 * The characters that a cut can break, the last of a text and the last digits of a number, are not looked at.
 */
export function isBeginning(text: string, payload: unknown): boolean {
  const kept = text.replace(/\uFFFD+$/, "").replace(/[-+.\deE]*$/, "");
  if (typeof payload === "string" && payload.startsWith(kept)) return true;
  const whole = tokensOf(JSON.stringify(payload)).tokens;
  const { tokens, rest } = tokensOf(kept);
  const next = whole[tokens.length];
  return (
    tokens.every((one, index) => sameToken(one, whole[index])) &&
    (rest === "" || (next !== undefined && isCut(rest, next)))
  );
}

const sameToken = (one: string, other: string | undefined): boolean =>
  one === other || (other !== undefined && /^["\d-]/.test(one) && valueOf(one) === valueOf(other));

/** Whether `rest` is what a cut left of a token. */
function isCut(rest: string, whole: string): boolean {
  if (!rest.startsWith('"')) return whole.startsWith(rest);
  const begun = valueOf(`${rest.replace(/\\(u[\da-fA-F]{0,3})?$/, "")}"`);
  const full = valueOf(whole);
  return typeof begun === "string" && typeof full === "string" && full.startsWith(begun);
}

function valueOf(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** Bytes of a payload in the shortest JSON that there is of it. */
export const sizeOf = (payload: unknown): number => Buffer.byteLength(JSON.stringify(payload) ?? "");

/** Every string, number and boolean of a JSON value, at whatever depth. */
export function leavesOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value.flatMap(leavesOf);
  if (isFields(value)) return Object.values(value).flatMap(leavesOf);
  return value === null || value === undefined ? [] : [value];
}

/** Whether a value is not found in an answer by chance: a text of some length, or a number that counts nothing. */
export const isTelling = (value: unknown): boolean =>
  typeof value === "string" ? value.length > 3 : typeof value === "number" && !Number.isInteger(value);

/** The telling values of a payload that one JSONPath expression each selects, every value once. */
export function selectable(payload: unknown): { expression: string; value: unknown }[] {
  const [row, root]: [unknown, string] = Array.isArray(payload) ? [payload[0], "$[0]"] : [payload, "$"];
  if (!isFields(row)) return [];
  const members = Object.entries(row)
    .filter(([name, value]) => isPlain(name) && isTelling(value))
    .map(([name, value]) => ({ expression: `${root}.${name}`, value }));
  return members.filter(({ value }, index) => members.findIndex((one) => one.value === value) === index);
}

/** Whether a member's name can follow a dot in JSONPath. */
const isPlain = (name: string): boolean => /^[A-Za-z_]\w*$/.test(name);

/** The first list of objects in a payload, and the path to it. */
function rowsIn(
  value: unknown,
  path = "$",
): { path: string; rows: readonly Record<string, unknown>[] } | null {
  if (Array.isArray(value)) return value.length > 1 && value.every(isFields) ? { path, rows: value } : null;
  for (const [name, member] of Object.entries(isFields(value) ? value : {})) {
    const found = isPlain(name) ? rowsIn(member, `${path}.${name}`) : null;
    if (found) return found;
  }
  return null;
}

/** Expressions that lead into the rows of a payload. */
export interface Paths {
  /** One value each: those of two rows under one name, and one in brackets, a number where there is one. */
  single: { expression: string; value: unknown }[];
  /** All rows' values under the name that tells most. */
  every: { expression: string; values: unknown[] };
}

/** Only what any JSONPath understands; null where a payload has no two rows that can be told apart. */
export function pathsInto(payload: unknown): Paths | null {
  const { path, rows } = rowsIn(payload) ?? { path: "$", rows: [] };
  const [first = {}, second = {}] = rows;
  const names = Object.keys(first).filter((name) => isPlain(name) && isTelling(first[name]));
  const twin = names.find((name) => isTelling(second[name]) && first[name] !== second[name]);
  if (twin === undefined) return null;
  const others = names.filter((name) => name !== twin);
  const other = others.find((name) => typeof first[name] === "number") ?? others[0] ?? twin;
  const told = (name: string): unknown[] => [...new Set(rows.map((row) => row[name]).filter(isTelling))];
  const fullest = names.toSorted((one, another) => told(another).length - told(one).length)[0]!;
  return {
    single: [
      { expression: `${path}[0].${twin}`, value: first[twin] },
      { expression: `${path}[1].${twin}`, value: second[twin] },
      { expression: `${path}[0]['${other}']`, value: first[other] },
    ],
    every: { expression: `${path}[*].${fullest}`, values: told(fullest) },
  };
}
