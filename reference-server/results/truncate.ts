/** Disables truncation (contract: Call, `max_response_size`). */
export const unlimited = -1;

/**
 * The beginning of a text of at most `limit` UTF-8 bytes, or null if the whole text fits. The cut is never inside a
 * character.
 * @param limit in bytes; -1 never truncates
 */
export function truncate(text: string, limit: number): string | null {
  if (limit === unlimited) return null;
  if (!Number.isInteger(limit) || limit < 1) {
    throw new RangeError(`max_response_size is ${limit}; it must be -1 or at least 1`);
  }
  if (Buffer.byteLength(text) <= limit) return null;
  // A character has at least as many bytes as UTF-16 units, so the cut needs at most as many units as bytes; one more
  // unit keeps a surrogate pair at the edge whole. A JSON text has no lone surrogates: JSON.stringify escapes them.
  const bytes = Buffer.from(text.slice(0, limit + 1));
  let end = limit;
  while (end > 0 && isContinuation(bytes[end])) end -= 1;
  return bytes.toString("utf8", 0, end);
}

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;
