import type { Random } from "./parts.ts";

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

/** `exec_` and 96 random bits. */
export const newExecutionId = ({ random }: { random: Random }): string =>
  `exec_${random.bytes(12).toString("hex")}`;

/** `srch_` and 64 random bits. */
export const newSearchId = ({ random }: { random: Random }): string =>
  `srch_${random.bytes(8).toString("hex")}`;
