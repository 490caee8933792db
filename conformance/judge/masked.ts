/** One escaped character, in JSON or in a URL. */
const escape = /\\u([0-9a-f]{4})|\\(["\\/])|%([0-7][0-9a-f])/gi;

/** Levels of escaping that are undone, for JSON within JSON or in a URL. */
const mostLevels = 3;

/**
 * Replaces each secret that a pattern matches, even where its characters are escaped (`\/`, `\u002B`, `%2B`). Runs in
 * linear time.
 * @param pattern has the flag `g` and matches exactly a secret
 */
export function masked(text: string, pattern: RegExp, labelOf: (secret: string) => string): string {
  const result = text.replace(pattern, labelOf);
  return hidesSecret(result, pattern) ? unhidden(result, pattern, labelOf) : result;
}

/** Whether a text shows a secret when its escapes are undone: seldom, and cheaper to find than where. */
function hidesSecret(text: string, pattern: RegExp): boolean {
  let readable = text;
  for (let level = 0; level < mostLevels; level += 1) {
    if (!/[\\%]/.test(readable)) return false;
    const next = readable.replaceAll(escape, (_, ...groups: (string | undefined)[]) => undone(groups));
    if (next === readable) return false;
    if (next.search(pattern) !== -1) return true;
    readable = next;
  }
  return false;
}

/** The character that the groups of `escape` stand for. */
const undone = ([unicode, plain, percent]: readonly (string | undefined)[]): string =>
  plain ?? String.fromCharCode(parseInt(unicode ?? percent!, 16));

function unhidden(text: string, pattern: RegExp, labelOf: (secret: string) => string): string {
  let result = text;
  let readable: Decoded | null = decoded({ text: result, starts: null });
  for (let level = 0; readable !== null && level < mostLevels; level += 1) {
    const found = [...readable.text.matchAll(pattern)];
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
  if (!text.includes("\\") && !text.includes("%")) return null;
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
  { starts }: Decoded,
  found: readonly RegExpExecArray[],
  labelOf: (secret: string) => string,
): string {
  let result = "";
  let from = 0;
  for (const { 0: secret, index } of found) {
    result += original.slice(from, starts![index]) + labelOf(secret);
    from = starts![index + secret.length]!;
  }
  return result + original.slice(from);
}

/** Shorter secrets are masked only as a whole JSON string: the digits of a mailed code would corrupt numbers. */
const shortestFree = 12;

/** Matches each secret, the longest first, since one secret may be a prefix of another. */
export function patternOf(secrets: Iterable<string>): RegExp {
  const found = [...secrets].sort((one, other) => other.length - one.length).map(asFound);
  return new RegExp(found.join("|") || "(?!)", "g");
}

function asFound(secret: string): string {
  const literal = secret.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  return secret.length < shortestFree ? `(?<=")${literal}(?=")` : literal;
}
