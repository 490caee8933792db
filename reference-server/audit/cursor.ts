import { createHash } from "node:crypto";

/** A position between two rows of a feed: after the row with this time and sequence number, newest first. */
export interface Position {
  createdAt: number;
  seq: number;
}

export type Feed = "usage" | "settlements";

const checksum = (content: string): string =>
  createHash("sha256").update(content).digest("base64url").slice(0, 8);

/** The opaque `cursor` of a position. It names no account: every page is limited to its caller. */
export function writeCursor(feed: Feed, { createdAt, seq }: Position): string {
  const content = `${feed}.${createdAt.toString(36)}.${seq.toString(36)}`;
  return Buffer.from(`${content}.${checksum(content)}`).toString("base64url");
}

/** The position of a cursor of this feed; null for a cursor that we never issued. */
export function readCursor(feed: Feed, cursor: string): Position | null {
  const [, createdAt = "", seq = ""] = Buffer.from(cursor, "base64url").toString("latin1").split(".");
  const position = { createdAt: Number.parseInt(createdAt, 36), seq: Number.parseInt(seq, 36) };
  if (!Number.isSafeInteger(position.createdAt) || !Number.isSafeInteger(position.seq)) return null;
  return writeCursor(feed, position) === cursor ? position : null;
}
