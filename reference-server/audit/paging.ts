import { defaultSample, largestSample, operations } from "../../generated/contract.ts";

/** Where a page stands. */
export interface Place {
  /** The effective size, as the answer states it. */
  pageSize: number;
  /** Rows before the page. */
  offset: number;
}

/** What the paging parameters of a list come to. */
interface Paging extends Place {
  page: number;
  /** Most samples in the summary. */
  samples: number;
}

/** The paging of a list: `limit`, clamped to the largest that has an effect, overrides `page_size` (contract: Usage list response). */
export function readPaging(query: { page?: number; page_size?: number; limit?: number }): Paging {
  const limit = query.limit === undefined ? undefined : Math.min(query.limit, largestSample);
  const page = query.page ?? 1;
  const pageSize = limit ?? query.page_size ?? operations.listUsage.query.page_size.default;
  // Beyond every row, and still an integer to the database.
  const offset = Math.min((page - 1) * pageSize, Number.MAX_SAFE_INTEGER);
  return { page, pageSize, offset, samples: limit ?? defaultSample };
}

/** The total that a page proves by itself: it is not full, and not beyond the end. */
export function totalOfPage({ offset, pageSize }: Place, rows: number): number | undefined {
  return rows < pageSize && (rows > 0 || offset === 0) ? offset + rows : undefined;
}
