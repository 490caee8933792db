/** The extent of a JSON value, before its text is parsed: a few bytes of text may become a hundred of memory. */
export interface Extent {
  /** How deep arrays and objects are nested. */
  levels: number;
  /** The number of values, nested ones included. */
  values: number;
}

/** The memory of a value besides its text, in bytes: an array with one member. */
export const bytesOfValue = 64;

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const opening = new Set([0x5b, 0x7b]);
const closing = new Set([0x5d, 0x7d]);
const isSpace = (byte: number): boolean => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);

/**
 * Measures a JSON text. Text that is not JSON has some extent, too.
 * @param text in UTF-8
 */
export function extentOf(text: Uint8Array): Extent {
  let depth = 0;
  let levels = 0;
  let values = 1;
  let isEmpty = false;
  for (let at = 0; at < text.length; at += 1) {
    const byte = text[at]!;
    if (isSpace(byte)) continue;
    if (closing.has(byte)) {
      depth -= 1;
      if (isEmpty) values -= 1;
    } else if (byte === comma) values += 1;
    else if (byte === quote) at = endOfString(text, at);
    isEmpty = opening.has(byte);
    if (!isEmpty) continue;
    values += 1;
    depth += 1;
    if (depth > levels) levels = depth;
  }
  return { levels, values };
}

/** The place of the quote that ends a string; the end of the text if there is none. */
function endOfString(text: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== quote) at += text[at] === backslash ? 2 : 1;
  return at;
}
