/** Control characters, and characters that reverse, hide or break text. */
const steering =
  // eslint-disable-next-line no-control-regex -- a server may send them
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** What CI systems read as a command: `::error` at the start of a line, `##[error]` anywhere. */
const command = /^([^\S\n]*):(?=:)|#(?=#\[|#vso\[)/gm;

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** Makes server text safe for a terminal or a log by escaping whatever would control either. Keeps line breaks. */
export const plain = (text: string): string =>
  text
    .replaceAll("\r\n", "\n")
    .replace(steering, escaped)
    .replace(command, (match, indent: string | undefined) => (indent ?? "") + escaped(match.at(-1)!));

/** The same on one line and of bounded length, for a sentence that quotes a server. */
export function inLine(text: string, max = 200): string {
  const line = plain(text.slice(0, 2 * max).trim()).replace(/\s*\n\s*/g, " ");
  return line.length <= max ? line : `${line.slice(0, max)}…`;
}
