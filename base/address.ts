/**
 * A URL without user, password, query and fragment, which a base address never needs and which may hold a secret: a
 * client of this API sends its key in a header.
 */
export const bareAddress = (address: string): string =>
  address.replace(/^([a-z][a-z\d+.-]*:\/\/)[^\s/?#]*@/i, "$1").replace(/[?#].*$/s, "");

/** Decodes a percent-encoded text; returns an invalid one unchanged. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Percent-encodes a text. Half a character, which JSON can hold and UTF-8 cannot, becomes U+FFFD. */
export const encoded = (text: string): string => encodeURIComponent(text.toWellFormed());
