import { literally } from "../../base/escaped.ts";

/** One escaped character, in JSON, in a URL or in HTML. */
const escape = /\\u([0-9a-f]{4})|\\(["\\/])|%([0-7][0-9a-f])|&#x([0-9a-f]{2,4});|&#(\d{2,4});/gi;

/** Levels of escaping that are undone, for JSON within JSON or in a URL. */
const maxLevels = 3;

/** The place of a secret in a text. */
interface Found {
  secret: string;
  index: number;
}

/** Finds the secrets in a text, in their order. */
export type Find = (text: string) => readonly Found[];

/**
 * Replaces each secret that is found, even where its characters are escaped (`\/`, `\u002B`, `%2B`). Runs in linear
 * time.
 */
export function masked(text: string, find: Find, labelOf: (secret: string) => string): string {
  const result = replaced(text, { starts: null }, find(text), labelOf);
  return hidesSecret(result, find) ? unhidden(result, find, labelOf) : result;
}

/** Whether a text shows a secret once its escapes are undone: rare, and cheaper to find than the place. */
function hidesSecret(text: string, find: Find): boolean {
  let readable = text;
  for (let level = 0; level < maxLevels; level += 1) {
    if (!/[\\%&]/.test(readable)) return false;
    const next = readable.replaceAll(escape, (_, ...groups: (string | undefined)[]) => undone(groups));
    if (next === readable) return false;
    if (find(next).length > 0) return true;
    readable = next;
  }
  return false;
}

/** The character that the groups of `escape` stand for. */
const undone = ([unicode, plain, percent, hex, decimal]: readonly (string | undefined)[]): string =>
  plain ??
  String.fromCharCode(decimal === undefined ? parseInt((unicode ?? percent ?? hex)!, 16) : Number(decimal));

function unhidden(text: string, find: Find, labelOf: (secret: string) => string): string {
  let result = text;
  let readable: Decoded | null = decoded({ text: result, starts: null });
  for (let level = 0; readable !== null && level < maxLevels; level += 1) {
    const found = find(readable.text);
    if (found.length > 0) {
      result = replaced(result, readable, found, labelOf);
      readable = { text: result, starts: null };
      level = -1;
    }
    readable = decoded(readable);
  }
  return result;
}

/**
 * A text with its escapes undone, and the original offset of each of its characters; null when the offsets are
 * unchanged.
 */
interface Decoded {
  text: string;
  starts: Uint32Array | null;
}

/** One level of escapes undone; null when there are none. */
function decoded({ text, starts }: Decoded): Decoded | null {
  if (!/[\\%&]/.test(text)) return null;
  const parts: string[] = [];
  const begins = new Uint32Array(text.length + 1);
  let length = 0;
  let from = 0;
  const keep = (to: number): void => {
    parts.push(text.slice(from, to));
    for (let at = from; at < to; at += 1) begins[length++] = starts?.[at] ?? at;
  };
  for (const match of text.matchAll(escape)) {
    const { 0: found, index } = match;
    keep(index);
    parts.push(undone(match.slice(1)));
    begins[length++] = starts?.[index] ?? index;
    from = index + found.length;
  }
  if (from === 0) return null;
  keep(text.length);
  begins[length] = starts?.[text.length] ?? text.length;
  return { text: parts.join(""), starts: begins.subarray(0, length + 1) };
}

function replaced(
  original: string,
  { starts }: Pick<Decoded, "starts">,
  found: readonly Found[],
  labelOf: (secret: string) => string,
): string {
  if (found.length === 0) return original;
  let result = "";
  let from = 0;
  for (const { secret, index } of found) {
    result += original.slice(from, starts?.[index] ?? index) + labelOf(secret);
    from = starts?.[index + secret.length] ?? index + secret.length;
  }
  return result + original.slice(from);
}

/**
 * How a secret looks in base64, wherever it begins within the encoded text, and in hexadecimal; none for a short
 * secret, which could match by chance.
 */
export function codedForms(secret: string): string[] {
  if (secret.length < shortestFree) return [];
  const bytes = Buffer.from(secret);
  const base64 = [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64url");
    // The characters at both ends also depend on the text around the secret.
    return text.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
  });
  const forms = base64.flatMap((text) => [text, text.replaceAll("-", "+").replaceAll("_", "/")]);
  const hex = bytes.toString("hex");
  return [...new Set([...forms, hex, hex.toUpperCase()])];
}

/**
 * Shorter secrets are masked only where they are isolated: as a whole JSON string, as a bearer credential, or, if they
 * are at least `shortestWord` long and not a number, as a word. The digits of a mailed code would corrupt numbers.
 */
const shortestFree = 12;
const shortestWord = 6;

const isNumber = (secret: string): boolean => /^\d+$/.test(secret);

/** Characters by which a possible place of a secret is recognised. */
const beginningLength = 6;

/** A pattern for possible places of a secret. Mailed codes differ from their first digit on, and are many. */
function beginningOf(secret: string): string {
  const literal = literally(secret.slice(0, beginningLength));
  if (secret.length >= shortestFree) return literal;
  return `(?<![\\w-])${isNumber(secret) ? `\\d{${secret.length}}(?!\\w)` : literal}`;
}

/**
 * Secrets to find in texts. A pattern of all of them would be compiled again for each new one; but hundreds of secrets
 * begin in few ways, and a text that begins so is looked up.
 */
export class KnownSecrets {
  readonly #secrets = new Set<string>();
  readonly #beginnings = new Set<string>();
  /** The longest first, since one secret may be a prefix of another. */
  #lengths: readonly number[] = [];
  #pattern = /(?!)/g;

  constructor(secrets: Iterable<string> = []) {
    for (const secret of secrets) this.add(secret);
  }

  add(secret: string): void {
    this.#secrets.add(secret);
    this.#lengths = [...new Set([...this.#lengths, secret.length])].sort((one, other) => other - one);
    const beginning = beginningOf(secret);
    if (this.#beginnings.has(beginning)) return;
    this.#beginnings.add(beginning);
    this.#pattern = new RegExp([...this.#beginnings].join("|"), "g");
  }

  readonly find: Find = (text) => {
    const found: Found[] = [];
    const pattern = this.#pattern;
    pattern.lastIndex = 0;
    for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
      const { index } = match;
      const secret = this.#at(text, index);
      if (secret !== undefined) found.push({ secret, index });
      pattern.lastIndex = index + (secret?.length ?? 1);
    }
    return found;
  };

  #at(text: string, index: number): string | undefined {
    for (const length of this.#lengths) {
      const secret = text.slice(index, index + length);
      const isKnown = secret.length === length && this.#secrets.has(secret);
      if (isKnown && (length >= shortestFree || standsAlone(text, index, secret))) return secret;
    }
    return undefined;
  }
}

/** Whether a short secret at an index fills its place, and is not part of another text. */
function standsAlone(text: string, index: number, secret: string): boolean {
  const end = index + secret.length;
  if (text[index - 1] === '"' && text[end] === '"') return true;
  if (/[\w-]/.test(text[end] ?? "")) return false;
  if (/bearer $/i.test(text.slice(Math.max(0, index - 7), index))) return true;
  return secret.length >= shortestWord && !isNumber(secret) && !/[\w-]/.test(text[index - 1] ?? "");
}
