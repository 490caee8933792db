import { loadCatalog, sampleFolder } from "../../../reference-server/catalog/load.ts";
import type { Books, Parts } from "../../../reference-server/parts.ts";
import type { NewUsageEvent, UsageEventRow } from "../../../reference-server/records.ts";
import { kindOf } from "../../../reference-server/records.ts";

/** How a server under a bench differs from the reference server. */
export interface Variant {
  /**
   * `durable`: unchanged. `nothing`: books that store nothing, the ceiling of the write path. `alone`: durable, but
   * each hold and each settlement is its own transaction.
   */
  books: "durable" | "nothing" | "alone";
  /** The address of a sample provider in a process of its own; without it, the server has one in its own process. */
  providerUrl?: string;
  /** A Postgres address; without it, the SQLite file in the data folder. */
  databaseUrl?: string;
  /** The driver of that file, as in SQLITE_DRIVER. */
  sqliteDriver?: "sqlite3" | "node";
}

export const asItIs: Variant = { books: "durable" };

/** The parts, with those replaced that the variant changes. */
export const partsOf = (parts: Parts, { books, providerUrl }: Variant): Parts => ({
  ...parts,
  books: variedBooks(parts.books, books),
  catalog:
    providerUrl === undefined
      ? parts.catalog
      : loadCatalog(sampleFolder, { providerBaseUrl: providerUrl, env: {} }),
});

function variedBooks(books: Books, kind: Variant["books"]): Books {
  switch (kind) {
    case "durable":
      return books;
    case "nothing":
      return keepingNothing(books);
    case "alone":
      return oneAtATime(books);
  }
}

/** The fields of a recorded event that an operation reads, without a stored row. */
const recorded = (event: NewUsageEvent) => ({
  event: { ...event, kind: kindOf[event.event_type] } as unknown as UsageEventRow,
  remaining: 1_000_000_000,
});

const keepingNothing = (books: Books): Books => ({
  ...books,
  hold: async () => true,
  settle: async (_executionId, event) => recorded(event),
  record: async (event) => recorded(event),
});

/** Submits a command to the writer only after the previous one has committed, so that no two share a commit. */
function oneAtATime(books: Books): Books {
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const mine = last.then(work);
    last = mine.catch(() => undefined);
    return mine;
  };
  return {
    ...books,
    hold: (hold) => inTurn(() => books.hold(hold)),
    settle: (executionId, event) => inTurn(() => books.settle(executionId, event)),
    record: (event) => inTurn(() => books.record(event)),
  };
}
