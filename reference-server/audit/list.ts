import type { Knex } from "knex";
import type { Clock } from "../parts.ts";
import { readBucket } from "./buckets.ts";
import { type History, readPage } from "./history.ts";
import type { AccountScope } from "./rows.ts";
import { readPaging } from "./paging.ts";
import { inSnapshot } from "./snapshot.ts";
import { type Sized, summarize, type Summary } from "./summary.ts";
import { inTurn } from "./turns.ts";
import type { Window } from "./window.ts";

/** The parameters of a list besides its filters. */
interface ListQuery {
  page?: number;
  page_size?: number;
  limit?: number;
  summary?: boolean;
  bucket?: string;
  include_details?: boolean;
}

/** The most rows of a page that does not keep others waiting. */
const maxQuickPage = 50;

/**
 * A page of a history, with its summary if requested (contract: Usage list response, Ledger list response). Page, total
 * and summary then come from one snapshot of the database. Without a summary, a total read after its page may include
 * rows that arrived in between, which no later answer contradicts.
 * @throws InvalidQuery for an unknown bucket
 */
export function readList<
  Filter extends { window: Window },
  Row extends { created_at: number; seq: number },
  Shown extends object,
  Figure extends string,
  Body,
>(
  history: History<Filter, Row, Shown, Figure> & Sized<Figure>,
  { database, accountId }: AccountScope,
  query: ListQuery,
  filter: Filter,
  { clock, summaryBody }: { clock: Clock; summaryBody: (summary: Summary<Shown, Figure>) => Body },
) {
  const bucket = readBucket(query.bucket);
  const { page, pageSize, ...paging } = readPaging(query);
  const details = query.include_details ?? false;
  const options = { bucket, samples: paging.samples, details };
  const read = async (rows: Knex) => {
    const scope = { database: rows, accountId };
    const place = { pageSize, offset: paging.offset };
    const { items, total, more } = await readPage(history, scope, filter, place, details);
    const summary = query.summary
      ? summaryBody(await summarize(history, scope, filter, { ...options, now: clock.now() }))
      : null;
    // The items come last, since those of a long page follow. Rows never change, so they need no snapshot.
    const data = { total, page, page_size: pageSize, summary, items };
    return { data, more: more({ database, accountId }) };
  };
  if (!query.summary && pageSize <= maxQuickPage) return read(database);
  return inTurn(accountId, () => (query.summary ? inSnapshot(database, read) : read(database)));
}
