/*
 * What people write into flags and profiles. It is checked before it is used, so that a mistake in it is never reported
 * as a fault of the server.
 */

/** Why a text is not an http or https address, completing "must be …"; null if it is one. */
export function addressFault(text: string, example = "http://127.0.0.1:8080/api/v1"): string | null {
  const unset = unresolved(text);
  if (unset !== null) return `an address; ${unset} was not replaced`;
  if (/^https?:[^?#]*[?#]/i.test(text)) return "an address without a query or a fragment";
  const isAddress = /^https?:\/\/[^/?#\s]/i.test(text) && !/\s/.test(text) && URL.canParse(text);
  return isAddress ? null : `an http or https address, such as ${example}`;
}

/** Why a text cannot be sent as a credential, completing "must be …"; null if it can. It never repeats the text. */
export function keyFault(text: string): string | null {
  const unset = unresolved(text);
  if (unset !== null) return `a key; ${unset} was not replaced`;
  if (/^bearer\s/i.test(text)) return "only a key, without Bearer before it";
  const odd = /[^\x21-\x7e]/u.exec(text);
  if (odd === null) return text === "" ? "a key, and is empty" : null;
  const character = odd[0].codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0");
  const where = odd.index === text.length - 1 ? "at its end" : `as character ${odd.index + 1}`;
  return `a key without blanks, line breaks or other than ASCII characters; it has U+${character} ${where}`;
}

/** A variable of a shell or a template that was not replaced. */
const unresolved = (text: string): string | null =>
  /^\$\w+$|\$\{[^}]*\}|^\{\{[^}]*\}\}$/.exec(text)?.[0] ?? null;
