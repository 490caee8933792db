import { createHash } from "node:crypto";
import type { Random } from "../parts.ts";

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const keyPrefix = "cc_live_";
const claimPrefix = "claim_";

/** Base 62, with a length determined by the number of bytes. */
function base62(bytes: Buffer): string {
  let value = BigInt(`0x${bytes.toString("hex")}`);
  let text = "";
  for (let rest = Math.ceil((bytes.length * 8) / Math.log2(62)); rest > 0; rest -= 1) {
    text = alphabet[Number(value % 62n)]! + text;
    value /= 62n;
  }
  return text;
}

/** A new API key: 256 random bits as letters and digits, safe in any shell or header. */
export const newApiKey = (random: Random): string => keyPrefix + base62(random.bytes(32));

/** A new claim code: 160 random bits (open point: unguessable, unlike the mailed six digits). */
export const newClaimCode = (random: Random): string => claimPrefix + base62(random.bytes(20));

/**
 * The stored form of a key or a code: SHA-256 in lower-case hex. Their entropy makes a slow hash unnecessary; a mailed
 * six-digit code is protected by its lifetime and its limited tries, not by its hash.
 */
export const secretHash = (secret: string): string => createHash("sha256").update(secret).digest("hex");

/**
 * The displayed form of a key: its prefix and its last four characters. It is ASCII, since a single other character
 * would make every page that shows it twice as large in memory, and slower to send.
 */
export const masked = (apiKey: string): string => `${keyPrefix}...${apiKey.slice(-4)}`;
