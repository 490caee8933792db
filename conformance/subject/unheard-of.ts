import { randomBytes, randomUUID } from "node:crypto";

const made = new Set<string>();

/** Whether this process made up the id, so that no resource can have it. */
export const isUnheardOf = (id: string): boolean => made.has(id);

/** An id in the format of a given one that no resource has: longer when a short one might be taken. */
export function unheardOf(id: string): string {
  const unheard = madeLike(id);
  made.add(unheard);
  return unheard;
}

function madeLike(id: string): string {
  if (/^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(id)) return randomUUID();
  if (/^\d+$/.test(id)) return `9${id}${randomBytes(3).readUIntBE(0, 3)}`;
  const last = /[a-z0-9]+(?=[^a-z0-9]*$)/i.exec(id);
  const [from, length] = last === null ? [id.length, 0] : [last.index, last[0].length];
  const other = randomBytes(32).toString("hex").slice(0, Math.max(12, length));
  return id.slice(0, from) + other + id.slice(from + length);
}
