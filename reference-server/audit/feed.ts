import { Invalid } from "../http/errors.ts";
import { type Feed, type Position, readCursor, writeCursor } from "./cursor.ts";

/** One page of a feed of rows, and where the next one begins. */
export interface FeedPage<Row> {
  rows: Row[];
  paging: { next_cursor: string | null; has_more: boolean; page_size: number };
}

/**
 * Reads one page of a feed, newest first. Rows written meanwhile are newer than the first page's, so that a walk from
 * cursor to cursor neither repeats a row nor skips one that was there when it began.
 * @param read answers at most `size` rows after a position
 * @throws Invalid (422) for a cursor that this feed never handed out
 */
export async function readFeed<Row extends { created_at: number; seq: number }>(
  feed: Feed,
  { cursor, page_size: size = 100 }: { cursor?: string; page_size?: number },
  read: (position: Position | null, size: number) => Promise<Row[]>,
): Promise<FeedPage<Row>> {
  const position = cursor === undefined ? null : readCursor(feed, cursor);
  if (cursor !== undefined && position === null) {
    throw new Invalid([
      {
        loc: ["query", "cursor"],
        msg: "cursor must be the next_cursor of an earlier page of this feed, unchanged",
        type: "cursor_invalid",
        input: cursor,
      },
    ]);
  }
  const found = await read(position, size + 1);
  const rows = found.slice(0, size);
  const last = rows.at(-1);
  const more = found.length > size && last !== undefined;
  return {
    rows,
    paging: {
      next_cursor: more ? writeCursor(feed, { createdAt: last.created_at, seq: last.seq }) : null,
      has_more: more,
      page_size: size,
    },
  };
}
