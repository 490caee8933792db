import { plain } from "./plain.ts";

/** A character as a reference of HTML and XML. */
export const numbered = (character: string): string => `&#${character.charCodeAt(0)};`;

/**
 * Escapes text for XML 1.0, as content and as an attribute value, where a bare line feed would be read as a space.
 * Characters that XML forbids, such as most control characters and lone surrogates, become U+FFFD.
 */
export const xml = (text: string): string =>
  text
    .toWellFormed()
    // eslint-disable-next-line no-control-regex -- these are the characters that XML forbids
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "\ufffd")
    .replace(/[&<>"'\n]/g, numbered);

/** Escapes text to one line of plain Markdown: it cannot start a table cell, tag, link or mention. */
export const markdown = (text: string): string =>
  plain(text)
    .replace(/\s+/g, " ")
    .replace(/[\\`*_{}[\]|#~]/g, "\\$&")
    .replace(/[&<>@]/g, numbered);

/** A workflow command, which GitHub shows as an annotation: no text can end it or begin another. */
export function workflowCommand(
  level: "error" | "warning" | "notice",
  properties: Readonly<Record<string, string | number>>,
  message: string,
): string {
  const written = Object.entries(properties).map(
    ([name, value]) => `${name}=${plain(String(value)).replace(/[%\r\n:,]/g, encodeURIComponent)}`,
  );
  return `::${level} ${written.join(",")}::${plain(message).replace(/[%\r\n]/g, encodeURIComponent)}`;
}

/** A text as a regular expression that matches only it. */
export const literally = (text: string): string => text.replace(/[\\^$.|?*+()[\]{}]/g, "\\$&");
