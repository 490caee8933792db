import { isFields } from "../../judge/seen.ts";

/**
 * Whether a text is the beginning of a payload in any serialisation: order of members, white space and escapes are the
 * server's choice, and a text payload may be unquoted. Ignores what truncation can corrupt: the last character of a
 * string, if it has several bytes, and the last digits of a number.
 */
export function isBeginning(text: string, payload: unknown): boolean {
  const kept = text.replace(/\uFFFD+$/, "");
  const begins = (whole: string, begun: string): boolean =>
    whole.startsWith(begun) && (kept === text || whole.charCodeAt(begun.length) > 0x7f);
  if (typeof payload === "string" && begins(payload, kept)) return true;
  const reader = new Reader(kept, begins);
  return reader.reads(payload) && reader.isAtEnd && (kept === text || reader.endsInString);
}

/** Parses JSON that may end anywhere, and compares it with the value whose beginning it should be. */
class Reader {
  readonly #text: string;
  readonly #begins: (whole: string, begun: string) => boolean;
  #at = 0;
  endsInString = false;

  /** @param begins whether a string of the value may be truncated to another */
  constructor(text: string, begins: (whole: string, begun: string) => boolean) {
    this.#text = text;
    this.#begins = begins;
  }

  /** Skips white space. */
  get isAtEnd(): boolean {
    while (/\s/.test(this.#text[this.#at] ?? "")) this.#at += 1;
    return this.#at >= this.#text.length;
  }

  reads(value: unknown): boolean {
    if (this.isAtEnd) return true;
    if (Array.isArray(value)) return this.#readsList(value);
    if (isFields(value)) return this.#readsFields(value);
    if (typeof value === "string") return this.#readsString([value]) !== undefined;
    return this.#readsPlain(value);
  }

  #takes(character: string): boolean {
    if (this.isAtEnd) return true;
    if (this.#text[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }

  #readsList(list: readonly unknown[]): boolean {
    if (!this.#takes("[")) return false;
    return (
      list.every((member, index) => (index === 0 || this.#takes(",")) && this.reads(member)) &&
      this.#takes("]")
    );
  }

  #readsFields(fields: Record<string, unknown>): boolean {
    const left = new Set(Object.keys(fields));
    for (let begun = this.#takes("{"); left.size > 0; begun = this.#takes(",")) {
      if (!begun) return false;
      if (this.isAtEnd) return true;
      const name = this.#readsString([...left]);
      if (name === undefined || !this.#takes(":") || !this.reads(fields[name])) return false;
      left.delete(name);
    }
    return this.#takes("}");
  }

  /** The string at this position, possibly truncated; undefined when none of the strings matches. */
  #readsString(strings: readonly string[]): string | undefined {
    const [written] = /^"(?:[^"\\]|\\.)*("|\\?$)/s.exec(this.#text.slice(this.#at)) ?? [];
    if (written === undefined) return undefined;
    this.#at += written.length;
    const isWhole = /[^\\](\\\\)*"$/.test(written) || written === '""';
    if (isWhole) return strings.find((text) => text === valueOf(written));
    const begun = valueOf(`${written.replace(/\\(u[\da-fA-F]{0,3})?$/, "")}"`);
    this.endsInString = true;
    return typeof begun === "string" ? strings.find((text) => this.#begins(text, begun)) : undefined;
  }

  /** A number, a boolean or null; for a number that may be truncated, only the sign is compared. */
  #readsPlain(value: unknown): boolean {
    const [written] = /^[-+.\w]+/.exec(this.#text.slice(this.#at)) ?? [];
    if (written === undefined) return false;
    this.#at += written.length;
    if (this.#at < this.#text.length) return valueOf(written) === value;
    return typeof value === "number" ? /^[-+.\deE]+$/.test(written) : String(value).startsWith(written);
  }
}

function valueOf(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** Size in bytes above which a payload is truncated by default. */
export const defaultSize = 20_480;

/** The smallest size in bytes of a payload by any measure: as compact JSON, or as plain text. */
export const sizeOf = (payload: unknown): number =>
  Buffer.byteLength(typeof payload === "string" ? payload : (JSON.stringify(payload) ?? ""));

/** Every string, number and boolean in a JSON value, at any depth. */
export function leavesOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value.flatMap(leavesOf);
  if (isFields(value)) return Object.values(value).flatMap(leavesOf);
  return value === null || value === undefined ? [] : [value];
}

/** Every member name in a JSON value, at any depth. */
export function namesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(namesIn);
  return Object.entries(isFields(value) ? value : {}).flatMap(([name, member]) => [name, ...namesIn(member)]);
}

/** Whether a value is unlikely to occur in an answer by chance: a long text, or a number that is not a count. */
export const isTelling = (value: unknown): boolean =>
  typeof value === "string" ? value.length > 3 : typeof value === "number" && !Number.isInteger(value);

/** What is telling, in words for the reader of a report. */
export const tellingValues = "texts of more than 3 characters or numbers with decimals";

/** The distinctive values of a payload that a single JSONPath expression selects, without duplicates. */
export function selectable(payload: unknown): { expression: string; value: unknown }[] {
  const [row, root]: [unknown, string] = Array.isArray(payload) ? [payload[0], "$[0]"] : [payload, "$"];
  if (!isFields(row)) return [];
  const members = Object.entries(row)
    .filter(([name, value]) => isPlain(name) && isTelling(value))
    .map(([name, value]) => ({ expression: `${root}.${name}`, value }));
  return members.filter(
    ({ value }, index) => members.findIndex((member) => member.value === value) === index,
  );
}

/** Whether a member's name can follow a dot in JSONPath. */
const isPlain = (name: string): boolean => /^[A-Za-z_]\w*$/.test(name);

/** The first list of objects in a payload, with its path. */
function rowsIn(
  value: unknown,
  path = "$",
): { path: string; rows: readonly Record<string, unknown>[] } | null {
  if (Array.isArray(value)) return value.length > 1 && value.every(isFields) ? { path, rows: value } : null;
  for (const [name, member] of Object.entries(isFields(value) ? value : {})) {
    const rows = isPlain(name) ? rowsIn(member, `${path}.${name}`) : null;
    if (rows) return rows;
  }
  return null;
}

/** JSONPath expressions into the rows of a payload. */
export interface Paths {
  /** Expressions for one value each: the same member of two rows, and one with brackets, numeric if possible. */
  single: { expression: string; value: unknown }[];
  /** All rows' values of the most distinctive member. */
  every: { expression: string; values: unknown[] };
  /** Expressions that descend, slice and take every member. */
  forms: { expression: string; values: unknown[] }[];
  /** One list of expressions that takes long to evaluate: each member of all rows several times, the plainest last. */
  long: [{ expression: string; values: unknown[] }];
}

/** Uses only universally supported JSONPath; null when a payload has no two distinguishable rows. */
export function pathsInto(payload: unknown): Paths | null {
  const { path, rows } = rowsIn(payload) ?? { path: "$", rows: [] };
  const [first = {}, second = {}] = rows;
  const names = Object.keys(first).filter((name) => isPlain(name) && isTelling(first[name]));
  const twin = names.find((name) => isTelling(second[name]) && first[name] !== second[name]);
  if (twin === undefined) return null;
  const others = names.filter((name) => name !== twin);
  const other = others.find((name) => typeof first[name] === "number") ?? others[0] ?? twin;
  const valuesOf = (name: string): unknown[] => [...new Set(rows.map((row) => row[name]).filter(isTelling))];
  const fullest = names.toSorted((one, another) => valuesOf(another).length - valuesOf(one).length)[0]!;
  return {
    single: [
      { expression: `${path}[0].${twin}`, value: first[twin] },
      { expression: `${path}[1].${twin}`, value: second[twin] },
      { expression: `${path}[0]['${other}']`, value: first[other] },
    ],
    every: { expression: `${path}[*].${fullest}`, values: valuesOf(fullest) },
    forms: [
      { expression: `$..${fullest}`, values: valuesOf(fullest) },
      { expression: `${path}[0:2].${twin}`, values: [first[twin], second[twin]] },
      { expression: `${path}[0].*`, values: names.map((name) => first[name]) },
    ],
    long: [
      {
        expression: [
          ...names.flatMap((name) => [`$..${name}`, `$..[*].${name}`, `$..*.${name}`]),
          ...names.map((name) => `${path}[*].${name}`),
        ].join(","),
        values: names.flatMap(valuesOf),
      },
    ],
  };
}
