/** What stands for one character: an escape of JSON or of an address. */
const escape = /\\u([0-9a-f]{4})|\\(["\\/])|%([0-7][0-9a-f])/gi;

/** A text that was written as JSON within JSON, or as JSON in an address, is decoded so often. */
const mostLevels = 3;

/**
 * A text in which each secret that a pattern finds is replaced, also where its characters are written as escapes
 * (`\/`, `\u002B`, `%2B`). Takes time in proportion to the text.
 * @param pattern with the flag `g`; it matches a secret and nothing beside it
 */
export function masked(text: string, pattern: RegExp, labelOf: (secret: string) => string): string {
  let result = text.replace(pattern, labelOf);
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

/** A text with its escapes undone, and for each of its characters where that begins in the original; null: as there. */
interface Decoded {
  text: string;
  starts: Uint32Array | null;
}

/** One level of escapes undone; null where there are none. */
function decoded({ text, starts }: Decoded): Decoded | null {
  const parts: string[] = [];
  const begins = new Uint32Array(text.length + 1);
  let length = 0;
  let from = 0;
  const keep = (to: number): void => {
    parts.push(text.slice(from, to));
    for (let at = from; at < to; at += 1) begins[length++] = starts?.[at] ?? at;
  };
  for (const { 0: found, 1: unicode, 2: plain, 3: percent, index } of text.matchAll(escape)) {
    keep(index);
    parts.push(plain ?? String.fromCharCode(parseInt(unicode ?? percent!, 16)));
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

/** Secrets shorter than this are masked only as a whole JSON string: digits of a mailed code would break numbers. */
const shortestFree = 12;

/** Matches each secret where it is to be masked, the longest first: one secret may begin another. */
export function patternOf(secrets: Iterable<string>): RegExp {
  const found = [...secrets].sort((one, other) => other.length - one.length).map(asFound);
  return new RegExp(found.join("|") || "(?!)", "g");
}

function asFound(secret: string): string {
  const literal = secret.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  return secret.length < shortestFree ? `(?<=")${literal}(?=")` : literal;
}
