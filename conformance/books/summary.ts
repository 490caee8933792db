import type { ClauseId } from "../../generated/clauses.ts";
import type { Located } from "../judge/answer.ts";
import { sameCredits, sumOf } from "../judge/credits.ts";
import { condition } from "../judge/fact.ts";
import type { Row } from "../judge/rows.ts";
import type { List } from "./listed.ts";
import type { Find } from "./pairs.ts";

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
  of?: readonly ((row: Row) => number)[];
  /** The member of a row that decides what it contributes. */
  by?: string;
  /** For what depends on amounts: the members of a row that show its amount, one of which is enough. */
  shownAs?: readonly string[];
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
    /** The clauses for the number of samples and for their rows. */
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

/** What a list's summary is called in findings. */
export const summaryName = ({ row }: Summary): string =>
  row === "event" ? "usage summary" : "ledger summary";

/** What the figures of a summary must be, over rows that are taken in parts. */
export class Totals {
  readonly description: Summary;
  readonly #figures: readonly Figure[];
  /** For each figure, its sum by each interpretation of the contract. */
  readonly sums: number[][];

  /** @param sums where an interrupted count had come to */
  constructor(description: Summary, sums?: readonly (readonly number[])[]) {
    this.description = description;
    this.#figures = description.figures.filter(({ of }) => of !== undefined);
    this.sums = this.#figures.map(({ of }, index) => [...(sums?.[index] ?? of!.map(() => 0))]);
  }

  take(rows: readonly Row[]): void {
    for (const [index, { of }] of this.#figures.entries()) {
      this.sums[index] = of!.map((add, at) => sumOf([this.sums[index]![at]!, sumOf(rows.map(add))]));
    }
  }

  /** How many rows there are. */
  get rows(): number {
    return this.sums[0]![0]!;
  }

  /** The sum of a figure, by the first interpretation. */
  of(path: string): number {
    return this.sums[this.#figures.findIndex((figure) => figure.path === path)]![0]!;
  }

  /**
   * Audits a summary: each of its figures is what the rows add up to.
   * @param isJudged whether to audit the figure at a path
   * @returns false where there is no summary
   */
  audit(summary: Located, find: Find, isJudged = (_path: string): boolean => true): boolean {
    if (!summary.present) return false;
    const what = summaryName(this.description);
    for (const [index, { path, follows, type }] of this.#figures.entries()) {
      const { value, path: place, exchange } = summary.at(path);
      const sums = this.sums[index]!;
      // Which events pre_settlement_credits sums is open.
      if (path === "pre_settlement_credits" || !isJudged(path)) continue;
      if (sums.some((sum) => sameCredits(Number(value), sum))) continue;
      const expected = sums.length > 1 ? { values: sums } : { value: sums[0] };
      find({
        name: `${what.replace(" ", "-")}-differs`,
        clauses: [follows ?? type],
        title: `the ${what} and the list differ in ${path}`,
        fact: condition(path, value, { kind: "value", place, expected }),
        exchange,
      });
    }
    return true;
  }
}
