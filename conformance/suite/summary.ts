import type { ClauseId } from "../../generated/clauses.ts";
import type { Located } from "../judge/answer.ts";
import type { List } from "../server/lists.ts";

/** A figure that a summary and its buckets have in common. */
export interface Figure {
  /** Its path in the summary, and its name in a bucket. */
  path: string;
  inBucket: string;
  kind: "count" | "credits" | "signed credits";
  /** The clauses for its type, for its type in a bucket, and for the sum over the buckets. */
  type: ClauseId;
  bucketType: ClauseId;
  adds: ClauseId;
  /** The clause that derives it from the rows; none when the contract does not say how. */
  follows?: ClauseId;
  /** Each row's contribution; one function for each interpretation of the contract. */
  of?: readonly ((row: Located) => number)[];
  /** For credits: the bucket's counts of the rows that they come from. */
  from?: readonly string[];
}

/** The summary of one of the two lists. */
export interface Summary {
  list: List;
  /** The name of a row. */
  row: "event" | "entry";
  /** The first counts all rows. */
  figures: readonly Figure[];
  /** Counts that are mutually exclusive. */
  parts: readonly { clause: ClauseId; paths: readonly string[] }[];
  samples: {
    path: string;
    amount: (row: Located) => number | undefined;
    /** The clauses for the number of samples and for which rows they are. */
    count: ClauseId;
    largest: ClauseId;
  };
  /** Clauses for the window's form, buckets, rows in their bucket, the default window and bucket, bucket, filters. */
  window: ClauseId;
  buckets: ClauseId;
  spans: ClauseId;
  defaultWindow: ClauseId;
  defaultBucket: ClauseId;
  bucket: ClauseId;
  filters: ClauseId;
  lastMonth: ClauseId;
}

/** The path of the summary in an answer of the list. */
export const at = "data.summary";
