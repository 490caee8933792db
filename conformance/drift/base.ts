import type { Change, DriftReport } from "./change.ts";

const keyOf = ({ kind, side, where, operations, old, new: now }: Change): string =>
  JSON.stringify([kind, side, where.replace(/ \(\d+ breaking\)$/, ""), operations, old, now]);

/**
 * Tells what a change brings from what its base has already.
 * @param report what differs between the old contract and the new one
 * @param base what differs between the old contract and the base, such as the branch that the change goes into
 */
export function sinceBase(report: DriftReport, base: DriftReport): DriftReport {
  const [inherited, present] = [base, report].map(({ changes }) => new Set(changes.map(keyOf)));
  return {
    ...report,
    changes: report.changes.map((one) => ({
      ...one,
      since: inherited!.has(keyOf(one)) ? "inherited" : "introduced",
    })),
    mended: base.changes.filter((one) => one.class !== "safe" && !present!.has(keyOf(one))),
    notes: [...report.notes, `Only what is introduced since ${base.new} fails.`],
  };
}
