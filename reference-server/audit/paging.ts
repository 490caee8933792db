import { defaultSample, largestSample, operations } from "../../generated/contract.ts";

/** The position of a page. */
export interface Place {
  /** The effective size, as stated in the answer. */
  pageSize: number;
  /** The number of rows before the page. */
  offset: number;
}

/** The parsed paging parameters of a list. */
interface Paging extends Place {
  page: number;
  /** The most samples in the summary. */
  samples: number;
}

/**
 * Parses the paging of a list: `limit`, clamped to the largest effective value, overrides `page_size` (contract: Usage
 * list response).
 */
export function readPaging(query: { page?: number; page_size?: number; limit?: number }): Paging {
  const limit = query.limit === undefined ? undefined : Math.min(query.limit, largestSample);
  const page = query.page ?? 1;
  const pageSize = limit ?? query.page_size ?? operations.listUsage.query.page_size.default;
  // Beyond every row, but still an integer for the database.
  const offset = Math.min((page - 1) * pageSize, Number.MAX_SAFE_INTEGER);
  return { page, pageSize, offset, samples: limit ?? defaultSample };
}

/** The total, if the page determines it: it is not full, and not beyond the end. */
export function totalOfPage({ offset, pageSize }: Place, rows: number): number | undefined {
  return rows < pageSize && (rows > 0 || offset === 0) ? offset + rows : undefined;
}
