import type { ClauseId } from "../../generated/clauses.ts";
import type { Located } from "../judge/answer.ts";
import type { List } from "../subject/lists.ts";

/** A figure of a summary that its buckets have too. */
export interface Figure {
  /** Where it is in the summary, and under which name in a bucket. */
  path: string;
  inBucket: string;
  kind: "count" | "credits" | "signed credits";
  /** The clauses of its type, of its type in a bucket, and of the buckets' sum. */
  type: ClauseId;
  bucketType: ClauseId;
  adds: ClauseId;
  /** The clause by which it follows from the rows; none where the contract does not say how. */
  follows?: ClauseId;
  /** What each row adds to it; where the contract can be read in several ways, one function for each. */
  of?: readonly ((row: Located) => number)[];
  /** Of credits, the bucket's counts of the rows that they come from. */
  from?: readonly string[];
}

/** The summary of one of the two lists. */
export interface Summary {
  list: List;
  /** What a row is called. */
  row: "event" | "entry";
  /** The first counts all rows. */
  figures: readonly Figure[];
  /** Counts of which no row belongs to two. */
  parts: readonly { clause: ClauseId; paths: readonly string[] }[];
  samples: {
    path: string;
    amount: (row: Located) => number | undefined;
    /** The clauses of their number, and of which rows they are. */
    count: ClauseId;
    largest: ClauseId;
  };
  /** Clauses: the window's form, buckets, rows in their bucket, the default window and bucket, bucket, filters. */
  window: ClauseId;
  buckets: ClauseId;
  spans: ClauseId;
  defaultWindow: ClauseId;
  defaultBucket: ClauseId;
  bucket: ClauseId;
  filters: ClauseId;
  lastMonth: ClauseId;
}

/** Where an answer of the list holds its summary. */
export const at = "data.summary";
