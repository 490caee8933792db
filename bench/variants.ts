import type { Catalog } from "../reference-server/catalog/tool.ts";
import { createCatalog } from "../reference-server/catalog/catalog.ts";
import type { Contract } from "../reference-server/http/contract.ts";
import type { Books, Parts } from "../reference-server/parts.ts";
import type { NewUsageEvent, UsageEventRow } from "../reference-server/records.ts";
import { kindOf } from "../reference-server/records.ts";
import { generatedTools } from "./generated-tools.ts";

/** How a server of the benches differs from the reference server. */
export interface Variant {
  /**
   * `durable`: as it is. `nothing`: books that keep nothing, the ceiling of the write path. `alone`: durable, but each
   * hold and each settlement is a transaction of its own.
   */
  books: "durable" | "nothing" | "alone";
  /** Whether requests and answers are held against the contract. */
  validation: boolean;
  /** How many generated tools stand in the catalogue; null: the sample catalogue. */
  tools: number | null;
  /** A Postgres address; without it the SQLite file of the data folder. */
  databaseUrl?: string;
}

export const asItIs: Variant = { books: "durable", validation: true, tools: null };

/** The parts with those replaced that the variant wants otherwise. */
export const partsOf = (parts: Parts, { books, tools }: Variant): Parts => ({
  ...parts,
  books: variedBooks(parts.books, books),
  catalog: tools === null ? parts.catalog : generatedCatalog(tools),
});

/** A contract that judges nothing; who is measured with it sends every default along. */
export const noContract = (): Contract => ({
  watchAnswers: () => [],
  checkRequest: () => [],
  judge: () => null,
});

const generatedCatalog = (count: number): Catalog => createCatalog(generatedTools(count), []);

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

/** What an operation reads of a recorded event, without a row. */
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

/** Nothing is handed to the writer before what went before it is committed, so that no commit is shared. */
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
