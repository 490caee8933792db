import type { Clock, Random } from "./parts.ts";

/**
 * A UUID of version 7: the leading time keeps the unique indexes of growing tables compact; 74 bits are random.
 * @param now epoch ms
 */
export function uuid(now: number, random: Random): string {
  const bytes = Buffer.alloc(16);
  bytes.writeUIntBE(now, 0, 6);
  random.bytes(10).copy(bytes, 6);
  bytes[6] = (bytes[6]! & 0x0f) | 0x70;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = bytes.toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

/** The sources of an id. */
export type Sources = { clock: Clock; random: Random };

/** `exec_`, the time, and 72 random bits. */
export const newExecutionId = (sources: Sources): string => `exec_${timed(sources, 9)}`;

/** `srch_`, the time, and 64 random bits. */
export const newSearchId = (sources: Sources): string => `srch_${timed(sources, 8)}`;

/** The leading time keeps indexes compact, as in a UUID: a row whose key is random writes a page of its own. */
const timed = ({ clock, random }: Sources, randomBytes: number): string =>
  clock.now().toString(16).padStart(12, "0") + random.bytes(randomBytes).toString("hex");
