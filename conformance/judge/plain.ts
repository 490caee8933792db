/** Control characters, and the marks that let text run the other way, hide, or begin a line. */
const steering =
  // eslint-disable-next-line no-control-regex -- a server may send them
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** What CI systems take for a command of their own: `::error` first in a line, `##[error]` anywhere. */
const command = /^([^\S\n]*):(?=:)|#(?=#\[|#vso\[)/gm;

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** Text of a server for a terminal or a log: what would steer either is written as its escape. Its lines are kept. */
export const plain = (text: string): string =>
  text
    .replaceAll("\r\n", "\n")
    .replace(steering, escaped)
    .replace(command, (found, indent: string | undefined) => (indent ?? "") + escaped(found.at(-1)!));

/** The same in one line, and not endless: for a sentence that quotes a server. */
export function inLine(text: string, most = 200): string {
  const line = plain(text.slice(0, 2 * most).trim()).replace(/\s*\n\s*/g, " ");
  return line.length <= most ? line : `${line.slice(0, most)}…`;
}
