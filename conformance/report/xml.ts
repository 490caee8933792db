const entities: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
  "\n": "&#10;",
};

/**
 * Escapes text for XML 1.0, as content and as an attribute value, where a bare line feed would be read as a space.
 * Characters that XML forbids, such as most control characters and lone surrogates, become U+FFFD.
 */
export const xml = (text: string): string =>
  text
    .toWellFormed()
    // eslint-disable-next-line no-control-regex -- these are the characters that XML forbids
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "\ufffd")
    .replace(/[&<>"'\n]/g, (character) => entities[character]!);
