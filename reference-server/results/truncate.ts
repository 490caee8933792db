/** Disables truncation (contract: Call, `max_response_size`). */
export const unlimited = -1;

/**
 * The beginning of a text, at most `limit` UTF-8 bytes of it, or null where the whole fits.
 * It ends before a character that would be cut; a text of exactly the limit is whole.
 * @param limit in bytes; -1 never truncates.
 */
export function truncate(text: string, limit: number): string | null {
  if (limit === unlimited) return null;
  if (!Number.isInteger(limit) || limit < 1) {
    throw new RangeError(`max_response_size is ${limit}; it must be -1 or at least 1`);
  }
  if (Buffer.byteLength(text) <= limit) return null;
  // No character has fewer bytes than UTF-16 units, so the cut never needs more units than bytes; one more unit
  // keeps a surrogate pair at the edge whole. A JSON text holds no lone surrogate: JSON.stringify escapes them.
  const bytes = Buffer.from(text.slice(0, limit + 1));
  let end = limit;
  while (end > 0 && isContinuation(bytes[end])) end -= 1;
  return bytes.toString("utf8", 0, end);
}

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;
