import type { Located } from "../judge/answer.ts";
import { ledgerSummary } from "./ledger-summary.ts";
import { auditSpent } from "./other-reads.ts";
import type { Books, Find } from "./pairs.ts";
import { Totals } from "./summary.ts";
import { usageSummary } from "./usage-summary.ts";

/** The reads that sum up all rows of an account; those without a value are not audited. */
export interface Sums {
  usageSummary: Located;
  ledgerSummary: Located;
  /** The data of the credits spent. */
  spent: Located;
}

/**
 * Audits the reads that sum up an account: each is what the rows of its whole lists add up to.
 * @param isJudged whether to audit the figure at a path of a summary
 */
export function auditSums(
  { events, entries }: Books,
  sums: Sums,
  find: Find,
  isJudged: (path: string) => boolean,
): void {
  const usage = new Totals(usageSummary);
  const ledger = new Totals(ledgerSummary);
  usage.take(events);
  ledger.take(entries);
  usage.audit(sums.usageSummary, find, isJudged);
  ledger.audit(sums.ledgerSummary, find, isJudged);
  auditSpent(sums.spent, usage, find);
}
