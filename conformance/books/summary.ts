import type { ClauseId } from "../../generated/clauses.ts";
import type { Located } from "../judge/answer.ts";
import { sameCredits, sumOf } from "../judge/credits.ts";
import { condition, type Fact } from "../judge/fact.ts";
import type { Row } from "../judge/rows.ts";
import { valueAt } from "../judge/seen.ts";
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

/** What the figures of a summary must be, over rows that are taken in parts. */
export class Totals {
  readonly #figures: readonly Figure[];
  /** For each figure, its sum by each interpretation of the contract. */
  readonly sums: number[][];

  /** @param sums where an interrupted count had come to */
  constructor({ figures }: Summary, sums?: readonly (readonly number[])[]) {
    this.#figures = figures.filter(({ of }) => of !== undefined);
    this.sums = this.#figures.map(({ of }, index) => [...(sums?.[index] ?? of!.map(() => 0))]);
  }

  take(rows: readonly Row[]): void {
    for (const [index, { of }] of this.#figures.entries()) {
      this.sums[index] = of!.map((add, at) => sumOf([this.sums[index]![at]!, sumOf(rows.map(add))]));
    }
  }

  /** The sums of a figure. */
  of(path: string): readonly number[] {
    return this.sums[this.#figures.findIndex((figure) => figure.path === path)] ?? [];
  }

  /** The figures of a summary that none of their sums equals. */
  *wrongIn(summary: unknown): Generator<{ figure: Figure; fact: Fact }> {
    for (const [index, figure] of this.#figures.entries()) {
      const received = valueAt(summary, figure.path);
      const sums = this.sums[index]!;
      if (sums.some((sum) => sameCredits(Number(received), sum))) continue;
      yield {
        figure,
        fact: condition(`${sums.join(" or ")}, which its rows add up to`, String(received), {
          kind: "value",
          place: figure.path,
        }),
      };
    }
  }
}

/** What a list's summary is called in findings. */
export const summaryName = ({ row }: Summary): string =>
  row === "event" ? "usage summary" : "ledger summary";

/**
 * Audits a summary: each of its figures is what its rows add up to.
 * @param others figures that are judged elsewhere
 */
export function auditSummary(
  description: Summary,
  totals: Totals,
  summary: unknown,
  find: Find,
  others: readonly string[] = [],
): void {
  const what = summaryName(description);
  for (const { figure, fact } of totals.wrongIn(summary)) {
    // Which events it sums is open.
    if (figure.path === "pre_settlement_credits" || others.includes(figure.path)) continue;
    find({
      name: `${what.replace(" ", "-")}-differs`,
      clauses: [figure.follows ?? figure.type],
      title: `the ${what} and the list differ in ${figure.path}`,
      fact,
    });
  }
}
