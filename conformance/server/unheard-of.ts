import { randomBytes, randomUUID } from "node:crypto";

const made = new Set<string>();

/** Whether this process made up the id, so that no resource can have it. */
export const isUnheardOf = (id: string): boolean => made.has(id);

/** An id in the format of a given one that no resource has: longer when a short one might be in use. */
export function unheardOf(id: string): string {
  const unheard = madeLike(id);
  made.add(unheard);
  return unheard;
}

/** The parts of an id: the word that it begins with and versions, which stay, and the characters that change. */
const parts = /^[a-z]+[^a-z0-9](?=[a-z0-9])(?!v\d+$)|(?<![a-z0-9])v\d+(?![a-z0-9])|[a-z0-9]/gi;

const isChanging = (part: string): boolean => part.length === 1;

function madeLike(id: string): string {
  if (/^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(id)) return randomUUID();
  const changing = (id.match(parts) ?? []).filter(isChanging);
  if (changing.length === 0) return id + randomBytes(6).toString("hex");
  // A word made up like this is hardly ever an id, but a short number often is.
  const enough = changing.every((part) => /\d/.test(part)) ? 12 : 6;
  const times = changing.length < enough ? Math.ceil(12 / changing.length) : 1;
  return id.replace(parts, (part) => (isChanging(part) ? otherThan(part).repeat(times) : part));
}

/** Another character of the same kind, one that hexadecimal and base-32 ids may also contain. */
function otherThan(character: string): string {
  const kind = /\d/.test(character) ? "234567" : "abcdef";
  const other = kind[character.toLowerCase().charCodeAt(0) % kind.length]!;
  return character === character.toLowerCase() ? other : other.toUpperCase();
}
